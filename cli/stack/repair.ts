import { existsSync } from "node:fs"
import { join } from "node:path"

import type { Stack } from "@pulumi/pulumi/automation/index.js"
import * as z from "zod"

import { cloudflareApi } from "../../infra/environment/rules.ts"
import { backendDirectory } from "../engine/engine-environment.ts"
import type { LocalOptions } from "../local-options.ts"
import { paint, say } from "../output.ts"
import { readIfExists } from "../process/read-file.ts"
import { removeDeadLocks } from "./dead-locks.ts"
import { openLocalStack, type LocalStack } from "./local-stack.ts"
import { findCreated, type PendingCreate } from "./pending-creates.ts"
import { expectKnown, fillIn, isPreview, listPreviews, previewTemplate } from "./preview-stack.ts"
import type { Overrides } from "./project.ts"
import { openRemotePreview, openRemoteStack, type RemoteStack } from "./remote-stack.ts"
import { refresh } from "./stack.ts"

const Resource = z.looseObject({
  urn: z.string(),
  type: z.string(),
  inputs: z.record(z.string(), z.unknown()).default({}),
})
type Resource = z.infer<typeof Resource>

/** The parts of a stack's state that repair reads; it writes the rest back unchanged. */
const State = z.looseObject({
  resources: z.array(z.unknown()).default([]),
  pending_operations: z.array(z.object({ type: z.string(), resource: Resource })).default([]),
})

export type Repair = {
  /** Number of removed locks. */
  locks: number
  /** URNs of resources that an interrupted run had created and that are in state now. */
  adopted: string[]
  /** URNs of creations that never happened, or that are safe to repeat. */
  cleared: string[]
}

/** Repairs `local`, a preview of this machine (`local: true`), or a stack at Cloudflare with the caller's token. */
export async function repairStack(
  name: string,
  options: LocalOptions & { local: boolean },
): Promise<Repair> {
  return name === "local" || options.local
    ? await repairLocal(name, options)
    : await repairRemote(name, options)
}

export function redeployCommand(stack: string, local: boolean): string {
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
  return await repairLocalStack(local)
}

/** As it was deployed last, or from the template if another clone deployed it. */
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
    ...(await repairState({ stack, api: { baseUrl: cloudflareApi, token } })),
  }
}

async function knownPreview(stack: string, options: LocalOptions): Promise<RemoteStack> {
  expectKnown(stack, await listPreviews({ ...options, local: false }))
  return await openRemotePreview(stack, { ...options, template: previewTemplate({ local: false }) })
}

/** Prints only what it repairs. */
export async function repairLocalStack({ stack, state, cloudflare }: LocalStack): Promise<Repair> {
  const locks = removeDeadLocks({ backend: backendDirectory(state), stack: stack.name })
  // The engine's export takes as long as half an `up`.
  if (!mayHavePending({ backend: backendDirectory(state), stack: stack.name })) {
    return { locks, adopted: [], cleared: [] }
  }
  const { api, token } = cloudflare
  return { locks, ...(await repairState({ stack, api: { baseUrl: api, token } })) }
}

/** False only if the stored state shows that no operation is pending. */
function mayHavePending({ backend, stack }: { backend: string; stack: string }): boolean {
  const state = readIfExists(join(backend, ".pulumi/stacks/accounts", `${stack}.json`))
  return state === undefined || state.includes('"pending_operations"')
}

/**
 * Settles the creations that an interrupted run left pending: a resource that exists is adopted into
 * state; any other pending creation is cleared, and the next `up` repeats it.
 */
async function repairState(site: {
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
  // `pulumi refresh --import-pending-creates` marks them but drops them again, so this edits the state.
  const adopted = settled.flatMap(({ resource, id }) =>
    id ? [{ ...resource, id, outputs: resource.inputs }] : [],
  )
  const resources = [...state.resources, ...adopted]
  await stack.importStack({
    ...exported,
    deployment: { ...state, resources, pending_operations: [] },
  })
  // Reads the outputs of the adopted resources.
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
