import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

import { stringify } from "yaml"

import { type DeployedStack, openDeployedStack } from "../../../cli/stack/deployed-stack.ts"
import { openLocalStack, type LocalStack } from "../../../cli/stack/local-stack.ts"
import { keySettings, seal } from "./stack-key.ts"

const accountId = "6163636f756e74736c6f63616c000001"

/** The `config` of a staging-shaped stack file for the local account, with other values for some keys. */
export function stagingShaped(changes: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    "accounts:fixture": true,
    "accounts:environment": "staging",
    "accounts:accountId": accountId,
    "accounts:zone": "accounts.test",
    "accounts:apiOrigin": "https://api.staging.accounts.test",
    "accounts:webOrigin": "https://app.staging.accounts.test",
    "accounts:cookieDomain": "staging.accounts.test",
    "accounts:trustedOrigins": [
      "https://app.staging.accounts.test",
      "https://api.staging.accounts.test",
    ],
    "accounts:verifyEmail": false,
    "accounts:protect": false,
    "accounts:patience": 20,
    // `openAccount` adds its seal.
    "accounts:secrets": {},
    ...changes,
  }
}

/** An account of its own on this machine, whose stacks have permanent environments' rules. */
export async function openAccount(): Promise<
  AsyncDisposable & {
    /** A stack, whose `AUTH_SECRET` is sealed unless `config` has one. */
    open: (stack: string, config: Record<string, unknown>) => Promise<LocalStack>
  }
> {
  const state = mkdtempSync(join(tmpdir(), "accounts-permanent-"))
  await using opened = new AsyncDisposableStack()
  opened.defer(() => rmSync(state, { recursive: true, force: true, maxRetries: 5 }))
  const authSecret = seal("s".repeat(64))
  const options = { state, apiPort: 0, port: 0, engine: undefined }
  let running: LocalStack["cloudflare"] | undefined
  const kept = opened.move()
  return {
    async open(stack, config) {
      const template = join(state, `${stack}-template.yaml`)
      const secrets = { AUTH_SECRET: authSecret, ...Object(config["accounts:secrets"]) }
      const sealed = { ...config, "accounts:secrets": secrets }
      writeFileSync(template, stringify({ ...keySettings, config: sealed }))
      const local = await openLocalStack(options, {
        stack,
        template,
        ...(running ? { running } : {}),
      })
      if (!running) kept.use(local)
      running ??= local.cloudflare
      return local
    },
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  }
}

/** What a stack of `openAccount` has in its account, as commands on a deployed stack see it. */
export async function openDeployed({ state, project }: LocalStack): Promise<DeployedStack> {
  const { stack } = project
  const options = { state, apiPort: 0, port: 0, engine: undefined, stack, local: true }
  return await openDeployedStack(options)
}
