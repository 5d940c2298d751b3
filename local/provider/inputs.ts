import { equal, isValues, type Value, type Values } from "./property-value.ts"
import { type Fields, type Property, settable } from "./property.ts"

/** The properties that the program set, with the values that Cloudflare holds now. */
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
  if (property.kind === "set" && sameMembers(property, input, state)) return input
  if (!("item" in property) || !Array.isArray(input) || !Array.isArray(state)) return state
  return state.map((member, index) => {
    const before = input[index]
    if (before !== undefined) return refreshValue(property.item, before, member) ?? member
    return importValue(property.item, member) ?? member
  })
}

function sameMembers(property: Property, input: Value, state: Value | undefined): boolean {
  if (!("item" in property) || !Array.isArray(input) || !Array.isArray(state)) return false
  return (
    input.length === state.length &&
    input.every((member) =>
      state.some((other) => equal(member, refreshValue(property.item, member, other))),
    )
  )
}

/** The inputs of an import: every settable property that differs from its default. */
export function importInputs(fields: Fields, state: Values): Values {
  const inputs: Values = {}
  for (const [name, property] of Object.entries(fields)) {
    const value = state[name]
    if (value === undefined || !settable(property)) continue
    const imported = importValue(property, value)
    if (!equal(imported, property.default)) inputs[name] = imported
  }
  return inputs
}

function importValue(property: Property, value: Value): Value | undefined {
  if (property.kind === "object" && isValues(value)) return importInputs(property.fields, value)
  if (!("item" in property) || !Array.isArray(value)) return value
  return value.map((member) => importValue(property.item, member) ?? member)
}
