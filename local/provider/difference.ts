import { childPath, equal, isValues, type Value, type Values } from "./property-value.ts"
import type { Fields, Property } from "./property.ts"

export type Change = {
  path: string
  /** The top-level property that contains it. */
  property: string
  kind: "add" | "delete" | "update"
  replace: boolean
}

type Request = { fields: Fields; config: Values; prior: Values; proposed: Values }

/** The changes from the prior to the proposed state, and which of them replace the resource. */
export function difference({ fields, config, prior, proposed }: Request): Change[] {
  return Object.entries(fields).flatMap(([name, property]) => {
    const replace = replaces(property, {
      configured: config[name] !== undefined,
      prior: prior[name],
      proposed: proposed[name],
    })
    const place = { path: childPath("", name), property: name, replace }
    return compare(property, { prior: prior[name], proposed: proposed[name], place })
  })
}

type Place = { path: string; property: string; replace: boolean }
type Pair = { prior: Value | undefined; proposed: Value | undefined; place: Place }

function compare(property: Property, { prior, proposed, place }: Pair): Change[] {
  if (same(property, prior, proposed)) return []
  if (property.kind === "object" && isValues(prior) && isValues(proposed)) {
    return compareFields(property.fields, { prior, proposed, place })
  }
  if (property.kind === "map" && isValues(prior) && isValues(proposed)) {
    return compareEntries(property.item, { prior, proposed, place })
  }
  if (property.kind === "list" && Array.isArray(prior) && Array.isArray(proposed)) {
    return compareList(property.item, { prior, proposed, place })
  }
  if (property.kind === "set" && Array.isArray(prior) && Array.isArray(proposed)) {
    return compareSet(property.item, { prior, proposed, place })
  }
  return [changeOf({ prior, proposed, place })]
}

type Objects = { prior: Values; proposed: Values; place: Place }
type Lists = { prior: Value[]; proposed: Value[]; place: Place }

function compareEntries(item: Property, { prior, proposed, place }: Objects): Change[] {
  const keys = new Set([...Object.keys(prior), ...Object.keys(proposed)])
  return [...keys].flatMap((key) =>
    compareMember(item, {
      prior: prior[key],
      proposed: proposed[key],
      place: { ...place, path: childPath(place.path, key) },
    }),
  )
}

function compareList(item: Property, { prior, proposed, place }: Lists): Change[] {
  const length = Math.max(prior.length, proposed.length)
  return Array.from({ length }, (_, index) =>
    compareMember(item, {
      prior: prior[index],
      proposed: proposed[index],
      place: { ...place, path: childPath(place.path, index) },
    }),
  ).flat()
}

function compareFields(fields: Fields, { prior, proposed, place }: Objects): Change[] {
  return Object.entries(fields).flatMap(([name, property]) =>
    compare(property, {
      prior: prior[name],
      proposed: proposed[name],
      place: {
        ...place,
        path: childPath(place.path, name),
        replace: place.replace || property.replace === "always",
      },
    }),
  )
}

/** A member that is added or removed replaces if any of its fields would. */
function compareMember(item: Property, pair: Pair): Change[] {
  if (pair.prior !== undefined && pair.proposed !== undefined) return compare(item, pair)
  if (pair.prior === undefined && pair.proposed === undefined) return []
  const replace =
    item.kind === "object" && Object.values(item.fields).some((field) => field.replace)
  return [changeOf({ ...pair, place: { ...pair.place, replace: pair.place.replace || replace } })]
}

/** Members with a name are matched by name, others by equality. */
function compareSet(item: Property, { prior, proposed, place }: Lists): Change[] {
  const changes = proposed.flatMap((member, index) =>
    compareMember(item, {
      prior: prior.find((other) => sameMember(other, member)),
      proposed: member,
      place: { ...place, path: childPath(place.path, index) },
    }),
  )
  const gone = prior.flatMap((member, index) => {
    if (proposed.some((other) => sameMember(member, other))) return []
    const path = childPath(place.path, index)
    return compareMember(item, { prior: member, proposed: undefined, place: { ...place, path } })
  })
  return mergeByPath([...gone, ...changes])
}

/** One that went and one that came at the same index read as an update. */
function mergeByPath(changes: Change[]): Change[] {
  const merged = new Map<string, Change>()
  for (const change of changes) {
    const kind = merged.has(change.path) ? "update" : change.kind
    merged.set(change.path, { ...change, kind })
  }
  return [...merged.values()]
}

function changeOf({ prior, proposed, place }: Pair): Change {
  if (prior === undefined) return { ...place, kind: "add" }
  if (proposed === undefined) return { ...place, kind: "delete" }
  return { ...place, kind: "update" }
}

/** Ignores the order of sets and the formatting of JSON, as Cloudflare does. */
function same(property: Property, prior: Value | undefined, proposed: Value | undefined): boolean {
  if (equal(prior, proposed)) return true
  if (property.kind === "json" && typeof prior === "string" && typeof proposed === "string") {
    return canonicalJson(prior) === canonicalJson(proposed)
  }
  if (property.kind !== "set" || !Array.isArray(prior) || !Array.isArray(proposed)) return false
  return (
    prior.length === proposed.length &&
    proposed.every((member) => prior.some((other) => equal(member, other)))
  )
}

function sameMember(left: Value, right: Value): boolean {
  if (isValues(left) && isValues(right) && typeof left.name === "string") {
    return left.name === right.name
  }
  return equal(left, right)
}

type Rule = { configured: boolean; prior: Value | undefined; proposed: Value | undefined }

function replaces({ replace }: Property, { configured, prior, proposed }: Rule): boolean {
  if (replace === "bindings") return configured && !sameBindings(prior, proposed)
  return replace === "always" || (replace === "configured" && configured)
}

/** Ignores the order of bindings and the texts that were never read. */
function sameBindings(prior: Value | undefined, proposed: Value | undefined): boolean {
  if (!Array.isArray(prior) || !Array.isArray(proposed)) return prior === undefined
  return (
    prior.length === proposed.length &&
    prior.every((binding) => {
      const other = proposed.find((candidate) => sameMember(binding, candidate))
      if (!isValues(binding) || !isValues(other)) return false
      const text = binding.text ?? (holdsText(binding) ? other.text : undefined)
      return equal({ ...binding, text }, other)
    })
  )
}

function holdsText(binding: Values): boolean {
  return binding.type === "secret_text" || binding.type === "plain_text"
}

function canonicalJson(text: string): string {
  try {
    return JSON.stringify(sortKeys(JSON.parse(text)))
  } catch {
    return text
  }
}

function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys)
  if (typeof value !== "object" || value === null) return value
  const entries = Object.entries(value).toSorted(([left], [right]) => (left < right ? -1 : 1))
  return Object.fromEntries(entries.map(([key, item]) => [key, sortKeys(item)]))
}
