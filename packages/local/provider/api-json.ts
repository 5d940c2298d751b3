import {
  isValues,
  unknownValue,
  type Value,
  type Values,
} from "@accounts-stack/pulumi-host/properties"

import type { Fields, Property } from "./property.ts"

type Json = string | number | boolean | null | Json[] | JsonObject
export type JsonObject = { [name: string]: Json }

/**
 * Returns a request body with the settable properties under Cloudflare's names. A property that `prior` has and
 * `values` lacks becomes null.
 */
export function toBody(fields: Fields, values: Values, prior: Values = {}): JsonObject {
  const body: JsonObject = {}
  for (const [name, property] of Object.entries(fields)) {
    if (property.where || property.presence === "computed") continue
    const key = jsonName(name)
    const value = toJson(property, values[name])
    if (value !== undefined) body[key] = value
    else if (prior[name] !== undefined && values[name] === undefined) body[key] = null
  }
  return body
}

function toJson(property: Property, value: Value | undefined): Json | undefined {
  if (value === undefined || value === unknownValue) return undefined
  if (isValues(value)) return "fields" in property ? toBody(property.fields, value) : undefined
  if (!Array.isArray(value)) return value
  if (!("item" in property)) return undefined
  const members = value
    .map((member) => toJson(property.item, member))
    .filter((it) => it !== undefined)
  return property.kind === "set"
    ? members.toSorted((left, right) => (JSON.stringify(left) < JSON.stringify(right) ? -1 : 1))
    : members
}

/** Reads the known properties from a response, and ignores all others. */
export function fromAnswer(fields: Fields, answer: JsonObject): Values {
  const values: Values = {}
  for (const [name, property] of Object.entries(fields)) {
    values[name] = fromJson(property, answer[jsonName(name)])
  }
  return values
}

function fromJson(property: Property, json: Json | undefined): Value | undefined {
  if (json === undefined || json === null) return undefined
  if (Array.isArray(json)) {
    if (!("item" in property)) return undefined
    return json.map((member) => fromJson(property.item, member)).filter((it) => it !== undefined)
  }
  if (typeof json !== "object") return json
  return "fields" in property ? fromAnswer(property.fields, json) : undefined
}

/**
 * Fills computed and unknown properties from the response, and keeps the other planned values
 * (terraform-provider-cloudflare 5.22.0, internal/apijson/decoder.go:1055).
 */
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
  const { presence } = property
  const open = planned === unknownValue || (planned === undefined && presence === "either")
  if (open || presence === "computed") return answer
  if (property.kind === "object" && isValues(planned)) {
    return fillFrom(property.fields, planned, isValues(answer) ? answer : {})
  }
  if (!("item" in property) || !Array.isArray(planned)) return planned
  return planned.flatMap((member, index) => {
    const filled = fill(property.item, member, counterpart(answer, member, index))
    return filled === undefined ? [] : [filled]
  })
}

/** Finds the member of the response for a planned member, by name or else by index. */
function counterpart(answer: Value | undefined, member: Value, index: number): Value | undefined {
  if (!Array.isArray(answer)) return undefined
  if (!isValues(member) || member.name === undefined) return answer[index]
  return answer.find((candidate) => isValues(candidate) && candidate.name === member.name)
}

export function jsonName(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}
