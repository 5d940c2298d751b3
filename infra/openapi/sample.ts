import * as z from "zod"

import { fieldText } from "./descriptions.ts"
import { exceptions, fields, rows } from "./sample-fields.ts"

type JsonSchema = z.core.JSONSchema.BaseSchema

/** A request body or a response; a response may be a redirect. */
const Part = z.looseObject({
  /** By media type. */
  content: z.record(z.string(), z.looseObject({ schema: z.custom<JsonSchema>() })).optional(),
  headers: z.looseObject({ location: z.looseObject({}).optional() }).optional(),
})
type Part = z.infer<typeof Part>

const Operation = z.looseObject({
  operationId: z.string(),
  tags: z.array(z.string()),
  parameters: z.array(z.looseObject({ name: z.string(), schema: z.custom<JsonSchema>() })),
  requestBody: Part.optional(),
  responses: z.looseObject({}),
})

/** Adds texts and examples to the operation's parameters, request body and success response. */
export function withTexts(described: object) {
  const { operationId, tags, parameters, requestBody, responses } = Operation.parse(described)
  const [tag = ""] = tags
  const sample = (schema: JsonSchema, name: string) =>
    sampleOf(schema, {
      place: `${operationId}.${name}`,
      name,
      row: rows[operationId] ?? rows[tag] ?? tag,
    })
  const withPartTexts = ({ content, headers, ...part }: Part, name: string) => {
    const location = headers?.location
    const example = exceptions[`${operationId}.location`]
    const types = Object.entries(content ?? {}).map(([type, { schema, ...rest }]) => [
      type,
      {
        schema: describeFields(schema, `${operationId}.${name}`),
        ...rest,
        example: sample(schema, name),
      },
    ])
    return {
      ...part,
      ...(headers && {
        headers: { ...headers, ...(location && { location: { ...location, example } }) },
      }),
      ...(content && { content: Object.fromEntries(types) }),
    }
  }
  const answers = Object.entries(responses).map(([status, response]) => [
    status,
    Number(status) < 400 ? withPartTexts(Part.parse(response), "answer") : response,
  ])
  return {
    ...described,
    parameters: parameters.map((parameter) =>
      Object.assign(parameter, {
        schema: describeFields(parameter.schema, `${operationId}.${parameter.name}`),
        example: sample(parameter.schema, parameter.name),
      }),
    ),
    ...(requestBody && { requestBody: withPartTexts(requestBody, "body") }),
    responses: Object.fromEntries(answers),
  }
}

/** Adds the fields' texts to a schema and its subschemas, unless a schema has a text of its own. */
function describeFields(
  schema: JsonSchema | boolean | undefined,
  place: string,
  text: string | undefined = fieldText(place),
): JsonSchema {
  const { properties, items, anyOf, additionalProperties, ...rest } = schemaOf(schema)
  const description = rest.description ?? text
  // The items of a list and the values of a record have the same place, but not the same text.
  return {
    ...schemaOf(schema),
    ...(properties && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, field]) => [
          name,
          describeFields(field, `${place}.${name}`),
        ]),
      ),
    }),
    ...(items && { items: describeFields([items].flat()[0], place, "") }),
    ...(anyOf && {
      anyOf: anyOf.map((option) =>
        describeFields(option, place, option.type === "null" ? "" : (fieldText(`${place}|`) ?? "")),
      ),
    }),
    ...(additionalProperties && {
      additionalProperties: describeFields(additionalProperties, place, ""),
    }),
    ...(description && { description }),
  }
}

/** Position of a value: `operation.body.field`, the field's name, and the kind of row whose `id` it may be. */
type Place = { place: string; name: string; row: string }

/**
 * Returns an example: the exception for this place, otherwise the first listed value for the field's name that the
 * schema allows, otherwise the plainest value that it allows.
 */
function sampleOf(schema: JsonSchema, at: Place): unknown {
  if (at.place in exceptions) return exceptions[at.place]
  const candidates = at.name === "id" ? [`${at.row}_${token}`] : (fields[at.name] ?? [])
  if (candidates.includes(undefined)) return undefined
  const fitting = candidates.find((value) => z.fromJSONSchema(schema).safeParse(value).success)
  if (fitting !== undefined) return fitting
  const options = schema.anyOf ?? schema.oneOf
  const option = options?.find((candidate) => candidate.type !== "null")
  if (option) return sampleOf(option, at)
  if (schema.const !== undefined) return schema.const
  if (schema.default !== undefined) return schema.default
  if (schema.enum) return schema.enum[0]
  return plainSample(schema, at)
}

const token = "ej80syanscczvrebh8kbqydn"

function plainSample(schema: JsonSchema, at: Place): unknown {
  const [type] = [schema.type].flat()
  if (type === "boolean") return true
  if (type === "integer" || type === "number") return Math.max(schema.minimum ?? 1, 1)
  if (type === "array") {
    const items = [schema.items].flat().map((item) => sampleOf(schemaOf(item), at))
    // The list is empty if no value fits its items, for example metrics if no feature counts any.
    return z.fromJSONSchema(schema).safeParse(items).success ? items : []
  }
  if (type === "object") return objectSample(schema, at)
  return schema.format === "date-time" ? "2026-11-21T19:40:00.000Z" : "example"
}

function objectSample({ properties, propertyNames, additionalProperties }: JsonSchema, at: Place) {
  const names = properties ? Object.keys(properties) : (schemaOf(propertyNames).enum ?? [])
  const row = rows[at.name] ?? at.row
  const entries = names.flatMap((key) => {
    const name = String(key)
    const schema = properties?.[name] ?? additionalProperties
    const value = sampleOf(schemaOf(schema), { place: `${at.place}.${name}`, name, row })
    return value === undefined ? [] : [[name, value] as const]
  })
  return Object.fromEntries(entries)
}

/** Converts a schema that allows everything, which is `true` or absent, to an empty object. */
function schemaOf(schema: JsonSchema | boolean | undefined): JsonSchema {
  return typeof schema === "object" ? schema : {}
}
