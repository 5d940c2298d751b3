import { isValues, type Value, type Values } from "./property-value.ts"
import type { Fields } from "./property.ts"

const key = "__pulumi_raw_state_delta"

/**
 * What the official provider writes into each state and reads in place of it: how the state of Terraform
 * differs from the outputs. What is null there stays null, whatever somebody writes into the outputs, and
 * only without the delta are they believed (pulumi-terraform-bridge 3.133.0, pkg/tfbridge/rawstate.go:65 and
 * :170, pkg/pf/tfbridge/resource_state.go:243).
 */
export function withDelta(fields: Fields, state: Values): Values {
  return { ...state, [key]: deltaOf(fields, state) }
}

function deltaOf(fields: Fields, state: Values): Values {
  const ps: Values = {}
  for (const [name, property] of Object.entries(fields)) {
    const value = state[name]
    if (value === undefined) ps[name] = { replace: {} }
    if (property.kind === "object" && isValues(value)) ps[name] = deltaOf(property.fields, value)
  }
  return { obj: { ps } }
}

/** The state that the provider compares with. */
export function withoutDelta({ [key]: delta, ...outputs }: Values): Values {
  return recover(outputs, delta)
}

function recover(outputs: Values, delta: Value | undefined): Values {
  const ps = isValues(delta) && isValues(delta["obj"]) ? delta["obj"]["ps"] : undefined
  if (!isValues(ps)) return outputs
  const recovered: Values = {}
  for (const [name, value] of Object.entries(outputs)) {
    const of = ps[name]
    if (isValues(of) && of["replace"] !== undefined) continue
    recovered[name] = isValues(value) ? recover(value, of) : value
  }
  return recovered
}
