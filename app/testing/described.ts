import type * as z from "zod"

import committed from "../service/openapi/openapi.json"

type JsonSchema = Exclude<Parameters<typeof z.fromJSONSchema>[0], boolean>

/** The part of JSON Schema that the description uses. */
export type Schema = {
  type?: string | string[]
  enum?: unknown[]
  const?: unknown
  format?: string
  pattern?: string
  minimum?: number
  maximum?: number
  minLength?: number
  maxLength?: number
  items?: Schema
  properties?: Record<string, Schema>
  required?: string[]
  additionalProperties?: Schema | boolean
  anyOf?: Schema[]
  oneOf?: Schema[]
}

export type Media = { schema: Schema & JsonSchema; example: object; examples?: object }

type Answer = { $ref?: string; headers?: { location?: Media }; content?: Record<string, Media> }

export type Operation = {
  operationId: string
  security: object[]
  parameters?: {
    name: string
    in: string
    required?: boolean
    schema: Schema & JsonSchema
    example?: unknown
  }[]
  requestBody?: { content: Record<string, Media> }
  responses: Record<string, Answer>
}

type Document = {
  paths: Record<string, Record<string, Operation>>
  components: { responses: Record<string, { content: Record<string, Media> } & Answer> }
}

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- JSON of our own making, too deep to infer
export const { paths, components } = committed as unknown as Document

export const operations = Object.entries(paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) =>
    Object.assign({ path, method: method.toUpperCase() }, operation),
  ),
)

/** Every field of the JSON that operations take, with an example of the whole. */
export const fields = operations.flatMap(({ path, requestBody }) => {
  const { schema = {}, example = {} } = requestBody?.content["application/json"] ?? {}
  const { properties = {}, required = [] } = schema
  return Object.entries(properties).map(([field, fieldSchema]) => ({
    path,
    field,
    own: fieldSchema,
    example,
    required,
  }))
})

const patterns = Object.entries(paths).map(([path, methods]) => ({
  pattern: new RegExp(`^${path.replaceAll(/\{\w+\}/g, "[^/]+")}$`),
  methods,
}))

/** Throws if a described operation gave an answer that the description does not list. */
export async function checkDescribed(method: string, path: string, response: Response) {
  const operation = patterns.find(({ pattern }) => pattern.test(path))?.methods[
    method.toLowerCase()
  ]
  if (operation === undefined) return
  const problems = await differences(operation, response)
  if (problems.length === 0) return
  throw new Error(
    `app/service/openapi/openapi.json lacks, for ${method} ${path}: ${problems.join(", ")}`,
  )
}

async function differences({ responses }: Operation, response: Response) {
  const { status, headers } = response
  const listed = responses[String(status)]
  if (listed === undefined) return [`status ${status}`]
  const described = components.responses[listed.$ref?.split("/").at(-1) ?? ""] ?? listed
  // Any answer may change these, as the introduction says.
  const anywhere = /^[\w-]+\.bookmark=/
  const cookies = headers.getSetCookie().filter((line) => !anywhere.test(line))
  const names = [
    ...(cookies.length > 0 ? ["set-cookie"] : []),
    ...["retry-after", "location"].filter((name) => headers.has(name)),
  ]
  const describedNames = Object.keys(described.headers ?? {})
  return [
    ...names
      .filter((name) => !describedNames.includes(name))
      .map((name) => `header ${name} of ${status}`),
    ...describedNames
      .filter((name) => name === "retry-after" && !headers.has(name))
      .map((name) => `an answer ${status} without ${name}`),
    ...(await unlistedCode(described, response)),
    ...(await oddSentences(response)),
  ]
}

/** Sentences beside rejected fields have one form, whatever rejected them. */
async function oddSentences(response: Response) {
  if (response.status !== 400) return []
  const { code, data } = await response
    .clone()
    .json<{ code: string; data?: { issues?: { message: string }[] } }>()
  const sentences = code === "BAD_REQUEST" ? (data?.issues ?? []) : []
  return sentences
    .map(({ message }) => message)
    .filter((message) => !/^(?:Must|Is|Does not take) /.test(message))
    .map((message) => `a form of sentences like that of "${message}"`)
}

async function unlistedCode({ content }: Answer, response: Response) {
  // Only errors have several examples, by code.
  const examples = content?.["application/json"]?.examples
  if (examples === undefined) return []
  const { code } = await response.clone().json<{ code: string }>()
  const codes = Object.keys(examples)
  return codes.includes(code) ? [] : [`code ${code} of ${response.status}`]
}
