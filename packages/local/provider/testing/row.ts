import { childPath } from "@accounts-stack/pulumi-host/properties"

import { jsonName, type JsonObject } from "../api-json.ts"
import type { Fields, Property } from "../property.ts"

/** A property of a resource, where it is in a program and where in Cloudflare's JSON. */
export type Row = {
  path: string
  keys: string[]
  property: Property
  /** The properties on the way to it, with itself. */
  within: Property[]
  /** Whether its change replaces the resource. */
  replaces: boolean
  value: (outputs: unknown) => unknown
  json: (body: unknown) => unknown
}

/** Every property, also those inside objects; the members of lists belong to their list. */
export function rowsOf(
  fields: Fields,
  above: Pick<Row, "keys" | "within" | "replaces"> = top,
): Row[] {
  const rows: Row[] = []
  for (const [name, property] of Object.entries(fields)) {
    const keys = [...above.keys, name]
    const within = [...above.within, property]
    const replaces = above.replaces || property.replace !== undefined
    rows.push({
      path: keys.reduce<string>(childPath, ""),
      keys,
      property,
      within,
      replaces,
      value: (outputs) => pick(outputs, keys),
      json: (body) => pick(body, keys.map(jsonName)),
    })
    if ("fields" in property) rows.push(...rowsOf(property.fields, { keys, within, replaces }))
  }
  return rows
}

const top = { keys: [], within: [], replaces: false }

/** An answer with a value for every property. */
export function sampleAnswer(fields: Fields, variant: "one" | "other"): JsonObject {
  const answeredFields = Object.entries(fields).filter(([, { where }]) => where === undefined)
  return Object.fromEntries(
    answeredFields.map(([name, property]) => [
      jsonName(name),
      sampleJson(property, { name, variant }),
    ]),
  )
}

type Sample = { name: string; variant: "one" | "other" }

function sampleJson(property: Property, { name, variant }: Sample): JsonObject[string] {
  if (/(?:On|At)$/.test(name)) return `2026-01-0${variant === "one" ? 1 : 2}T00:00:00Z`
  if ("fields" in property) return sampleAnswer(property.fields, variant)
  if ("item" in property) return [sampleJson(property.item, { name: "", variant })]
  if (property.kind === "number") return variant === "one" ? 1 : 2
  if (property.kind === "boolean") return variant === "one"
  const [first = "one", second = "other"] = property.oneOf ?? []
  return variant === "one" ? first : second
}

/** The answer with another value of one property. */
export function answerWith(answer: JsonObject, { keys, property }: Row): JsonObject {
  const name = keys.at(-1) ?? ""
  return changed(answer, keys, sampleJson(property, { name, variant: "other" }))
}

/** The answer without one property. */
export function answerWithout(answer: JsonObject, { keys }: Row): JsonObject {
  return changed(answer, keys, undefined)
}

function changed(
  answer: JsonObject,
  [name = "", ...rest]: string[],
  value: JsonObject[string] | undefined,
): JsonObject {
  const key = jsonName(name)
  const { [key]: inside, ...siblings } = answer
  if (rest.length > 0) return { ...siblings, [key]: changed(objectIn(inside), rest, value) }
  return value === undefined ? siblings : { ...siblings, [key]: value }
}

function objectIn(json: JsonObject[string] | undefined): JsonObject {
  return typeof json === "object" && json !== null && !Array.isArray(json) ? json : {}
}

function pick(from: unknown, keys: string[]): unknown {
  return keys.reduce<unknown>(
    (holder, key) => (typeof holder === "object" && holder ? Reflect.get(holder, key) : undefined),
    from,
  )
}
