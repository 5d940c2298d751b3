import { equal, isValues, type Value, type Values } from "@accounts-stack/pulumi-host/properties"

import { type Fields, type Property, settable } from "./property.ts"

/**
 * The properties that the program set, with the values that Cloudflare holds now: of a list as many members
 * as the program set (pulumi-terraform-bridge 3.133.0, pkg/tfbridge/schema.go:1718, extractInputs).
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
  const found = property.item.kind === "object" ? matched(input, state) : state
  return input.flatMap((member, index) => {
    const refreshed = found[index] && refreshValue(property.item, member, found[index])
    return refreshed === undefined ? [] : [refreshed]
  })
}

/** The members in the order of those that they equal; the others take the places that are left. */
function matched(input: Value[], state: Value[]): (Value | undefined)[] {
  const others = state.filter((member) => !input.some((other) => equal(member, other)))
  return input.map((member) =>
    state.some((other) => equal(member, other)) ? member : others.shift(),
  )
}

/**
 * The inputs of an import: every settable property that is required or neither zero nor empty, whatever its
 * default (pkg/tfbridge/schema.go:1911, extractSchemaInputs).
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
