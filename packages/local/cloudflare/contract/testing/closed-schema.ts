import { Schema } from "./api-description.ts"

type Definitions = Record<string, Schema>

/** Keywords whose schemas describe a whole value, unlike the parts of an `allOf`. */
const wholeValueKeywords = ["items", "additionalProperties"]
const combinators = ["allOf", "anyOf"]

/**
 * Rejects unknown properties in every value that `schema` describes, and in the value of `schema`
 * itself when `whole`.
 */
export function closeSchema(
  schema: Schema,
  definitions: Definitions,
  { whole }: { whole: boolean },
): Schema {
  const closed: Schema = { ...schema }
  for (const key of wholeValueKeywords) {
    const value = Schema.safeParse(schema[key])
    if (value.success) closed[key] = closeSchema(value.data, definitions, { whole: true })
  }
  const properties = Schema.safeParse(schema["properties"]).data
  if (properties) {
    closed["properties"] = Object.fromEntries(
      Object.entries(properties).map(([name, value]) => {
        const property = Schema.safeParse(value)
        return [
          name,
          property.success ? closeSchema(property.data, definitions, { whole: true }) : value,
        ]
      }),
    )
  }
  for (const key of combinators) {
    const list = Schema.array().safeParse(schema[key])
    if (list.success) {
      closed[key] = list.data.map((part) => closeSchema(part, definitions, { whole: false }))
    }
  }
  const describes = whole && describesProperties(schema, definitions, new Set())
  return describes ? { ...closed, unevaluatedProperties: false } : closed
}

/** A bare `type: object` describes no properties, so it stays open. */
function describesProperties(
  schema: Schema,
  definitions: Definitions,
  visited: Set<string>,
): boolean {
  if ("properties" in schema) return true
  const name =
    typeof schema["$ref"] === "string" ? schema["$ref"].replace(/^.*#\/definitions\//, "") : ""
  const target = definitions[name]
  if (target && !visited.has(name)) {
    return describesProperties(target, definitions, new Set([...visited, name]))
  }
  return combinators.some((key) =>
    (Schema.array().safeParse(schema[key]).data ?? []).some((part) =>
      describesProperties(part, definitions, visited),
    ),
  )
}
