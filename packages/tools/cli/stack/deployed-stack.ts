import { existsSync } from "node:fs"
import { join } from "node:path"

import type { Database } from "@accounts-stack/d1-migrations/d1"
import * as z from "zod"

import { Failure, messageOf } from "../../base/failure.ts"
import { cloudflareApi } from "../../base/process-environment.ts"
import { root } from "../../base/root.ts"
import { type Account, BaseUrl, type DatabasePlace } from "../../deploy/api.ts"
import { type ServiceAddress, TrialHeaders } from "../../deploy/release/service-request.ts"
import { Environment } from "../../environment/environment.ts"
import { openDatabase } from "../../environment/own-names.ts"
import { unusable, parseStackFile } from "../../environment/read.ts"
import { openApi } from "../api.ts"
import { deployCommand, type StackChoice, type StackPlace } from "../local-options.ts"
import { bringUp } from "../process/local-cloudflare.ts"
import { callEngine, type Engine, localBackendEngine, readOutputs, remoteEngine } from "./engine.ts"

export type StackOptions = StackChoice & { stack: string }

/** The settings of a stack file that are needed to reach its account and service. */
const Site = z
  .looseObject({
    "accounts:environment": Environment.shape.environment,
    "accounts:accountId": Environment.shape.accountId,
    // Accepts any name: a stack whose name no release accepts can still be backed up.
    "accounts:name": z.string().optional(),
    "accounts:connectTo": Environment.shape.connectTo,
    "accounts:trialHeaders": z.record(z.string(), z.unknown()).default({}),
    "accounts:identityProviders": z.record(z.string(), z.unknown()).default({}),
    "cloudflare:baseUrl": BaseUrl.default(cloudflareApi),
  })
  .transform((config) => ({
    environment: config["accounts:environment"],
    accountId: config["accounts:accountId"],
    name: config["accounts:name"],
    connectTo: config["accounts:connectTo"],
    /** Whether requests to the service need headers, which the file seals. */
    sealedHeaders: Object.keys(config["accounts:trialHeaders"]).length > 0,
    /** Whether users can sign in with a code by e-mail. */
    emailCode: config["accounts:emailCode"] === "on",
    /** Whether users can sign in with a passkey. */
    passkeys: config["accounts:passkeys"] !== "off",
    /** Ids of the identity providers. */
    providers: Object.keys(config["accounts:identityProviders"]),
    baseUrl: config["cloudflare:baseUrl"],
  }))
export type Site = z.infer<typeof Site>

export function readSite(options: StackOptions): Site {
  const path = stackFile(options)
  const { data, error } = Site.safeParse(parseStackFile(path, path).config)
  if (data) return data
  const problems = error.issues.map(({ path: at, message }) => `${at.join(".")} ${message}`)
  throw unusable(path, problems)
}

/**
 * Returns, for a preview, the file that its deployment generated; on another machine only its template
 * exists.
 */
function stackFile({ stack, local, state }: StackOptions): string {
  const committed = join(root, "environments", `Pulumi.${stack}.yaml`)
  const generated = join(state, "projects", stack, `Pulumi.${stack}.yaml`)
  if (stack !== "local" && local) {
    if (existsSync(generated)) return generated
    throw new Failure(
      "COMMAND_FAILED",
      `There is no stack ${stack} on this machine. List the previews with ./accounts branch list --local.`,
    )
  }
  const template = join(root, "environments", "preview.yaml")
  const candidates = stack.startsWith("preview-") ? [generated, template] : [committed]
  const candidate = candidates.find((path) => existsSync(path))
  if (candidate) return candidate
  throw new Failure(
    "COMMAND_FAILED",
    `There is no stack ${stack}: environments/Pulumi.${stack}.yaml does not exist.`,
  )
}

const Outputs = z.object({ databaseId: z.string(), worker: z.string(), url: z.string() })

/** The account of a stack. */
export type StackAccount = AsyncDisposable &
  Account & {
    /** Address to connect to instead of the host's own. */
    connectTo: string | undefined
  }

/** The resources of a stack in its account. */
export type DeployedStack = AsyncDisposable &
  DatabasePlace & {
    stack: string
    /** The stack as printed commands name it. */
    place: StackPlace
    database: Database
    /** Name of the Worker. */
    worker: string
    address: ServiceAddress
  }

/** Starts the local Cloudflare for a stack of this machine if it is not running; disposing stops it. */
export async function openDeployedStack(
  options: StackOptions,
  site = readSite(options),
): Promise<DeployedStack> {
  const { stack } = options
  const outputs = await readDeployedOutputs(await engineOf(options), stack)
  if (outputs === undefined) throw notDeployed(options)
  const { databaseId, worker, url } = outputs
  await using opened = new AsyncDisposableStack()
  const { api, accountId, connectTo } = opened.use(await openAccount(site, options))
  // The local Cloudflare has the key of its stacks, so this comes after it has started.
  const headers = site.sealedHeaders
    ? await openTrialHeaders(await engineOf(options), { stack, path: stackFile(options) })
    : undefined
  const account = opened.move()
  return {
    stack,
    place: options,
    databaseId,
    worker,
    api,
    accountId,
    database: openDatabase({ api, accountId, databaseId }),
    address: { url, connectTo, headers },
    [Symbol.asyncDispose]: () => account.disposeAsync(),
  }
}

/** Returns the engine with the backend of the stack. */
export function engineOf(options: StackOptions): Promise<Engine> {
  return isHere(options) ? localBackendEngine(options) : remoteEngine(options.engine)
}

/** Returns undefined before the first deployment. */
export async function readDeployedOutputs(engine: Engine, stack: string) {
  return Outputs.safeParse(await readOutputs(engine, stack)).data
}

/** Starts the local Cloudflare for a stack of this machine if it is not running; disposing stops it. */
export async function openAccount(site: Site, options: StackOptions): Promise<StackAccount> {
  if (!isHere(options)) {
    const { accountId, baseUrl, connectTo } = site
    const api = openApi({ baseUrl })
    return { api, accountId, connectTo, [Symbol.asyncDispose]: async () => {} }
  }
  const cloudflare = await bringUp(options)
  const { api: baseUrl, token, accountId, edge } = cloudflare
  return {
    api: openApi({ baseUrl, token }),
    accountId,
    // Its port may have changed since the deployment.
    connectTo: edge,
    [Symbol.asyncDispose]: () => cloudflare.stop(),
  }
}

function isHere({ stack, local }: StackOptions): boolean {
  return stack === "local" || local
}

function notDeployed(place: StackPlace): Failure {
  const message = `The stack ${place.stack} is not deployed. Deploy it: ${deployCommand(place)}`
  return new Failure("COMMAND_FAILED", message)
}

const key = "accounts:trialHeaders"

const Configuration = z.object({ [key]: z.object({ objectValue: TrialHeaders }) })

/**
 * Decrypts the headers with which a release passes Access or a WAF, with the key of the stack.
 * @param path the stack's file
 */
async function openTrialHeaders(
  engine: Engine,
  { stack, path }: { stack: string; path: string },
): Promise<Record<string, string>> {
  const args = ["config", "--config-file", path, "--stack", stack, "--show-secrets", "--json"]
  try {
    const printed = await callEngine(engine, { directory: root, args })
    return Configuration.parse(JSON.parse(printed))[key].objectValue
  } catch (error) {
    const message = `${key} of ${stack} cannot be opened, and without them no request may reach the service: ${messageOf(error)}`
    throw new Failure("COMMAND_FAILED", message, { cause: error })
  }
}
