import { isValues, unknownValue, type Value, type Values } from "./property-value.ts"
import type { Fields, Property } from "./property.ts"

type Json = string | number | boolean | null | Json[] | JsonObject
export type JsonObject = { [name: string]: Json }

/**
 * The body of a request: the settable properties under Cloudflare's names. A property that `prior`
 * has and `values` lacks is `null`.
 */
export function toBody(fields: Fields, values: Values, prior: Values = {}): JsonObject {
  const body: JsonObject = {}
  for (const [name, property] of Object.entries(fields)) {
    const key = jsonName(name, property)
    if (key === undefined || property.where || property.presence === "computed") continue
    const value = toJson(property, values[name])
    if (value !== undefined) body[key] = value
    else if (prior[name] !== undefined && values[name] === undefined) body[key] = null
  }
  return body
}

export function toJson(property: Property, value: Value | undefined): Json | undefined {
  if (value === undefined || value === unknownValue) return undefined
  if (property.kind === "json" && typeof value === "string") return JSON.parse(value)
  if (property.kind === "object" && isValues(value)) return toBody(property.fields, value)
  if (Array.isArray(value)) {
    const item = property.kind === "list" || property.kind === "set" ? property.item : anything
    return value.flatMap((member) => {
      const sent = toJson(item, member)
      return sent === undefined ? [] : [sent]
    })
  }
  if (!isValues(value)) return value
  const item = property.kind === "map" ? property.item : anything
  const sent: JsonObject = {}
  for (const [key, member] of Object.entries(value)) {
    const json = toJson(item, member)
    if (json !== undefined) sent[key] = json
  }
  return sent
}

/** Reads the properties of the resource table from an answer and ignores all others. */
export function fromAnswer(fields: Fields, answer: JsonObject): Values {
  const values: Values = {}
  for (const [name, property] of Object.entries(fields)) {
    const key = jsonName(name, property)
    if (key !== undefined) values[name] = fromJson(property, answer[key])
  }
  return values
}

function fromJson(property: Property, json: Json | undefined): Value | undefined {
  if (json === undefined || json === null) return undefined
  if (property.kind === "json") return JSON.stringify(json)
  if (Array.isArray(json)) {
    const item = property.kind === "list" || property.kind === "set" ? property.item : anything
    return json.flatMap((member) => {
      const value = fromJson(item, member)
      return value === undefined ? [] : [value]
    })
  }
  if (typeof json !== "object") return json
  if (property.kind === "object") return fromAnswer(property.fields, json)
  const item = property.kind === "map" ? property.item : anything
  const entries = Object.entries(json).map(([key, member]) => [key, fromJson(item, member)])
  return Object.fromEntries(entries)
}

/** Fills the unknown values of `planned` from the answer and keeps the program's own values. */
export function fillFrom(fields: Fields, planned: Values, answer: Values): Values {
  const filled: Values = {}
  for (const [name, property] of Object.entries(fields)) {
    filled[name] = fill(property, planned[name], answer[name])
  }
  return filled
}

function fill(
  property: Property,
  planned: Value | undefined,
  answer: Value | undefined,
): Value | undefined {
  if (planned === unknownValue) return answer
  if (property.kind === "object" && isValues(planned)) {
    return fillFrom(property.fields, planned, isValues(answer) ? answer : {})
  }
  if ((property.kind !== "list" && property.kind !== "set") || !Array.isArray(planned)) {
    return planned
  }
  return planned.flatMap((member, index) => {
    const filled = fill(property.item, member, counterpart(answer, member, index))
    return filled === undefined ? [] : [filled]
  })
}

/** The member of the answer that belongs to a planned one: by name, or else by index. */
function counterpart(answer: Value | undefined, member: Value, index: number): Value | undefined {
  if (!Array.isArray(answer)) return undefined
  if (!isValues(member) || member.name === undefined) return answer[index]
  return answer.find((other) => isValues(other) && other.name === member.name)
}

/** Whether the answer has the property, even if it is null. */
export function hasProperty(name: string, property: Property, answer: JsonObject): boolean {
  const key = jsonName(name, property)
  return key !== undefined && key in answer
}

function jsonName(name: string, { json }: Property): string | undefined {
  if (json === false) return undefined
  return json ?? name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}

const anything: Property = { kind: "any", presence: "optional" }
