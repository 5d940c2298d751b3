import type { InputProblem } from "@accounts-stack/pulumi-host"
import {
  childPath,
  isValues,
  unknownValue,
  type Value,
  type Values,
} from "@accounts-stack/pulumi-host/properties"

import { type Fields, type Property, settable } from "./property.ts"

export function check(fields: Fields, inputs: Values, path = ""): InputProblem[] {
  const failures: InputProblem[] = []
  for (const name of Object.keys(inputs)) {
    const property = fields[name]
    if (inputs[name] === undefined || (property && settable(property))) continue
    failures.push({
      property: childPath(path, name),
      reason: property
        ? "is set by Cloudflare; remove it"
        : `is unknown; known properties: ${settableNames(fields).join(", ")}`,
    })
  }
  for (const [name, property] of Object.entries(fields)) {
    const value = inputs[name]
    const place = childPath(path, name)
    if (value !== undefined && settable(property)) {
      failures.push(...checkValue(property, value, place))
    }
    if (value === undefined && property.presence === "required") {
      failures.push({ property: place, reason: "is required; add it" })
    }
  }
  return failures
}

function checkValue(property: Property, value: Value, path: string): InputProblem[] {
  if (value === unknownValue) return []
  if (property.kind === "object" && isValues(value)) {
    return check(property.fields, value, path)
  }
  if ((property.kind === "list" || property.kind === "set") && Array.isArray(value)) {
    return value.flatMap((item, index) => checkValue(property.item, item, childPath(path, index)))
  }
  if (typeof value !== property.kind) {
    return [{ property: path, reason: `must be ${expected[property.kind]}` }]
  }
  return checkChoice(property, value, path)
}

const expected = {
  string: "a string",
  number: "a number",
  boolean: "true or false",
  list: "a list",
  set: "a list",
  object: "an object",
} as const

function checkChoice({ oneOf }: Property, value: Value, path: string): InputProblem[] {
  if (!oneOf || typeof value !== "string" || oneOf.includes(value.toLowerCase())) return []
  return [{ property: path, reason: `must be one of ${oneOf.join(", ")}, not "${value}"` }]
}

function settableNames(fields: Fields): string[] {
  return Object.keys(fields).filter((name) => {
    const property = fields[name]
    return property !== undefined && settable(property)
  })
}
