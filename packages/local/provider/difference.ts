import { equal, isValues, type Value, type Values } from "@accounts-stack/pulumi-host/properties"

import type { Fields, Property } from "./property.ts"

/** The properties at the top that differ. The official provider says no path inside them. */
export function differing(fields: Fields, prior: Values, planned: Values): string[] {
  return Object.entries(fields)
    .filter(([name, property]) => !same(property, prior[name], planned[name]))
    .map(([name]) => name)
}

/** Ignores the order of sets, as Cloudflare does. */
function same(property: Property, prior: Value | undefined, planned: Value | undefined): boolean {
  if (property.kind === "object" && isValues(prior) && isValues(planned)) {
    return differing(property.fields, prior, planned).length === 0
  }
  if (property.kind !== "set" || !Array.isArray(prior) || !Array.isArray(planned)) {
    return equal(prior, planned)
  }
  return (
    prior.length === planned.length &&
    planned.every((member) => prior.some((other) => equal(member, other)))
  )
}
