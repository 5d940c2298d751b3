import {
  childPath,
  isValues,
  type Value,
  type Values,
} from "@accounts-stack/pulumi-host/properties"

import { type Fields, type Property, settable } from "../property.ts"

/** Two different values that the property accepts. */
type Variant = "one" | "other"

/** Inputs with a value for every settable property. */
export function sampleFields(fields: Fields, variant: Variant): Values {
  const settables = Object.entries(fields).filter(([, property]) => settable(property))
  return Object.fromEntries(
    settables.map(([name, property]) => [name, sampleOf(property, variant)]),
  )
}

export function sampleOf(property: Property, variant: Variant): Value {
  if (property.kind === "object") return sampleFields(property.fields, variant)
  if (property.kind === "list" || property.kind === "set") return [sampleOf(property.item, variant)]
  if (property.kind === "number") return variant === "one" ? 1 : 2
  if (property.kind === "boolean") return variant === "one"
  const [first = "one", second = first.toUpperCase()] = property.oneOf ?? ["one", "other"]
  return variant === "one" ? first : second
}

type Key = string | number

/** A property without nested properties, and its path in a sample. */
export type Leaf = { path: string; keys: Key[]; property: Property }

export function leavesOf(fields: Fields, keys: Key[] = []): Leaf[] {
  return Object.entries(fields)
    .filter(([, property]) => settable(property))
    .flatMap(([name, property]) => leavesIn(property, [...keys, name]))
}

function leavesIn(property: Property, keys: Key[]): Leaf[] {
  if (property.kind === "object") return leavesOf(property.fields, keys)
  if (property.kind === "list" || property.kind === "set") {
    return leavesIn(property.item, [...keys, 0])
  }
  return [{ path: keys.reduce<string>(childPath, ""), keys, property }]
}

/** A copy with another value at `keys`; `undefined` removes the value. */
export function withValue(values: Values, keys: Key[], value: Value | undefined): Values {
  const [key, ...rest] = keys
  const copy = { ...values }
  if (typeof key !== "string") throw new Error("the first key must be a name")
  copy[key] = inside(copy[key], rest, value)
  return copy
}

function inside(
  holder: Value | undefined,
  keys: Key[],
  value: Value | undefined,
): Value | undefined {
  const [key, ...rest] = keys
  if (key === undefined) return value
  if (isValues(holder)) return withValue(holder, keys, value)
  if (!Array.isArray(holder) || typeof key !== "number") {
    throw new Error(`there is nothing at ${key}`)
  }
  return holder.map((item, index) => (index === key ? (inside(item, rest, value) ?? item) : item))
}
