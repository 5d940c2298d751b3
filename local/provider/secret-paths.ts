import { childPath, isValues, type Value, type Values } from "./property-value.ts"
import type { Fields, Property } from "./property.ts"

/** The paths in `values` that the resource table declares as secret. */
export function secretPaths(fields: Fields, values: Values, parent = ""): string[] {
  return Object.entries(fields).flatMap(([name, property]) =>
    pathsOf(property, values[name], childPath(parent, name)),
  )
}

function pathsOf(property: Property, value: Value | undefined, path: string): string[] {
  if (value === undefined) return []
  if (property.secret) return [path]
  if (property.kind === "object") {
    return isValues(value) ? secretPaths(property.fields, value, path) : []
  }
  if (!("item" in property)) return []
  if (Array.isArray(value)) {
    return value.flatMap((item, index) => pathsOf(property.item, item, childPath(path, index)))
  }
  if (!isValues(value)) return []
  return Object.entries(value).flatMap(([key, item]) =>
    pathsOf(property.item, item, childPath(path, key)),
  )
}
