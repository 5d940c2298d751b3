import ts from "typescript"

import type { Schema } from "./api-description.ts"
import { isReference } from "./sdk-methods.ts"

/** Makes JSON Schemas of TypeScript types. Object types go to `definitions` of `document`. */
export function createTypeSchemas(checker: ts.TypeChecker, document: string) {
  const definitions: Record<string, Schema> = {}
  const names = new Map<ts.Type, string>()

  function schemaOf(type: ts.Type): Schema {
    if (type.isUnion()) return union(type)
    if (type.isStringLiteral() || type.isNumberLiteral()) {
      return { type: typeof type.value, const: type.value }
    }
    const { flags } = type
    if (flags & ts.TypeFlags.BooleanLiteral) {
      return { type: "boolean", const: checker.typeToString(type) === "true" }
    }
    if (flags & ts.TypeFlags.String) return { type: "string" }
    if (flags & ts.TypeFlags.Number) return { type: "number" }
    if (flags & (ts.TypeFlags.Null | ts.TypeFlags.Void | ts.TypeFlags.Undefined)) {
      return { type: "null" }
    }
    if (checker.isArrayType(type) && isReference(type)) {
      const [item] = checker.getTypeArguments(type)
      return { type: "array", ...(item && { items: schemaOf(item) }) }
    }
    // `string & {}` allows any string beside the literals of its union.
    if (type.isIntersection()) {
      const plain = type.types.find((part) => part.flags & ts.TypeFlags.String)
      if (plain) return schemaOf(plain)
    }
    if (flags & (ts.TypeFlags.Object | ts.TypeFlags.Intersection)) return reference(type)
    return {}
  }

  function union(type: ts.UnionType): Schema {
    if (type.aliasSymbol?.name === "Uploadable") return {}
    const members = type.types.filter((member) => !(member.flags & ts.TypeFlags.Undefined))
    const literals = members.flatMap((member) => {
      const schema = schemaOf(member)
      return "const" in schema ? [schema["const"]] : []
    })
    const otherMembers = members.filter((member) => !("const" in schemaOf(member))).map(schemaOf)
    const [only, ...alternatives] = [
      ...(literals.length > 0 ? [literal(literals)] : []),
      ...otherMembers,
    ]
    if (only === undefined) return {}
    return alternatives.length === 0 ? only : { anyOf: [only, ...alternatives] }
  }

  /** Includes the type, to which query parameters are converted before the comparison. */
  function literal(values: unknown[]): Schema {
    const types = new Set(values.map((value) => typeof value))
    const [type] = types
    return { ...(types.size === 1 && { type }), enum: values }
  }

  function reference(type: ts.Type): Schema {
    const existing = names.get(type)
    if (existing !== undefined) return { $ref: `${document}#/definitions/${existing}` }
    const name = `${(type.aliasSymbol ?? type.symbol)?.name.replaceAll(/\W/g, "") ?? "Type"}-${names.size}`
    names.set(type, name)
    definitions[name] = objectSchema(type)
    return { $ref: `${document}#/definitions/${name}` }
  }

  /** A type with properties allows no others; an empty type allows any. */
  function objectSchema(type: ts.Type): Schema {
    const index = checker.getIndexInfoOfType(type, ts.IndexKind.String)
    const properties = checker.getPropertiesOfType(type)
    if (properties.length === 0 && !index) return { type: "object" }
    return {
      type: "object",
      properties: Object.fromEntries(
        properties.map((property) => [property.name, schemaOf(checker.getTypeOfSymbol(property))]),
      ),
      required: properties.filter((property) => !isOptional(property)).map(({ name }) => name),
      additionalProperties: index ? schemaOf(index.type) : false,
    }
  }

  /** Destructuring an optional `force?` gives a property that can be undefined. */
  function isOptional(property: ts.Symbol): boolean {
    const type = checker.getTypeOfSymbol(property)
    const members = type.isUnion() ? type.types : [type]
    return (
      (property.flags & ts.SymbolFlags.Optional) !== 0 ||
      members.some(({ flags }) => flags & ts.TypeFlags.Undefined)
    )
  }

  return { schemaOf, definitions }
}
