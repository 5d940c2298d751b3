import { existsSync } from "node:fs"
import { join } from "node:path"

import * as z from "zod"

import { Failure } from "../../failure.ts"
import { Environment } from "../../infra/environment/environment.ts"
import { invalidEnvironment } from "../../infra/environment/read.ts"
import { cloudflareApi } from "../../infra/environment/rules/account.ts"
import { parseStackFile } from "../../infra/environment/stack-file.ts"
import { BaseUrl, createApi } from "../../provider/api.ts"
import { openDatabase, type Database } from "../../provider/migrations/database.ts"
import { root } from "../../root.ts"
import type { LocalOptions } from "../local-options.ts"
import { bringUp } from "../process/local-cloudflare.ts"
import { readOutputs } from "../stack/backend.ts"
import { localBackendEngine } from "../stack/local-engine.ts"
import { remoteEngine } from "../stack/remote-engine.ts"

export type StackOptions = LocalOptions & {
  stack: string
  /** The stack is a preview on this machine; `local` always is on this machine. */
  local: boolean
}

/** The settings of a stack file that lead to its account. */
const Site = z
  .looseObject({
    "accounts:environment": Environment.shape.environment,
    "accounts:accountId": Environment.shape.accountId,
    "cloudflare:baseUrl": BaseUrl.default(cloudflareApi),
  })
  .transform((config) => ({
    environment: config["accounts:environment"],
    accountId: config["accounts:accountId"],
    baseUrl: config["cloudflare:baseUrl"],
  }))
export type Site = z.infer<typeof Site>

export function readSite(options: StackOptions): Site {
  const path = stackFile(options)
  const { data, error } = Site.safeParse(parseStackFile(path, path).config)
  if (data) return data
  const problems = error.issues.map(({ path: at, message }) => ({ key: at.join("."), message }))
  throw invalidEnvironment(path, problems)
}

/** For a preview, the file that its deployment generated; on another machine only its template exists. */
function stackFile({ stack, local, state }: StackOptions): string {
  const committed = join(root, "environments", `Pulumi.${stack}.yaml`)
  const generated = join(state, "projects", stack, `Pulumi.${stack}.yaml`)
  if (stack !== "local" && local) {
    if (existsSync(generated)) return generated
    throw new Failure(
      "COMMAND_FAILED",
      `There is no stack ${stack} on this machine. List the previews with ./accounts preview list --local.`,
    )
  }
  const template = join(root, "environments", "preview.yaml")
  const candidates = stack.startsWith("preview-") ? [generated, template] : [committed]
  const found = candidates.find((path) => existsSync(path))
  if (found) return found
  throw new Failure(
    "COMMAND_FAILED",
    `There is no stack ${stack}: environments/Pulumi.${stack}.yaml does not exist.`,
  )
}

/** Starts the local Cloudflare for a stack of this machine if it is not running; disposing stops it. */
export async function openStackDatabase(
  site: Site,
  options: StackOptions,
): Promise<Database & AsyncDisposable> {
  const here = options.stack === "local" || options.local
  const databaseId = await readDatabaseId(options, here)
  if (!here) {
    const token = process.env["CLOUDFLARE_API_TOKEN"] ?? ""
    const api = createApi({ baseUrl: site.baseUrl, token })
    const database = openDatabase({ api, accountId: site.accountId, databaseId })
    return { ...database, [Symbol.asyncDispose]: async () => {} }
  }
  const cloudflare = await bringUp(options)
  const { api: baseUrl, token, accountId } = cloudflare
  const database = openDatabase({ api: createApi({ baseUrl, token }), accountId, databaseId })
  return { ...database, [Symbol.asyncDispose]: () => cloudflare.stop() }
}

async function readDatabaseId(options: StackOptions, here: boolean): Promise<string> {
  const { stack } = options
  const engine = here ? await localBackendEngine(options) : await remoteEngine(options.engine)
  const { databaseId } = await readOutputs(engine, stack)
  if (databaseId) return z.string().parse(databaseId)
  const preview = stack.startsWith("preview-") ? "./accounts preview up" : `pulumi up -s ${stack}`
  const remedy = stack === "local" ? "npm start" : preview
  throw new Failure("COMMAND_FAILED", `The stack ${stack} is not deployed. Deploy it: ${remedy}`)
}
