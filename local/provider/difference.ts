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
    const replace =
      property.replace === "always" ||
      (property.replace === "configured" && config[name] !== undefined)
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

/** Ignores the order of sets, as Cloudflare does. */
function same(property: Property, prior: Value | undefined, proposed: Value | undefined): boolean {
  if (equal(prior, proposed)) return true
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
