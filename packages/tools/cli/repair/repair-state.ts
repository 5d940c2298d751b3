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
} from "./namesakes.ts"

export type AccountSite = Site & { api: Api }

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
  const adopt = nextCommand("repair --adopt", place)
  const before = await exportState(site)
  const { missing, found } = await findMissing(site, before)
  const doubtful = await findOwnershipDoubts(missing, { site, before })
  const { pending_operations: pending } = before.deployment
  // An import that was killed says nothing of who made it.
  const creations = pending.filter(({ type }) => type === "creating")
  const creatingTypes = new Set(creations.map(({ resource }) => resource.type))
  const text = doubtful.map(({ namesake, doubt }) => `  ${namesake.label}: ${doubt}`).join("\n")
  if (doubtful.some(({ namesake: { declared } }) => creatingTypes.has(declared?.type ?? ""))) {
    throw new Failure(
      "COMMAND_FAILED",
      `A run of the stack ${site.project.stack} was interrupted while it created what exists now, but perhaps by somebody else:\n${text}\n` +
        `If it is the stack's own, take it over: ${adopt}\n` +
        `If it is not, set accounts:name in the stack file to a name that is free, and repair the stack then.`,
    )
  }
  if (doubtful.length > 0) {
    say(`Left alone, since it may belong to someone else:\n${text}\nTo take it over: ${adopt}`)
  }
  sayRenamed(before, readSubject(site.project))
  const namesakes = missing.filter(
    (candidate) => !doubtful.some(({ namesake }) => namesake === candidate),
  )
  const imported = await importExisting(site, {
    missing: namesakes,
    found,
    state: place.state,
    before,
  })
  for (const { label } of namesakes) {
    say(`${paint.green("✓")} adopted ${label}, which a run had created without writing it down`)
  }
  return imported
}

/** The next `up` creates under the new name, and no stack uses resources with the former one. */
function sayRenamed({ deployment }: StoredState, { stack, environment }: Subject): void {
  const name = physicalName(stack, environment)
  for (const { resource } of deployment.pending_operations) {
    const { data: previousName } = z.string().safeParse(resource.inputs?.["name"])
    if (
      previousName === undefined ||
      previousName === name ||
      !/D1Database|:Worker$/.test(resource.type)
    ) {
      continue
    }
    say(`left alone: ${previousName}, if it was made, since accounts:name is ${name} now`)
  }
}

/**
 * Finds the account's resources under the stack's names, and those that belong to the stack but are missing
 * in its state.
 */
async function findMissing(
  { project, api }: Pick<AccountSite, "project" | "api">,
  before: StoredState,
): Promise<{ found: UnmanagedResource[]; missing: UnmanagedResource[] }> {
  const { resources } = before.deployment
  const namesakes = await findUnmanagedResources(readSubject(project), { api, allRoutes: false })
  // A database or a Worker in state has its place, whatever else has the name.
  const has = ({ kind, id, declared }: UnmanagedResource) =>
    resources.some(
      ({ type, id: stateId }) =>
        type === declared?.type && (stateId === id || kind === "database" || kind === "Worker"),
    )
  const isImportable = ({ declared, leadsTo }: UnmanagedResource) =>
    declared !== undefined && leadsTo === undefined
  return {
    found: namesakes,
    missing: namesakes.filter((namesake) => isImportable(namesake) && !has(namesake)),
  }
}

async function findOwnershipDoubts(
  missing: UnmanagedResource[],
  { site: { project, api }, before }: { site: AccountSite; before: StoredState },
): Promise<{ namesake: UnmanagedResource; doubt: string }[]> {
  const { accountId } = readSubject(project).environment
  const savedAt = before.deployment.manifest?.time
  const doubts = await Promise.all(
    missing.map(async (namesake) => ({
      namesake,
      doubt: await findOwnershipDoubt(namesake, { api, accountId, savedAt }),
    })),
  )
  const foreign = doubts.find(({ namesake, doubt }) => namesake.kind === "Worker" && doubt)
  return doubts.flatMap(({ namesake, doubt }) => {
    if (doubt !== undefined) return [{ namesake, doubt }]
    const leads = namesake.kind === "host" || namesake.kind === "route"
    return leads && foreign ? [{ namesake, doubt: "it leads to that Worker" }] : []
  })
}

/**
 * Runs an `up`, and if it fails, lists resources that the account has under the stack's names and the
 * stack's state has not. If the answer to a creation is lost, Cloudflare's provider sends it again and is
 * refused because the resource exists, so that it is neither in state nor pending there; every further `up`
 * would be refused too.
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
    // The failure is reported in any case.
    const place = { ...options, stack: site.project.stack }
    const existing = await describe(site, place).catch(() => [])
    const repair = nextCommand("repair", place)
    // Matches the message of the stand-in and of the official provider.
    const policy = /code"?: ?100342/.test(messageOf(error.cause))
    const text = [
      error.message,
      ...existing,
      ...(policy
        ? [
            `The state has a propagationPolicy that the stack file does not set. Remove it with: ${repair}`,
          ]
        : []),
    ]
    throw new Failure("COMMAND_FAILED", text.join("\n"), { cause: error.cause })
  }
}

async function describe(site: AccountSite, place: StackPlace): Promise<string[]> {
  const before = await exportState(site)
  const { missing } = await findMissing(site, before)
  const doubtful = await findOwnershipDoubts(missing, { site, before })
  const doubts = new Map(doubtful.map(({ namesake, doubt }) => [namesake, doubt]))
  const lines = missing.map(
    (namesake) =>
      `  ${namesake.label}: ${doubts.get(namesake) ?? "made by a run of this stack, by all signs"}`,
  )
  const repair = nextCommand("repair", place)
  const adopt = nextCommand("repair --adopt", place)
  return [
    ...(lines.length > 0
      ? ["The account has this already, and the stack's state does not:", ...lines]
      : []),
    ...(doubts.size < missing.length ? [`To import what this stack created, run: ${repair}`] : []),
    ...(doubts.size > 0
      ? [
          `If the rest belongs to this stack, import it with: ${adopt}. Otherwise set accounts:name to a name that is free.`,
        ]
      : []),
  ]
}

type ExistingResources = {
  /** Resources to import. */
  missing: UnmanagedResource[]
  /** All that the account has, whether or not it is in state. */
  found: UnmanagedResource[]
  /** Directory of all local state. */
  state: string
  before: StoredState
}

/** URNs of what is in state now, and of creations that never happened or are safe to repeat. */
export type ImportResult = { adopted: string[]; cleared: string[] }

/**
 * Takes resources of the account into a stack's state, as the engine imports them, and settles every
 * creation that a killed run left pending. Killed at any point, it starts over.
 */
export async function importExisting(
  site: Site,
  { missing, found, state, before }: ExistingResources,
): Promise<ImportResult> {
  const { resources: resourcesBefore } = before.deployment
  const declared = missing.flatMap((namesake) => namesake.declared ?? [])
  await importResources(site, { state, declared, known: resourcesBefore })
  const after = declared.length === 0 ? before : await exportState(site)
  const { pending_operations: pending, resources } = after.deployment
  const unused = unusedIdentities(resources)
  const remaining = resources.filter(({ urn }) => !unused.includes(urn))
  const settled = remaining.map((resource) => settle(resource, { missing, found }))
  const isUnchanged = isDeepStrictEqual(settled, resources)
  if (pending.length > 0 || !isUnchanged) {
    const deployment = { ...after.deployment, resources: settled, pending_operations: [] }
    await importState(site, { ...after, deployment })
  }
  const adopted = settled
    .filter((stateResource) => missing.some(isSame(stateResource)))
    .map(({ urn }) => urn)
  const createdUrns = pending
    .filter(({ type }) => type === "creating")
    .map(({ resource }) => resource.urn)
  const never = createdUrns.filter(
    (urn) => !settled.some((stateResource) => stateResource.urn === urn),
  )
  return { adopted, cleared: [...never, ...unused] }
}

export function isSame(resource: StoredResource): (namesake: UnmanagedResource) => boolean {
  return ({ declared, id }) => resource.type === declared?.type && resource.id === id
}

/**
 * The key that the bridge of the official provider reads in place of the outputs, so that changing them
 * requires deleting it.
 */
const rawState = "__pulumi_raw_state_delta"

/**
 * Restores the state that the creation would have left: an import protects everything, and writes a policy
 * into a Worker's traces that the account does not have. Cloudflare's provider would send it with the next
 * change, which Cloudflare refuses (403, 100342) if the account lacks the feature.
 */
function settle(
  resource: StoredResource,
  { missing, found }: Pick<ExistingResources, "missing" | "found">,
): StoredResource {
  const imported = missing.find(isSame(resource))
  const withProtection = imported
    ? { ...resource, protect: imported.declared?.protect ?? true }
    : resource
  const worker = found.find(isSame(resource))
  if (worker?.kind !== "Worker" || worker.propagationPolicy !== undefined) return withProtection
  if (policyIn(withProtection.outputs) === undefined) return withProtection
  const { [rawState]: _, ...outputs } = withoutPolicy(withProtection.outputs)
  return { ...withProtection, inputs: withoutPolicy(withProtection.inputs), outputs }
}

const Observed = z.looseObject({
  observability: z.looseObject({
    traces: z.looseObject({ propagationPolicy: z.string().nullish() }),
  }),
})

function policyIn(values: StoredResource["outputs"]): string | undefined {
  return Observed.safeParse(values).data?.observability.traces.propagationPolicy ?? undefined
}

function withoutPolicy(values: StoredResource["outputs"] = {}): Record<string, unknown> {
  const { data } = Observed.safeParse(values)
  if (!data) return values
  const { propagationPolicy: _, ...traces } = data.observability.traces
  return { ...data, observability: { ...data.observability, traces } }
}

/**
 * The record of a database that was refused or never made. It would refuse another name, location or
 * jurisdiction for a database that there is none of.
 */
function unusedIdentities(resources: StoredResource[]): string[] {
  const of = (type: string) => resources.filter((resource) => resource.type === type)
  if (of("cloudflare:index/d1Database:D1Database").length > 0) return []
  return of("accounts:index:DatabaseIdentity")
    .map(({ urn }) => urn)
    .filter((urn) => !resources.some(({ dependencies }) => dependencies?.includes(urn)))
}
