import type { Value } from "@accounts-stack/pulumi-host/properties"

/**
 * Says who sets a property: the program must (`required`), the program may (`optional`), only Cloudflare
 * (`computed`), or the program may and Cloudflare does otherwise (`either`).
 */
type Presence = "required" | "optional" | "computed" | "either"

type Rules = {
  /** Line of the property in the resource's `schema.go`, in terraform-provider-cloudflare 5.22.0. */
  at?: number
  /** Replaces the resource at any change, or only at a change to a value that the program sets. */
  replace?: "always" | "configured"
  default?: Value
  /** The sibling property whose value is the default. */
  defaultFrom?: string
  /** No update changes this computed value, so previews of updates show it. */
  stable?: true
  /** Accepted values, in any case. */
  oneOf?: readonly string[]
  /** Sent in the path, never in the body, and kept from state on read. */
  where?: "path"
  /** Sent but never read back, not even by an import; the value in state is kept. */
  writeOnly?: true
  /** The value that an import sets if the response has none; a refresh then keeps the value in state. */
  imported?: Value
}

type Scalar = { kind: "string" | "number" | "boolean" }
type Collection = { kind: "list" | "set"; item: Property }
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

export function list(presence: Presence, item: Property, rules: Rules = {}): Property {
  return { kind: "list", presence, item, ...rules }
}

/** A list whose order does not matter. */
export function set(presence: Presence, item: Property, rules: Rules = {}): Property {
  return { kind: "set", presence, item, ...rules }
}

export function object(presence: Presence, fields: Fields, rules: Rules = {}): Property {
  return { kind: "object", presence, fields, ...rules }
}

export function settable(property: Property): boolean {
  return property.presence !== "computed"
}

/** Returns whether Cloudflare sets the property if the program does not. */
export function computed(property: Property): boolean {
  return property.presence === "computed" || property.presence === "either"
}
