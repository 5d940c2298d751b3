import type { InputProblem } from "@accounts-stack/pulumi-host"
import {
  childPath,
  isValues,
  unknownValue,
  type Value,
  type Values,
  equal,
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

/**
 * Returns the properties that the program set, with Cloudflare's current values. A list gets only as many members as
 * the program set (pulumi-terraform-bridge 3.133.0, pkg/tfbridge/schema.go:1718, extractInputs).
 */
export function refreshInputs(fields: Fields, inputs: Values, state: Values): Values {
  const refreshed: Values = {}
  for (const [name, input] of Object.entries(inputs)) {
    const property = fields[name]
    if (input === undefined) continue
    refreshed[name] = property ? refreshValue(property, input, state[name]) : input
  }
  return refreshed
}

function refreshValue(
  property: Property,
  input: Value,
  state: Value | undefined,
): Value | undefined {
  if (property.kind === "object" && isValues(input) && isValues(state)) {
    return refreshInputs(property.fields, input, state)
  }
  if (!("item" in property) || !Array.isArray(input) || !Array.isArray(state)) return state
  const stateMembers = property.item.kind === "object" ? matched(input, state) : state
  return input.flatMap((member, index) => {
    const refreshed =
      stateMembers[index] && refreshValue(property.item, member, stateMembers[index])
    return refreshed === undefined ? [] : [refreshed]
  })
}

/** Orders state members like the equal input members. The others fill the remaining positions. */
function matched(input: Value[], state: Value[]): (Value | undefined)[] {
  const unmatched = state.filter(
    (member) => !input.some((stateMember) => equal(member, stateMember)),
  )
  return input.map((member) =>
    state.some((inputMember) => equal(member, inputMember)) ? member : unmatched.shift(),
  )
}

/**
 * Returns the inputs of an import: every settable property that is required, or neither zero nor empty. Ignores
 * defaults (pkg/tfbridge/schema.go:1911, extractSchemaInputs).
 */
export function importInputs(fields: Fields, state: Values): Values {
  const inputs: Values = {}
  for (const [name, property] of Object.entries(fields)) {
    const value = state[name]
    if (value === undefined || !settable(property)) continue
    const imported = importValue(property, value)
    if (property.presence === "required" || !isZero(imported)) inputs[name] = imported
  }
  return inputs
}

function importValue(property: Property, value: Value): Value {
  if (property.kind === "object" && isValues(value)) return importInputs(property.fields, value)
  if (!("item" in property) || !Array.isArray(value)) return value
  return value.map((member) => importValue(property.item, member))
}

function isZero(value: Value): boolean {
  return [false, 0, ""].some((zero) => zero === value) || equal(value, []) || equal(value, {})
}
