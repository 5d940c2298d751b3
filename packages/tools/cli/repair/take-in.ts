import { isDeepStrictEqual } from "node:util"

import * as z from "zod"

import {
  type Site,
  type StoredResource,
  type StoredState,
  exportState,
  importResources,
  importState,
} from "../stack/stored-state.ts"
import type { Namesake } from "./namesakes.ts"

type Wish = {
  /** What to take in. */
  missing: Namesake[]
  /** All that the account has, whether or not it is in state. */
  found: Namesake[]
  /** Directory of all local state. */
  state: string
  before: StoredState
}

/** URNs of what is in state now, and of creations that never happened or are safe to repeat. */
export type Taken = { adopted: string[]; cleared: string[] }

/**
 * Takes resources of the account into a stack's state, as the engine imports them, and settles every
 * creation that a killed run left pending. Killed at any point, it starts over.
 */
export async function takeIn(site: Site, { missing, found, state, before }: Wish): Promise<Taken> {
  const { resources: known } = before.deployment
  const declared = missing.flatMap((one) => one.declared ?? [])
  await importResources(site, { state, declared, known })
  const after = declared.length === 0 ? before : await exportState(site)
  const { pending_operations: pending, resources } = after.deployment
  const unused = unusedIdentities(resources)
  const kept = resources.filter(({ urn }) => !unused.includes(urn))
  const settled = kept.map((resource) => settle(resource, { missing, found }))
  const same = isDeepStrictEqual(settled, resources)
  if (pending.length > 0 || !same) {
    const deployment = { ...after.deployment, resources: settled, pending_operations: [] }
    await importState(site, { ...after, deployment })
  }
  const adopted = settled.filter((one) => missing.some(isSame(one))).map(({ urn }) => urn)
  const begun = pending
    .filter(({ type }) => type === "creating")
    .map(({ resource }) => resource.urn)
  const never = begun.filter((urn) => !settled.some((one) => one.urn === urn))
  return { adopted, cleared: [...never, ...unused] }
}

export function isSame(resource: StoredResource): (found: Namesake) => boolean {
  return ({ declared, id }) => resource.type === declared?.type && resource.id === id
}

/** What the bridge of the official provider reads in place of the outputs, so that a change of them needs it gone. */
const rawState = "__pulumi_raw_state_delta"

/**
 * As the creation would have left it: an import protects everything, and writes a policy into a Worker's
 * traces that the account does not have. Cloudflare's provider would send it with the next change, which
 * Cloudflare refuses (403, 100342) where the account lacks the feature.
 */
function settle(
  resource: StoredResource,
  { missing, found }: Pick<Wish, "missing" | "found">,
): StoredResource {
  const imported = missing.find(isSame(resource))
  const own = imported ? { ...resource, protect: imported.declared?.protect ?? true } : resource
  const worker = found.find(isSame(resource))
  if (worker?.kind !== "Worker" || worker.propagationPolicy !== undefined) return own
  if (policyIn(own.outputs) === undefined) return own
  const { [rawState]: _, ...outputs } = withoutPolicy(own.outputs)
  return { ...own, inputs: withoutPolicy(own.inputs), outputs }
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
