import type { Value } from "./value.ts"

/**
 * Who gives a property its value: the program must, the program may, only Cloudflare does, or the
 * program may and otherwise Cloudflare does.
 */
type Presence = "required" | "optional" | "computed" | "either"

type Rules = {
  /**
   * Which change replaces the resource: any; only one to a value the program gives; or, for
   * bindings, one that is more than order or a text that was never read.
   */
  replace?: "always" | "configured" | "bindings"
  /** Kept encrypted in state and never shown. */
  secret?: true
  default?: Value
  /** Name of the sibling that gives the default. */
  defaultFrom?: string
  /** A computed value that no update changes, so that previews of updates still know it. */
  stable?: true
  /** Accepted values, in any case. */
  oneOf?: readonly string[]
  /** Name in Cloudflare's JSON where it is not the snake_case one; `false` is never sent or read. */
  json?: string | false
  /** Sent in the path or the query, never in the body, and kept from state on read. */
  where?: "path" | "query"
  /** Sent in the body, but not read back: what state holds is kept. */
  writeOnly?: true
}

type Scalar = { kind: "string" | "number" | "boolean" | "any" | "json" }
type Collection = { kind: "list" | "set" | "map"; item: Property }
type Nested = { kind: "object"; fields: Fields }

export type Property = { presence: Presence } & Rules & (Scalar | Collection | Nested)
export type Fields = Readonly<Record<string, Property>>

export function string(presence: Presence, rules: Rules = {}): Property {
  return { kind: "string", presence, ...rules }
}

export function number(presence: Presence, rules: Rules = {}): Property {
  return { kind: "number", presence, ...rules }
}

export function boolean(presence: Presence, rules: Rules = {}): Property {
  return { kind: "boolean", presence, ...rules }
}

/** A string whose content is JSON: Cloudflare gets the JSON itself. */
export function json(presence: Presence, rules: Rules = {}): Property {
  return { kind: "json", presence, ...rules }
}

/** Anything, passed on as it is. */
export function any(presence: Presence, rules: Rules = {}): Property {
  return { kind: "any", presence, ...rules }
}

export function list(presence: Presence, item: Property, rules: Rules = {}): Property {
  return { kind: "list", presence, item, ...rules }
}

/** A list whose order means nothing. */
export function set(presence: Presence, item: Property, rules: Rules = {}): Property {
  return { kind: "set", presence, item, ...rules }
}

export function map(presence: Presence, item: Property, rules: Rules = {}): Property {
  return { kind: "map", presence, item, ...rules }
}

export function object(presence: Presence, fields: Fields, rules: Rules = {}): Property {
  return { kind: "object", presence, fields, ...rules }
}

/** Whether a program may set it. */
export function settable(property: Property): boolean {
  return property.presence !== "computed"
}

/** Whether Cloudflare gives it a value when the program does not. */
export function computed(property: Property): boolean {
  return property.presence === "computed" || property.presence === "either"
}
