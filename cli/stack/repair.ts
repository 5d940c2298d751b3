import { existsSync, readdirSync, rmSync } from "node:fs"
import { hostname } from "node:os"
import { join } from "node:path"

import type { Stack } from "@pulumi/pulumi/automation/index.js"
import * as z from "zod"

import { cloudflareApi } from "../../infra/environment/rules.ts"
import { backendDirectory } from "../engine/engine-environment.ts"
import { Locked, paint, print, say } from "../output.ts"
import { alive } from "../process/alive.ts"
import { parseJson, readIfThere } from "../process/file.ts"
import { openLocalStack, type LocalOptions, type LocalStack } from "./local-stack.ts"
import { findCreated, type PendingCreate } from "./pending-creates.ts"
import {
  expectKnown,
  fillIn,
  isPreview,
  listPreviews,
  openRemotePreview,
  previewTemplate,
} from "./preview-stack.ts"
import type { Overrides } from "./project.ts"
import { openRemoteStack, type RemoteStack } from "./remote-stack.ts"
import { refresh } from "./stack.ts"

const Lock = z.object({
  pid: z.number(),
  username: z.string(),
  hostname: z.string(),
  timestamp: z.string(),
})

const Resource = z.looseObject({
  urn: z.string(),
  type: z.string(),
  inputs: z.record(z.string(), z.unknown()).default({}),
})
type Resource = z.infer<typeof Resource>

/** What repair has to know of a stack's state; the rest goes back as it came. */
const State = z.looseObject({
  resources: z.array(z.unknown()).default([]),
  pending_operations: z.array(z.object({ type: z.string(), resource: Resource })).default([]),
})

export type Repair = {
  /** Locks of dead processes that were removed. */
  locks: number
  /** Resources that an interrupted run had created, now in state. URNs. */
  adopted: string[]
  /** Creations that never happened, or that are safe to repeat. URNs. */
  cleared: string[]
}

/** Mends a stack and tells what was done; `local` and previews of this machine need no token of the caller. */
export async function repair(
  name: string,
  options: LocalOptions & { json: boolean; local: boolean },
): Promise<void> {
  const done =
    name === "local" || options.local
      ? await repairLocal(name, options)
      : await repairRemote(name, options)
  if (options.json) return print(JSON.stringify(done))
  if (done.locks + done.adopted.length + done.cleared.length === 0) return say("Nothing to repair.")
  say(`Repaired. Bring it up again: ${bringingUp(name, options)}`)
}

function bringingUp(stack: string, { local }: { local: boolean }): string {
  if (stack === "local") return "npm start"
  if (!isPreview(stack)) return `pulumi up -s ${stack}`
  return `./accounts preview up${local ? " --local" : ""}, on its branch`
}

async function repairLocal(name: string, options: LocalOptions): Promise<Repair> {
  if (name !== "local") expectKnown(name, await listPreviews({ ...options, local: true }))
  await using local = await openLocalStack(
    options,
    name === "local" ? {} : localPreview(name, options),
  )
  return await mendLocal(local)
}

/** As it was brought up last, or from the template where that was in another clone. */
function localPreview(
  stack: string,
  { state }: LocalOptions,
): { stack: string; template: string; overrides: Overrides } {
  const last = join(state, "projects", stack, `Pulumi.${stack}.yaml`)
  const template = existsSync(last) ? last : previewTemplate({ local: true })
  return { stack, template, overrides: fillIn(template, stack) }
}

async function repairRemote(name: string, options: LocalOptions): Promise<Repair> {
  const { stack } = isPreview(name)
    ? await knownPreview(name, options)
    : await openRemoteStack({ stack: name, ...options })
  const token = process.env["CLOUDFLARE_API_TOKEN"] ?? ""
  return {
    locks: 0,
    ...(await mendState({ stack, api: { baseUrl: cloudflareApi, token } })),
  }
}

async function knownPreview(stack: string, options: LocalOptions): Promise<RemoteStack> {
  expectKnown(stack, await listPreviews({ ...options, local: false }))
  return await openRemotePreview(stack, { ...options, template: previewTemplate({ local: false }) })
}

/** Mends a local stack that a killed run left behind; says nothing where nothing is wrong. */
export async function mendLocal({ stack, state, cloudflare }: LocalStack): Promise<Repair> {
  const locks = removeDeadLocks({ backend: backendDirectory(state), stack: stack.name })
  // Asking the engine takes as long as half an `up`, and nearly always for nothing.
  if (!mayBeOpen({ backend: backendDirectory(state), stack: stack.name })) {
    return { locks, adopted: [], cleared: [] }
  }
  const { api, token } = cloudflare
  return { locks, ...(await mendState({ stack, api: { baseUrl: api, token } })) }
}

/** False only where the state says by its own text that no operation was left open. */
function mayBeOpen({ backend, stack }: { backend: string; stack: string }): boolean {
  const state = readIfThere(join(backend, ".pulumi/stacks/accounts", `${stack}.json`))
  return state === undefined || state.includes('"pending_operations"')
}

/**
 * Settles what an interrupted run left open: a resource that was created without state knowing is adopted,
 * any other open creation is forgotten and will be made by the next `up`.
 */
async function mendState(site: {
  stack: Stack
  api: { baseUrl: string; token: string }
}): Promise<Omit<Repair, "locks">> {
  const { stack, api } = site
  const exported = await stack.exportStack()
  const state = State.parse(exported.deployment)
  const creating = state.pending_operations.filter(({ type }) => type === "creating")
  if (state.pending_operations.length === 0) return { adopted: [], cleared: [] }
  const settled = await Promise.all(
    creating.map(async ({ resource }) => ({
      resource,
      id: await findCreated(asPending(resource), api),
    })),
  )
  // `pulumi refresh --import-pending-creates` marks them but drops them again: the state is edited instead.
  const adopted = settled.flatMap(({ resource, id }) =>
    id ? [{ ...resource, id, outputs: resource.inputs }] : [],
  )
  const resources = [...state.resources, ...adopted]
  await stack.importStack({
    ...exported,
    deployment: { ...state, resources, pending_operations: [] },
  })
  // Reads every resource, so that what was adopted gets its outputs.
  await refresh(stack)
  for (const { type, urn } of adopted) {
    say(
      `${paint.green("✓")} adopted ${type.split(":").at(-1)} ${urn.split("::").at(-1)}, which an interrupted run had created`,
    )
  }
  return {
    adopted: adopted.map(({ urn }) => urn),
    cleared: settled.filter(({ id }) => !id).map(({ resource }) => resource.urn),
  }
}

function asPending({ urn, type, inputs }: Resource): PendingCreate {
  const text = Object.entries(inputs).filter(
    (entry): entry is [string, string] => typeof entry[1] === "string",
  )
  return { urn, type, inputs: Object.fromEntries(text) }
}

/** A `file://` backend keeps the lock of a killed run for ever. Only a lock whose process is gone is removed. */
function removeDeadLocks({ backend, stack }: { backend: string; stack: string }): number {
  const directory = join(backend, ".pulumi", "locks", "organization", "accounts", stack)
  if (!existsSync(directory)) return 0
  let removed = 0
  for (const name of readdirSync(directory)) {
    const path = join(directory, name)
    const written = readIfThere(path)
    // A run that ends in this moment takes its lock along.
    if (written === undefined) continue
    // Half a lock is one of a run that was killed while it wrote it.
    const { data: lock } = Lock.safeParse(parseJson(written))
    if (lock && (lock.hostname !== hostname() || alive(lock.pid))) {
      throw new Locked(
        `The stack ${stack} is locked by process ${lock.pid} of ${lock.username} on ${lock.hostname} since ${lock.timestamp}. ` +
          "Wait for it, or end it, then run this again.",
      )
    }
    rmSync(path, { force: true })
    removed += 1
    say(
      `${paint.green("✓")} removed the lock of a run that was killed${lock ? ` (process ${lock.pid})` : ""}`,
    )
  }
  return removed
}
