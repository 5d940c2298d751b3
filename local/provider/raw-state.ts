import { isValues, type Values } from "./property-value.ts"
import type { Fields } from "./property.ts"

const key = "__pulumi_raw_state_delta"

/**
 * What the official provider writes into each state and reads in place of it: how the state of Terraform
 * differs from the outputs. What is null there stays null, whatever somebody writes into the outputs, and
 * only without the delta are they believed (pulumi-terraform-bridge 3.133.0, pkg/tfbridge/rawstate.go:65 and
 * :170, pkg/pf/tfbridge/resource_state.go:243).
 */
export function withDelta(fields: Fields, state: Values): Values {
  const missing = Object.keys(fields).filter((name) => state[name] === undefined)
  const nulls = missing.map((name) => [name, { replace: {} }])
  return { ...state, [key]: { obj: { ps: Object.fromEntries(nulls) } } }
}

/** The state that the provider compares with. */
export function withoutDelta({ [key]: delta, ...outputs }: Values): Values {
  const nulls = isValues(delta) && isValues(delta["obj"]) ? delta["obj"]["ps"] : undefined
  if (!isValues(nulls)) return outputs
  const kept = Object.entries(outputs).filter(([name]) => nulls[name] === undefined)
  return Object.fromEntries(kept)
}
