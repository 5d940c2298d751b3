import {
  equal,
  isValues,
  unknownValue,
  type Value,
  type Values,
} from "@accounts-stack/pulumi-host/properties"

import { computed, type Fields, type Property } from "./property.ts"

type Request = {
  fields: Fields
  /** The program's inputs. */
  config: Values
  /** The resource's state; undefined before it exists. */
  prior?: Values | undefined
}

/**
 * Returns the planned state of a resource: the program's values, then defaults, then computed values from the prior
 * state. Computed values of a new resource or element are unknown.
 */
export function propose({ fields, config, prior }: Request): Values {
  const proposed: Values = {}
  for (const [name, property] of Object.entries(fields)) {
    proposed[name] = proposeProperty(property, { config: config[name], parent: prior, name })
  }
  for (const [name, { defaultFrom }] of Object.entries(fields)) {
    if (defaultFrom === undefined || config[name] !== undefined) continue
    proposed[name] = proposed[defaultFrom] ?? false
  }
  return proposed
}

/** Marks as unknown what an update may change, so that a preview does not promise the old value. */
export function markUnknown({ fields, config }: Request, proposed: Values): Values {
  const expected: Values = {}
  for (const [name, property] of Object.entries(fields)) {
    const configured = config[name] ?? property.default
    const value = proposed[name]
    expected[name] = configured === undefined && mayChange(property) ? unknownValue : value
    if (property.kind === "object" && isValues(value) && isValues(configured)) {
      expected[name] = markUnknown({ fields: property.fields, config: configured }, value)
    }
  }
  return expected
}

function mayChange(property: Property): boolean {
  return computed(property) && !property.stable && property.defaultFrom === undefined
}

type Source = { config: Value | undefined; parent: Values | undefined; name: string }

function proposeProperty(property: Property, { config, parent, name }: Source): Value | undefined {
  const configured = config ?? property.default
  if (configured !== undefined) return proposeValue(property, configured, parent?.[name])
  if (!computed(property)) return undefined
  return parent === undefined ? unknownValue : parent[name]
}

function proposeValue(property: Property, configured: Value, prior: Value | undefined): Value {
  if (property.kind === "object" && isValues(configured)) {
    const { fields } = property
    return propose({ fields, config: configured, prior: isValues(prior) ? prior : undefined })
  }
  if (property.kind === "list" && Array.isArray(configured)) {
    const before = Array.isArray(prior) ? prior : []
    return configured.map((item, index) => proposeValue(property.item, item, before[index]))
  }
  if (property.kind === "set" && Array.isArray(configured)) {
    return configured.map((item) => proposeValue(property.item, item, sameMember(prior, item)))
  }
  return configured
}

/** Finds the member of a set that has every property of `item`. */
function sameMember(prior: Value | undefined, item: Value): Value | undefined {
  if (!Array.isArray(prior)) return undefined
  return prior.find((member) => {
    if (!isValues(item) || !isValues(member)) return equal(item, member)
    return Object.entries(item).every(([name, value]) => equal(value, member[name]))
  })
}

/** Returns the top-level properties that differ. Like the official provider, returns no nested paths. */
export function differing(fields: Fields, prior: Values, planned: Values): string[] {
  return Object.entries(fields)
    .filter(([name, property]) => !same(property, prior[name], planned[name]))
    .map(([name]) => name)
}

/** Compares two values. Ignores the order of sets, like Cloudflare. */
function same(property: Property, prior: Value | undefined, planned: Value | undefined): boolean {
  if (property.kind === "object" && isValues(prior) && isValues(planned)) {
    return differing(property.fields, prior, planned).length === 0
  }
  if (property.kind !== "set" || !Array.isArray(prior) || !Array.isArray(planned)) {
    return equal(prior, planned)
  }
  return (
    prior.length === planned.length &&
    planned.every((member) => prior.some((candidate) => equal(member, candidate)))
  )
}
