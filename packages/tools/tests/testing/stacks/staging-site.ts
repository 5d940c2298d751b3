import { execFileSync } from "node:child_process"
import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { pathToFileURL } from "node:url"

import { parse, stringify } from "yaml"
import * as z from "zod"

import type { LocalCloudflare } from "../../../cli/process/local-cloudflare.ts"
import { openAccount } from "../../../deploy/testing/account.ts"
import { copyCheckout, type Checkout } from "../checkout.ts"
import { readShellValues } from "../engine/pulumi-cli.ts"
import { importFrom } from "../import-from.ts"

/** The secret of the stack, and what opens it. */
export const canary = "canary-0123456789abcdef-0123456789abcdef"
export const passphrase = "passphrase-0123456789abcdef"

const stackFile = "environments/Pulumi.staging.yaml"

export type StagingSite = Awaited<ReturnType<typeof openStagingSite>>

type Input = { input: string }

const Ids = z.array(z.looseObject({ uuid: z.string().optional(), id: z.string().optional() }))

/**
 * A checkout with a staging-shaped stack, whose state is in a directory that is not of `local`, as the
 * ordinary command and `./accounts` of an operator's machine see it.
 */
export async function openStagingSite() {
  await using opened = new AsyncDisposableStack()
  const environment: Record<string, string> = {}
  const checkout: Checkout = opened.use(copyCheckout({ environment }))
  const { joinOrStart } = await importFrom(checkout, "cli/process/local-cloudflare.ts")
  const cloudflare: LocalCloudflare = await joinOrStart({
    state: checkout.state,
    apiPort: 0,
    port: 0,
  })
  opened.defer(() => cloudflare.stop())
  // On a real machine the engine and the plugins are the caller's own.
  Object.assign(environment, await readShellValues(checkout))
  const backend = join(checkout.directory, ".backend")
  const temporary = join(checkout.directory, ".temporary")
  for (const directory of [backend, temporary]) mkdirSync(directory)
  environment["PULUMI_BACKEND_URL"] = pathToFileURL(backend).href
  Object.assign(environment, { TMPDIR: temporary, PULUMI_CONFIG_PASSPHRASE: passphrase })

  /** The ordinary command in the checkout, on the stack `staging`. */
  function pulumi(...args: (string | Input)[]): string {
    const words = args.filter((arg) => typeof arg === "string")
    const input = args.find((arg) => typeof arg === "object")?.input ?? ""
    const stack = words[0] === "stack" && words[1] === "init" ? [] : ["--stack", "staging"]
    return execFileSync("pulumi", [...words, ...stack, "--non-interactive"], {
      cwd: checkout.directory,
      env: { ...process.env, ...environment },
      input,
      encoding: "utf8",
    })
  }

  const config = configuration(cloudflare)
  checkout.edit(stackFile, () => stringify({ config }))
  pulumi("stack", "init", "staging")
  const key = "accounts:secrets.AUTH_SECRET"
  pulumi("config", "set", "--secret", "--path", key, { input: canary })
  const account = openAccount(cloudflare)
  const resources = opened.move()
  return {
    checkout,
    cloudflare,
    account,
    environment,
    /** Directory of the backend. */
    backend,
    /** Directory for temporary files. */
    temporary,
    configuration: config,
    pulumi,
    /** Changes keys of the stack file; undefined removes one. */
    configure(changes: Record<string, unknown>): void {
      checkout.edit(stackFile, (text) => {
        const { config: written, ...rest } = parse(text)
        return stringify({ ...rest, config: { ...written, ...changes } })
      })
    },
    up: (...flags: string[]) => checkout.run("up", "-s", "staging", "--yes", ...flags),
    repair: (...args: string[]) => checkout.run("repair", "-s", "staging", ...args),
    adopt: (...args: string[]) => checkout.run("repair", "--adopt", "-s", "staging", ...args),
    /** Ids in a list of the account, such as `d1/database`. */
    async idsOf(path: string) {
      const rows = Ids.parse(await account.call("GET", `/${path}`))
      return rows.map(({ uuid, id }) => uuid ?? id ?? "")
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}

function configuration(cloudflare: LocalCloudflare) {
  return {
    "cloudflare:baseUrl": cloudflare.api,
    "accounts:fixture": true,
    "accounts:environment": "staging",
    "accounts:accountId": cloudflare.accountId,
    "accounts:zone": "accounts.test",
    "accounts:apiOrigin": "https://api.staging.accounts.test",
    "accounts:webOrigin": "https://app.staging.accounts.test",
    "accounts:cookieDomain": "staging.accounts.test",
    "accounts:verifyEmail": false,
    "accounts:location": "weur",
    "accounts:connectTo": cloudflare.edge,
  }
}
