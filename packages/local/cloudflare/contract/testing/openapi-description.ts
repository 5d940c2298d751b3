import { readFileSync } from "node:fs"
import { gunzipSync } from "node:zlib"

import * as z from "zod"

import {
  withoutParameterNames,
  Schema,
  type ApiDescription,
  type Operation,
} from "./api-description.ts"
import { closeSchema } from "./closed-schema.ts"

const Content = z.record(z.string(), z.looseObject({ schema: Schema.optional() }))
const Parameter = z.looseObject({
  name: z.string(),
  in: z.string(),
  required: z.boolean().default(false),
  schema: Schema.default({}),
})
const OperationObject = z.looseObject({
  parameters: z.array(Schema).default([]),
  requestBody: Schema.optional(),
  responses: z.record(z.string(), Schema),
})
const Bodied = z.looseObject({ content: Content.default({}) })
const Document = z.looseObject({
  openapi: z.string().startsWith("3.0"),
  paths: z.record(z.string(), z.record(z.string(), z.unknown())),
  components: z.looseObject({
    schemas: z.record(z.string(), Schema),
    parameters: z.record(z.string(), Schema).default({}),
    requestBodies: z.record(z.string(), Schema).default({}),
    responses: z.record(z.string(), Schema).default({}),
  }),
})

type Direction = "request" | "response"

/** Reads Cloudflare's OpenAPI document: JSON, or gzip of it. */
export function describeOpenapi(file: string): ApiDescription {
  const bytes = readFileSync(file)
  const text = (bytes[0] === 0x1f && bytes[1] === 0x8b ? gunzipSync(bytes) : bytes).toString("utf8")
  const { paths, components } = Document.parse(JSON.parse(text))
  const definitions: Record<string, Schema> = {}
  for (const direction of ["request", "response"] as const) {
    for (const [name, schema] of Object.entries(components.schemas)) {
      definitions[definition(direction, name)] = translate(schema, direction)
    }
  }

  for (const [name, schema] of Object.entries(definitions)) {
    definitions[name] = closeSchema(schema, definitions, { whole: false })
  }
  const whole = (schema: Schema, direction: Direction) =>
    closeSchema(translate(schema, direction), definitions, { whole: true })

  function operation(path: string, method: string, value: unknown): Operation {
    const { parameters, responses, ...rest } = OperationObject.parse(value)
    const requestBody =
      rest.requestBody &&
      Bodied.parse(resolveReference(rest.requestBody, components.requestBodies, "requestBodies"))
    const query = parameters
      .map((parameter) =>
        Parameter.parse(resolveReference(parameter, components.parameters, "parameters")),
      )
      .filter((parameter) => parameter.in === "query")
    const body = json(requestBody?.content ?? {})
    const answers = Object.entries(responses).map(([status, response]) => {
      const { content } = Bodied.parse(
        resolveReference(response, components.responses, "responses"),
      )
      return { status, schema: content["application/json"]?.schema }
    })
    const answer = answers.find(({ status }) => status.startsWith("2"))?.schema
    const failures = answers.flatMap(({ status, schema }) =>
      status.startsWith("2") || !schema ? [] : [[status, whole(schema, "response")] as const],
    )
    return {
      method: method.toUpperCase(),
      path: withoutParameterNames(path),
      query: {
        type: "object",
        properties: Object.fromEntries(
          query.map(({ name, schema }) => [name, translate(schema, "request")]),
        ),
        required: query.filter(({ required }) => required).map(({ name }) => name),
        additionalProperties: false,
      },
      request: body ? whole(body, "request") : null,
      response: answer ? whole(answer, "response") : null,
      failures: Object.fromEntries(failures),
    }
  }

  const operations = Object.entries(paths).flatMap(([path, item]) =>
    ["get", "put", "post", "patch", "delete"]
      .filter((method) => method in item)
      .map((method) => operation(path, method, item[method])),
  )
  return { name: "openapi", operations, definitions }
}

/** The schema of the first media type that can be compared. */
function json(content: z.infer<typeof Content>): Schema | undefined {
  const types = ["application/json", "application/merge-patch+json", "multipart/form-data"]
  const contentTypes = types.filter((name) => content[name] !== undefined)
  if (contentTypes.length === 0) return undefined
  // A media type without a schema allows any body.
  return (
    contentTypes.map((name) => content[name]?.schema).find((schema) => schema !== undefined) ?? {}
  )
}

/** Follows a reference to `components.<kind>`. */
function resolveReference(value: Schema, targets: Record<string, Schema>, kind: string): Schema {
  const { $ref } = value
  if (typeof $ref !== "string") return value
  return targets[$ref.replace(`#/components/${kind}/`, "")] ?? value
}

function definition(direction: Direction, name: string): string {
  return `${direction}-${name}`
}

const Properties = z.record(z.string(), z.union([Schema, z.boolean()]))

/** Translates OpenAPI 3.0 to JSON Schema: references, `nullable`, `readOnly` and `writeOnly`. */
function translate(schema: Schema, direction: Direction): Schema {
  const { $ref } = schema
  if (typeof $ref === "string") {
    const name = $ref.replace("#/components/schemas/", "")
    return { $ref: `openapi#/definitions/${definition(direction, name)}` }
  }
  const translated: Schema = {}
  for (const [key, value] of Object.entries(schema)) {
    if (key === "properties") {
      translated[key] = mapValues(Properties.parse(value), (property) => inner(property, direction))
    } else if (key === "items" || key === "additionalProperties" || key === "not") {
      translated[key] = inner(value, direction)
    } else if (key === "allOf") {
      translated[key] = z
        .array(Schema)
        .parse(value)
        .map((member) => translate(member, direction))
    } else if (key === "oneOf" || key === "anyOf") {
      // Alternatives overlap throughout the document: "exactly one" would reject its own examples.
      translated["anyOf"] = z
        .array(Schema)
        .parse(value)
        .map((member) => translate(member, direction))
    } else if (key === "required") {
      translated[key] = z
        .array(z.string())
        .parse(value)
        .filter((name) => !isExempt(schema, name, direction))
    } else if (key === "type" && value === "any") {
      continue
    } else if (keptKeywords.has(key)) {
      translated[key] = value
    }
  }
  if (schema["nullable"] !== true) return translated
  return { anyOf: [{ type: "null" }, translated] }
}

const keptKeywords = new Set(
  "type enum const format pattern minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minLength maxLength minItems maxItems uniqueItems minProperties maxProperties".split(
    " ",
  ),
)

function inner(value: unknown, direction: Direction): unknown {
  return typeof value === "boolean" ? value : translate(Schema.parse(value), direction)
}

/** `readOnly` properties are required in responses only, `writeOnly` ones in requests only. */
function isExempt(schema: Schema, name: string, direction: Direction): boolean {
  const property = Properties.safeParse(schema["properties"]).data?.[name]
  if (typeof property !== "object") return false
  return property[direction === "request" ? "readOnly" : "writeOnly"] === true
}

function mapValues<T, U>(record: Record<string, T>, change: (value: T) => U): Record<string, U> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value)]))
}
