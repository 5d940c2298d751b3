import {
  type DecodedProperties,
  encodeProperties,
  isValues,
  type Value,
  type Values,
} from "@accounts-stack/pulumi-host/properties"
import struct, { type Struct } from "google-protobuf/google/protobuf/struct_pb.js"

import type { Fields, Property } from "./property.ts"

const key = "__pulumi_raw_state_delta"

type Deltas = Record<string, Delta>
type Delta = { replace: { raw: null } } | { obj: { ps?: Deltas } } | { arr: { el?: Deltas } }

/**
 * Adds the delta that the official provider writes into each state beside the outputs. In place of them it
 * reads how the state of Terraform differs from them: what is null there stays null, however the outputs
 * are edited, and only without it are they believed (pulumi-terraform-bridge 3.133.0,
 * pkg/tfbridge/rawstate.go:65 and :170, pkg/pf/tfbridge/resource_state.go:243). Without the rest of it, it
 * reads no object of them.
 */
export function encodeState(fields: Fields, { values, secrets }: DecodedProperties): Struct {
  const encoded = encodeProperties(values, secrets)
  const beside = { [key]: deltaOfObject(fields, values), __meta: '{"schema_version":"500"}' }
  for (const [name, value] of Object.entries(beside)) {
    encoded.getFieldsMap().set(name, struct.Value.fromJavaScript(value))
  }
  return encoded
}

function deltaOfObject(fields: Fields, state: Values): Delta {
  const ps = deltasOf(Object.entries(fields).map(([name, field]) => [name, field, state[name]]))
  return { obj: ps ? { ps } : {} }
}

function deltasOf(members: [string, Property, Value | undefined][]): Deltas | undefined {
  const deltas = members.flatMap(([name, property, value]) => {
    const delta = deltaOf(property, value)
    return delta ? [[name, delta] as const] : []
  })
  return deltas.length > 0 ? Object.fromEntries(deltas) : undefined
}

function deltaOf(property: Property, value: Value | undefined): Delta | undefined {
  if (value === undefined) return { replace: { raw: null } }
  if (property.kind === "object" && isValues(value)) return deltaOfObject(property.fields, value)
  if (!("item" in property) || !Array.isArray(value)) return undefined
  const el = deltasOf(value.map((member, index) => [`${index}`, property.item, member]))
  return { arr: el ? { el } : {} }
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
