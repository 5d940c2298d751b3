import { expect, test } from "vitest"
import * as z from "zod"

import committed from "../../docs/openapi.json"
import { createPerson } from "../testing/person.ts"
import { examples } from "./example-registry.ts"

type JsonSchema = Exclude<Parameters<typeof z.fromJSONSchema>[0], boolean>

type Shown = { schema: JsonSchema; example?: unknown }

type Content = { content?: { "application/json": Shown } }

type Operation = {
  operationId: string
  parameters: (Shown & { name: string; in: string })[]
  requestBody?: Content
  responses: Record<string, Content & { headers?: { location: Shown } }>
}

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- JSON of our own making, too deep to infer
const paths = committed.paths as unknown as Record<string, Record<string, Operation>>

const operations = Object.entries(paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) =>
    Object.assign(operation, { path, method: method.toUpperCase() }),
  ),
)

/** Every part of the operation that has an example, except the shared errors. */
function shownBy({ parameters, requestBody, responses }: Operation): [string, Shown][] {
  return [
    ...parameters.map((parameter): [string, Shown] => [parameter.name, parameter]),
    ...Object.entries({ body: requestBody, ...responses }).flatMap(
      ([name, part]): [string, Shown][] =>
        part?.content ? [[name, part.content["application/json"]]] : [],
    ),
    ...Object.entries(responses).flatMap(([status, { headers }]): [string, Shown][] =>
      headers ? [[`${status} location`, headers.location]] : [],
    ),
  ]
}

/** Forbids additional properties: otherwise a misspelt key of an example would match its schema. */
function closed(schema: object): JsonSchema {
  return JSON.parse(JSON.stringify(schema), (_, value: unknown) =>
    typeof value === "object" && value !== null && "properties" in value
      ? { additionalProperties: false, ...value }
      : value,
  )
}

test.each(operations)("the OpenAPI example of $operationId matches its schemas", (operation) => {
  const shown = shownBy(operation)
  const statuses = Object.keys(operation.responses).filter((status) => Number(status) < 400)
  expect(statuses).toHaveLength(1)
  expect(shown.map(([name]) => name.split(" ")[0])).toEqual(
    expect.arrayContaining([...statuses, ...(operation.requestBody ? ["body"] : [])]),
  )
  for (const [name, part] of shown) {
    expect(part, name).toHaveProperty("example")
    const { error } = z.fromJSONSchema(closed(part.schema)).safeParse(part.example)
    expect({ name, error }).toEqual({ name, error: undefined })
  }
})

test("the OpenAPI examples cover existing operations and parameters, and existing request bodies", () => {
  const known = new Map(operations.map((operation) => [operation.operationId, operation]))
  for (const [operationId, { parameters = {}, body }] of Object.entries(examples)) {
    const operation = known.get(operationId)
    expect(operation, operationId).toBeDefined()
    expect(Object.keys(parameters).toSorted(), operationId).toEqual(
      operation?.parameters.map(({ name }) => name).toSorted(),
    )
    expect(body !== undefined, operationId).toBe(operation?.requestBody !== undefined)
  }
})

test("the OpenAPI examples show every error by its code, matching the error schema", () => {
  const { responses, schemas } = committed.components
  const failure = z.fromJSONSchema(closed(schemas.Error))
  for (const [name, { description, content }] of Object.entries(responses)) {
    const shown = Object.entries(content["application/json"].examples)
    const codes = name.replace(/\.\d+$/, "")
    expect(shown.map(([code]) => code).join("."), name).toBe(codes)
    for (const [code, { value }] of shown) {
      expect(failure.parse(value)).toMatchObject({ code })
      expect(description).toContain(`${code}: ${value.message}`)
    }
  }
})

test.each(operations)(
  "the OpenAPI example of $operationId is accepted as valid input",
  async (operation) => {
    const { method, parameters, requestBody } = operation
    const { browser } = await createPerson(undefined, "owner")
    const query = new URLSearchParams()
    let path = operation.path
    for (const { name, in: place, example } of parameters) {
      if (place === "path") path = path.replace(`{${name}}`, String(example))
      if (place === "query") query.set(name, String(example))
    }
    const body = JSON.stringify(requestBody?.content?.["application/json"].example)
    const response = await browser.send(method, `${path}?${query.toString()}`, {
      ...(requestBody && { body, headers: { "content-type": "application/json" } }),
    })
    expect(await response.text()).not.toMatch(/"(?:BAD_REQUEST|VALIDATION_ERROR)"/)
  },
)
