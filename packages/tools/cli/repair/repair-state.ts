import { isDeepStrictEqual } from "node:util"

import * as z from "zod"

import { Failure, isFailure, messageOf } from "../../base/failure.ts"
import type { Api } from "../../deploy/api.ts"
import { physicalName } from "../../environment/environment.ts"
import { nextCommand, type StackPlace } from "../local-options.ts"
import { paint, say } from "../output.ts"
import {
  exportState,
  type Site,
  type StoredState,
  importResources,
  importState,
  type StoredResource,
} from "../stack/stored-state.ts"
import {
  findOwnershipDoubt,
  findUnmanagedResources,
  type UnmanagedResource,
  readSubject,
  type Subject,
} from "./unmanaged-resources.ts"

export type AccountSite = Site & { api: Api }

type MissingResource = UnmanagedResource & {
  /** Why it may belong to someone else. */
  doubt?: string | undefined
}

/** The account's resources under the names of a stack, compared with its state. */
type Comparison = {
  subject: Subject
  before: StoredState
  /** Resources of the account, in state or not. */
  existing: UnmanagedResource[]
  /** Resources that belong to the stack and are missing in its state. */
  missing: MissingResource[]
}

async function compare(site: AccountSite): Promise<Comparison> {
  const { api, project } = site
  const before = await exportState(site)
  const subject = readSubject(project)
  const existing = await findUnmanagedResources(subject, { api, allRoutes: false })
  // A stack has one database and one Worker, so neither is missing if state has it.
  const isManaged = ({ kind, id, declared }: UnmanagedResource) =>
    before.deployment.resources.some(
      ({ type, id: stateId }) =>
        type === declared?.type && (stateId === id || kind === "database" || kind === "Worker"),
    )
  const { accountId } = subject.environment
  const savedAt = before.deployment.manifest?.time
  const missing = await Promise.all(
    existing
      .filter(({ declared, leadsTo }) => declared !== undefined && leadsTo === undefined)
      .filter((resource) => !isManaged(resource))
      .map(async (resource): Promise<MissingResource> => {
        const doubt = await findOwnershipDoubt(resource, { api, accountId, savedAt })
        return Object.assign(resource, { doubt })
      }),
  )
  const isWorkerDoubted = missing.some(({ kind, doubt }) => kind === "Worker" && doubt)
  for (const resource of isWorkerDoubted ? missing : []) {
    const leads = resource.kind === "host" || resource.kind === "route"
    if (leads) resource.doubt ??= "it leads to that Worker"
  }
  return { subject, before, existing, missing }
}

/**
 * Imports resources that a run created but did not record, because it failed or was killed, and clears
 * every other pending creation: the next `up` repeats it.
 * @throws Failure, with nothing changed, when a resource that a killed run was creating may belong to
 * someone else
 */
export async function repairState(
  site: AccountSite,
  place: Required<StackPlace>,
): Promise<ImportResult> {
  const { subject, before, existing, missing } = await compare(site)
  const adopt = nextCommand("repair --adopt", place)
  const doubtful = missing.filter(({ doubt }) => doubt !== undefined)
  const text = doubtful.map(({ label, doubt }) => `  ${label}: ${doubt}`).join("\n")
  // A killed import does not show who created the resource, so only pending creations count.
  const creations = before.deployment.pending_operations.filter(({ type }) => type === "creating")
  const creatingTypes = new Set(creations.map(({ resource }) => resource.type))
  if (doubtful.some(({ declared }) => creatingTypes.has(declared?.type ?? ""))) {
    throw new Failure(
      "COMMAND_FAILED",
      `A run of the stack ${subject.stack} was interrupted while it created resources that exist now, but another client may have created them:\n${text}\n` +
        `If it is the stack's own, take it over: ${adopt}\n` +
        `If it is not, set accounts:name in the stack file to a name that is free, and repair the stack then.`,
    )
  }
  if (doubtful.length > 0) {
    say(`Left alone, since it may belong to someone else:\n${text}\nTo take it over: ${adopt}`)
  }
  sayRenamed(before, subject)
  const ownResources = missing.filter(({ doubt }) => doubt === undefined)
  const imported = await importExisting(site, {
    missing: ownResources,
    existing,
    state: place.state,
    before,
  })
  for (const { label } of ownResources) {
    say(`${paint.green("✓")} adopted ${label}, which a run had created without writing it down`)
  }
  return imported
}

/** Reports resources of a former name: the next `up` uses the new name, and no stack manages them. */
function sayRenamed({ deployment }: StoredState, { stack, environment }: Subject): void {
  const name = physicalName(stack, environment)
  for (const { resource } of deployment.pending_operations) {
    const previousName = resource.inputs?.["name"]
    const isNamed = /D1Database|:Worker$/.test(resource.type) && typeof previousName === "string"
    if (!isNamed || previousName === name) continue
    say(`left alone: ${previousName}, if it was made, since accounts:name is ${name} now`)
  }
}

/**
 * Runs an `up`. If it fails, lists the account's resources under the stack's names that its state lacks.
 * If the response to a creation is lost, Cloudflare's provider retries and is refused because the resource
 * exists. It is then neither in state nor pending, and every further `up` is refused.
 */
export async function withUnmanagedReport<Result>(
  site: AccountSite,
  { signal, ...options }: Omit<StackPlace, "stack"> & { signal?: AbortSignal },
  act: () => Promise<Result>,
): Promise<Result> {
  try {
    return await act()
  } catch (error) {
    if (!isFailure(error, "COMMAND_FAILED") || signal?.aborted === true) throw error
    const place = { ...options, stack: site.project.stack }
    const repair = nextCommand("repair", place)
    // A failed comparison must not hide the failure itself.
    const { missing } = await compare(site).catch((): { missing: MissingResource[] } => {
      return { missing: [] }
    })
    const lines = missing.map(
      ({ label, doubt = "made by a run of this stack, by all signs" }) => `  ${label}: ${doubt}`,
    )
    if (lines.length > 0) {
      lines.unshift("The account has this already, and the stack's state does not:")
    }
    if (missing.some(({ doubt }) => doubt === undefined)) {
      lines.push(`To import what this stack created, run: ${repair}`)
    }
    if (missing.some(({ doubt }) => doubt !== undefined)) {
      lines.push(
        `If the rest belongs to this stack, import it with: ${nextCommand("repair --adopt", place)}. Otherwise set accounts:name to a name that is free.`,
      )
    }
    // Matches the message of the stand-in and of the official provider.
    if (/code"?: ?100342/.test(messageOf(error.cause))) {
      lines.push(
        `The state has a propagationPolicy that the stack file does not set. Remove it with: ${repair}`,
      )
    }
    throw new Failure("COMMAND_FAILED", [error.message, ...lines].join("\n"), {
      cause: error.cause,
    })
  }
}

type ExistingResources = {
  /** Resources to import. */
  missing: UnmanagedResource[]
  /** All resources of the account under the stack's names, in state or not. */
  existing: UnmanagedResource[]
  /** Directory of all local state. */
  state: string
  before: StoredState
}

/** URNs of imported resources, and of creations that never happened or are safe to repeat. */
export type ImportResult = { adopted: string[]; cleared: string[] }

/**
 * Imports resources of the account into a stack's state, and settles every creation that a killed run left
 * pending. If this is killed, the next run starts over.
 */
export async function importExisting(
  site: Site,
  { missing, existing, state, before }: ExistingResources,
): Promise<ImportResult> {
  const declared = missing.flatMap((unmanaged) => unmanaged.declared ?? [])
  await importResources(site, { state, declared, before: before.deployment.resources })
  const after = declared.length === 0 ? before : await exportState(site)
  const { pending_operations: pending, resources } = after.deployment
  const unused = unusedIdentities(resources)
  const settled = resources
    .filter(({ urn }) => !unused.includes(urn))
    .map((resource) => settle(resource, { missing, existing }))
  if (pending.length > 0 || !isDeepStrictEqual(settled, resources)) {
    const deployment = { ...after.deployment, resources: settled, pending_operations: [] }
    await importState(site, { ...after, deployment })
  }
  const urns = new Set(settled.map(({ urn }) => urn))
  const never = pending
    .filter(({ type, resource }) => type === "creating" && !urns.has(resource.urn))
    .map(({ resource }) => resource.urn)
  const adopted = settled.filter((resource) => missing.some(isSame(resource)))
  return { adopted: adopted.map(({ urn }) => urn), cleared: [...never, ...unused] }
}

export function isSame(resource: StoredResource): (unmanaged: UnmanagedResource) => boolean {
  return ({ declared, id }) => resource.type === declared?.type && resource.id === id
}

/**
 * Key that the official provider's bridge reads instead of the outputs. It is deleted so that changed outputs
 * take effect.
 */
const rawState = "__pulumi_raw_state_delta"

/**
 * Restores the state that a creation would have left. An import protects everything, and adds a policy to a
 * Worker's traces that the account does not have. Cloudflare's provider would send it with the next change,
 * which Cloudflare refuses (403, 100342) if the account lacks the feature.
 */
function settle(
  resource: StoredResource,
  { missing, existing }: Pick<ExistingResources, "missing" | "existing">,
): StoredResource {
  const imported = missing.find(isSame(resource))
  const settled = imported ? { ...resource, protect: imported.declared?.protect ?? true } : resource
  const worker = existing.find(isSame(resource))
  const policy = Observed.safeParse(settled.outputs).data?.observability.traces.propagationPolicy
  if (worker?.kind !== "Worker" || worker.propagationPolicy !== undefined || !policy) return settled
  const { [rawState]: _, ...outputs } = withoutPolicy(settled.outputs)
  return { ...settled, inputs: withoutPolicy(settled.inputs), outputs }
}

const Observed = z.looseObject({
  observability: z.looseObject({
    traces: z.looseObject({ propagationPolicy: z.string().nullish() }),
  }),
})

function withoutPolicy(values: StoredResource["outputs"] = {}): Record<string, unknown> {
  const { data } = Observed.safeParse(values)
  if (!data) return values
  const { propagationPolicy: _, ...traces } = data.observability.traces
  return { ...data, observability: { ...data.observability, traces } }
}

/**
 * Returns URNs of `DatabaseIdentity` resources whose database was refused or never created. They would refuse
 * another name, location or jurisdiction for a database that does not exist.
 */
function unusedIdentities(resources: StoredResource[]): string[] {
  if (resources.some(({ type }) => type === "cloudflare:index/d1Database:D1Database")) return []
  return resources
    .filter(({ type }) => type === "accounts:index:DatabaseIdentity")
    .map(({ urn }) => urn)
    .filter((urn) => !resources.some(({ dependencies }) => dependencies?.includes(urn)))
}
