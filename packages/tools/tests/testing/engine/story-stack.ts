import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { mkdtempDisposable } from "node:fs/promises"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"

import { localCloudflareProcess } from "@accounts-stack/local/cloudflare/testing/local-cloudflare"
import { recordExchanges } from "@accounts-stack/local/cloudflare/testing/record-exchanges"
import { changeLog } from "@accounts-stack/local/cloudflare/testing/wire-log"
import * as cloudflare from "@pulumi/cloudflare"
import {
  type EngineEvent,
  LocalWorkspace,
  PulumiCommand,
  type Stack,
} from "@pulumi/pulumi/automation/index.js"
import * as z from "zod"

import { localEnvironment } from "../../../cli/engine/engine-environment.ts"
import { findEngine } from "../../../cli/engine/engine.ts"
import { preparePulumiHome } from "../../../cli/engine/pulumi-home.ts"
import { destroy, refresh } from "../../../cli/stack/stack.ts"
import { callAccount } from "../call-account.ts"
import { keySettings } from "../stacks/stack-key.ts"
import { readAccountSnapshot } from "./account-snapshot.ts"

export const name = "accounts-story"
export const zoneId = "7a6f6e656163636f756e747300000001"

type ResourceName = "database" | "worker" | "domain" | "route"

/** Changes to the program's usual arguments. */
export type Change = {
  database?: Partial<cloudflare.D1DatabaseArgs>
  worker?: Partial<cloudflare.WorkerArgs>
  domain?: Partial<cloudflare.WorkersCustomDomainArgs>
  route?: Partial<cloudflare.WorkersRouteArgs>
  imports?: Partial<Record<ResourceName, string>>
  /** Only these resources; the others are left out. */
  only?: string[]
  baseUrl?: string
}

/** Every resource of the provider, connected by data as in the real program. */
function program(accountId: string, baseUrl: string, change: Change) {
  const { only, imports = {} } = change
  return async () => {
    const provider = new cloudflare.Provider("cloudflare", { baseUrl: change.baseUrl ?? baseUrl })
    const options = (resource: ResourceName) => {
      const { [resource]: id } = imports
      return { provider, ...(id !== undefined && { import: id }) }
    }
    const isIncluded = (resource: ResourceName) => only?.includes(resource) ?? true

    new cloudflare.D1Database(
      "database",
      {
        accountId,
        name,
        primaryLocationHint: "weur",
        readReplication: { mode: "disabled" },
        ...change.database,
      },
      options("database"),
    )
    if (!isIncluded("worker")) return
    const worker = new cloudflare.Worker(
      "worker",
      { accountId, name, ...change.worker },
      options("worker"),
    )
    if (!isIncluded("domain")) return
    new cloudflare.WorkersCustomDomain(
      "domain",
      { accountId, hostname: "api.accounts.test", service: worker.name, zoneId, ...change.domain },
      options("domain"),
    )
    new cloudflare.WorkersRoute(
      "route",
      { zoneId, pattern: "accounts.test/api/*", script: worker.name, ...change.route },
      options("route"),
    )
  }
}

/** The real engine, a provider, a new local Cloudflare, and a directory for the program. */
export async function openStoryStack({
  choice,
  enginePath,
}: {
  choice: string
  enginePath: string | undefined
}) {
  const disposables = new AsyncDisposableStack()
  const directory = disposables.use(await mkdtempDisposable(join(tmpdir(), "provider-story-")))
  const recording = disposables.use(await recordExchanges(localCloudflareProcess))
  const { cloudflare: local } = recording
  const state = directory.path
  const engine = await findEngine({ enginePath })
  const { home } = await preparePulumiHome({
    root: join(state, "pulumi"),
    choice,
    baseUrl: local.api,
    engine: engine.command,
  })
  const { command } = engine
  const { accountId } = local
  const token = local.token
  const envVars = localEnvironment({
    state,
    home,
    engine: command,
    token,
    accountId,
    api: local.api,
  })
  // Providers are processes here: a relative path is one in their directory.
  const pulumiCommand = await PulumiCommand.get({ root: dirname(dirname(command)) })

  const infra = join(state, "infra")
  mkdirSync(infra)
  writeFileSync(join(state, "Pulumi.yaml"), "name: story\nruntime: nodejs\nmain: infra/\n")

  const stacks = new Map<string, Stack>()
  /** Opens a stack once: each time, the engine would start to select it. */
  async function open(stackName: string, change: Change = {}): Promise<Stack> {
    const stack = stacks.get(stackName) ?? (await create(stackName))
    stacks.set(stackName, stack)
    stack.workspace.program = program(accountId, local.api, change)
    return stack
  }
  const create = (stackName: string) =>
    LocalWorkspace.createStack(
      { stackName, projectName: "story", program: async () => {} },
      { workDir: state, envVars, pulumiCommand, secretsProvider: keySettings.secretsprovider },
    )

  /** Runs an operation; returns the operation and id per resource, and all info messages. */
  async function collectEvents(run: (onEvent: (event: EngineEvent) => void) => Promise<unknown>) {
    const ops: Record<string, string> = {}
    const ids: Record<string, string> = {}
    const messages: string[] = []
    await run(({ resourcePreEvent, resOutputsEvent, diagnosticEvent }) => {
      if (diagnosticEvent?.severity.startsWith("info")) messages.push(diagnosticEvent.message)
      const metadata = resourcePreEvent?.metadata ?? resOutputsEvent?.metadata
      if (!metadata?.type.startsWith("cloudflare:")) return
      const resource = metadata.urn.split("::").at(-1) ?? ""
      ops[resource] = /replace/.test(metadata.op) ? "replace" : metadata.op
      if (metadata.new?.id) ids[resource] = metadata.new.id
    })
    return { ops, ids, messages: messages.join("") }
  }

  /** Asks the account directly; paths of zones stand for themselves. */
  function request(
    path: string,
    call: { method?: "POST" | "PATCH" | "DELETE"; body?: unknown } = {},
  ) {
    const prefix = path.startsWith("/zones/") ? "" : `/accounts/${accountId}`
    // Each test knows the shape of its result and compares it completely.
    return callAccount(local, { ...call, path: prefix + path }, z.any())
  }

  return {
    cloudflare: local,

    async up(change: Change = {}, stackName = "story") {
      const stack = await open(stackName, change)
      return collectEvents((onEvent) => stack.up({ onEvent }))
    },

    async preview(change: Change, stackName = "story") {
      const stack = await open(stackName, change)
      return collectEvents((onEvent) => stack.preview({ onEvent }))
    },

    /** Number of resources by operation; `same` counts stack and provider too. */
    async refresh() {
      const stack = await open("story")
      return refresh(stack)
    },

    async destroy(stackName = "story") {
      const stack = await open(stackName)
      return destroy(stack)
    },

    /** The stack's file on disk: an export would decrypt secrets. */
    storedState: () =>
      readFileSync(join(state, "pulumi/state/.pulumi/stacks/story/story.json"), "utf8"),

    request,

    /** Requests that changed Cloudflare since the last call, without the test's own, and the resulting account. */
    async changes(): Promise<string> {
      const exchanges = (await recording.take()).filter(({ userAgent }) => userAgent !== "node")
      return changeLog(exchanges, await readAccountSnapshot(request, zoneId))
    },

    [Symbol.asyncDispose]: () => disposables.disposeAsync(),
  }
}
