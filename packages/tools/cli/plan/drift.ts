import { isDeepStrictEqual } from "node:util"

import { signatureKey } from "@accounts-stack/pulumi-host/properties"
import * as z from "zod"

import {
  type Deployment,
  describeMove,
  type Move,
  type OwnMove,
  unreleased,
} from "../../deploy/release/deployments.ts"
import { describe, describeBinding } from "./content.ts"
import type { Properties, Step } from "./step.ts"

/** A value in the account that differs from the state of the last `up`. */
export type Drift = {
  resource: string
  key: string
  recorded: string | undefined
  found: string | undefined
}

/**
 * Outputs by resource type that show the live state; all other outputs are derived. A Worker's inputs do not
 * suffice, because Cloudflare's provider reads only those members of a list that the program declared.
 */
const watched: Record<string, string[]> = {
  Worker: ["observability", "tags", "tailConsumers"],
  Version: ["serving"],
  Release: ["versionId", "unconfirmed"],
  Migrations: ["files"],
}

/** Input of a version with texts for refusals, which the account does not store. */
const notLive = "lasting"

export function describeDrift({ key, recorded, found }: Drift): string {
  if (found === "gone") return "gone"
  return `${key} is ${found ?? "missing"}, and was ${recorded ?? "missing"}`
}

export function findDrift(refreshed: Step[]): Drift[] {
  return refreshed.filter(({ internal }) => !internal).flatMap(driftOf)
}

function driftOf({ type, name, before, after }: Step): Drift[] {
  const resource = `${type} ${name}`
  if (before === undefined) return []
  if (after === undefined) {
    return [{ resource, key: "itself", recorded: "there", found: "gone" }]
  }
  const hidden = new Set([
    ...(after.hideDiffs ?? []),
    ...(before.hideDiffs ?? []),
    "__defaults",
    notLive,
  ])
  const inputs = differencesIn(flattened(before.inputs), flattened(after.inputs))
  const outputs = differencesIn(
    pick(before.outputs, watched[type] ?? []),
    pick(after.outputs, watched[type] ?? []),
  )
  const outputKeys = new Set(outputs.map(({ key }) => key))
  return [...inputs.filter(({ key }) => !outputKeys.has(key)), ...outputs]
    .filter(({ key }) => !hidden.has(key))
    .map(({ key, recorded, found }) => ({ resource, key, recorded, found }))
}

/** Replaces `bindings` by one property for each binding. */
function flattened({ bindings, ...inputs }: Properties): Properties {
  const { data = {} } = z.record(z.string(), z.unknown()).safeParse(bindings)
  const byName = Object.entries(data).map(
    ([name, binding]) => [`binding ${name}`, binding] as const,
  )
  return { ...inputs, ...Object.fromEntries(byName) }
}

function pick(properties: Properties, keys: string[]): Properties {
  return Object.fromEntries(keys.map((key) => [key, properties[key]]))
}

function differencesIn(before: Properties, after: Properties) {
  return [...new Set([...Object.keys(before), ...Object.keys(after)])]
    .toSorted()
    .filter((key) => !isDeepStrictEqual(comparable(key, before[key]), comparable(key, after[key])))
    .map((key) => ({ key, recorded: shown(key, before[key]), found: shown(key, after[key]) }))
}

/** Cloudflare does not always return the default (terraform-provider-cloudflare 5.22.0, worker/resource.go:187). */
const Observability = z.looseObject({
  traces: z.looseObject({ propagationPolicy: z.string().default("authenticated") }),
})

/** Sorts tags and tail consumers, which Cloudflare stores as sets. */
function comparable(key: string, value: unknown): unknown {
  if (key === "observability") return Observability.safeParse(value).data ?? value
  const isSet = ["tags", "tailConsumers"].includes(key) && Array.isArray(value)
  return isSet ? value.map((member) => JSON.stringify(member)).toSorted() : value
}

const Files = z.array(z.object({ name: z.string() })).nonempty()
const Secret = z.union([
  z.looseObject({ [signatureKey]: z.string() }),
  z.looseObject({ type: z.literal("secret_text") }),
])

function shown(key: string, value: unknown): string | undefined {
  if (Secret.safeParse(value).success) return "a secret"
  const { data: files } = Files.safeParse(value)
  if (files) return files.map(({ name }) => name).join(", ")
  const [, binding] = /^binding (.+)$/.exec(key) ?? []
  return binding === undefined ? describe(value) : describeBinding(binding, value)
}

/**
 * Separates drift that a command of this project or a failed release left from changes by others.
 * @param command the command line of a verb for the same stack
 */
export function explainDrift(
  { drift, live }: { drift: Drift[]; live?: Deployment | null | undefined },
  command?: (verb: string) => string,
): { own: OwnMove | undefined; rows: Drift[] } {
  const drifts = drift.filter(({ key }) => key !== "unconfirmed")
  const move = live
    ? (describeMove(live, command) ?? notReleased(drifts, live, command))
    : undefined
  const moved = move === undefined ? undefined : movedBy(move.move)
  const rows = drifts.filter(({ resource }) => !moved?.test(resource))
  return { own: rows.length === drifts.length ? undefined : move, rows }
}

/** Returns a move if an `up` failed between the upload of its version and the release. */
function notReleased(drifts: Drift[], live: Deployment, command?: (verb: string) => string) {
  const isUploaded = drifts.some(
    ({ resource, found }) => resource.startsWith("Version ") && found !== "gone",
  )
  const isReleased = drifts.some(({ resource }) => resource.startsWith("Release "))
  if (!isUploaded || isReleased || live.split.length > 1) return undefined
  return unreleased(live, command)
}

/** Matches the resources whose drift a move explains. */
function movedBy(move: Move): RegExp {
  const back = move === "restore" || move === "standIn"
  return back ? /^(?:Version|Release|Migrations) / : /^(?:Version|Release) /
}
