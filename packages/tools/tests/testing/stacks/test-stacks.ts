import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

import { account } from "@accounts-stack/local/seed"
import type { EngineEvent } from "@pulumi/pulumi/automation/index.js"
import { stringify } from "yaml"

import { root } from "../../../base/root.ts"
import { type DeployedStack, openDeployedStack } from "../../../cli/stack/deployed-stack.ts"
import type { LocalStack } from "../../../cli/stack/local-stack.ts"
import type { Overrides } from "../../../cli/stack/project.ts"
import { openAccount } from "../../../deploy/testing/account.ts"
import type { Checkout } from "../checkout.ts"
import { importFrom } from "../import-from.ts"
import { keySettings, seal } from "./stack-key.ts"

/** The `config` of a staging-shaped stack file for the local account, with other values for some keys. */
export function stagingShaped(changes: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    "accounts:fixture": true,
    "accounts:environment": "staging",
    "accounts:accountId": account.id,
    "accounts:zone": "accounts.test",
    ...servedAt("https://api.staging.accounts.test", "https://app.staging.accounts.test"),
    "accounts:verifyEmail": false,
    "accounts:protect": false,
    "accounts:patience": 20,
    // `permanent` adds its seal.
    "accounts:secrets": {},
    ...changes,
  }
}

/** The settings of a service at `api` with its front end at `web`. */
export function servedAt(api: string, web = api): Record<string, unknown> {
  return {
    "accounts:apiOrigin": api,
    "accounts:webOrigin": web,
    "accounts:cookieDomain": new URL(api).hostname.replace(/^api\./, ""),
    "accounts:trustedOrigins": [...new Set([web, api])],
  }
}

export type TestStacks = Awaited<ReturnType<typeof openStacks>>
export type TestStack = Awaited<ReturnType<TestStacks["local"]>>

/**
 * The stacks of one local Cloudflare, which starts with the first of them and stops when this is
 * disposed of.
 * @param checkout the copy whose code and state they have, instead of this checkout's code
 */
export async function openStacks(checkout?: Pick<Checkout, "directory" | "state">) {
  const state = checkout?.state ?? mkdtempSync(join(tmpdir(), "accounts-stacks-"))
  await using opened = new AsyncDisposableStack()
  if (!checkout) opened.defer(() => rmSync(state, { recursive: true, force: true, maxRetries: 5 }))
  const code = checkout ?? { directory: root }
  const { openLocalStack }: typeof import("../../../cli/stack/local-stack.ts") = await importFrom(
    code,
    "cli/stack/local-stack.ts",
  )
  const operations: typeof import("../../../cli/stack/stack.ts") = await importFrom(
    code,
    "cli/stack/stack.ts",
  )
  let running: LocalStack["cloudflare"] | undefined
  const resources = opened.move()

  async function open(which: Parameters<typeof openLocalStack>[1]) {
    const options = { state, apiPort: 0, port: 0, engine: undefined }
    const local = await openLocalStack(options, { ...which, ...(running && { running }) })
    if (!running) resources.use(local)
    running ??= local.cloudflare
    return {
      ...local,
      account: openAccount(local.cloudflare),
      /** Counts of changed resources by operation, and the stack's outputs. */
      async up() {
        const { changes, outputs } = await operations.up(local.stack)
        return { changes: changesIn(changes), outputs }
      },
      refresh: async () => changesIn(await operations.refresh(local.stack)),
      /** Counts of changed resources by operation, and the text that a reviewer reads. */
      async preview() {
        const events: EngineEvent[] = []
        const onEvent = (event: EngineEvent) => events.push(event)
        const { changeSummary, stdout } = await local.stack.preview({ diff: true, onEvent })
        return { changes: changesIn(changeSummary), text: stdout, events }
      },
      destroy: () => operations.destroy(local.stack),
    }
  }

  return {
    /** The stack `local`. */
    local: (overrides: Overrides = {}) => open({ overrides }),
    /** A stack with the rules of permanent ones, whose `AUTH_SECRET` is sealed unless `config` has one. */
    async permanent(stack: string, config: Record<string, unknown>) {
      const template = join(state, `${stack}-template.yaml`)
      const secrets = { AUTH_SECRET: seal("s".repeat(64)), ...Object(config["accounts:secrets"]) }
      const sealed = { ...config, "accounts:secrets": secrets }
      writeFileSync(template, stringify({ ...keySettings, config: sealed }))
      return open({ stack, template })
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}

function changesIn(counts: Record<string, number | undefined>) {
  const { same: _, ...changes } = counts
  return changes
}

/** Opens a permanent stack with its resources in the account, like the commands for deployed stacks. */
export async function openDeployed({ state, project }: LocalStack): Promise<DeployedStack> {
  const { stack } = project
  const options = { state, apiPort: 0, port: 0, engine: undefined, stack, local: true }
  return await openDeployedStack(options)
}
