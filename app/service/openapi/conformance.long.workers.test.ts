import { expect, test } from "vitest"
import * as z from "zod"

import { bind } from "../../testing/browser.ts"
import { components, type Operation, operations, type Schema } from "../../testing/described.ts"
import { createPerson } from "../../testing/person.ts"
import { createSeededRandom, type Random } from "../../testing/seeded-random.ts"

/** Fives of requests to each operation; set by the configuration of the tests. */
declare const SEEDED_ROUNDS: number

const oddities = [null, true, -1, 1e21, "", "\u0000", "%00", "💥", [], {}, "x".repeat(3000)]

function text({ pick }: Random, { format, minLength = 0 }: Schema) {
  if (format === "email") return pick(["ada@example.com", "a@b.co", "Ada@Example.org"])
  if (format === "date-time") return pick(["2026-11-21T00:00:00Z", "2026-11-21T01:02:03+02:00"])
  if (format === "date") return pick(["2026-11-21", "2024-02-29"])
  if (format === "uri") return pick(["https://example.com/a.png", "https://example.org/"])
  return pick(["a", "user_0", "längere Wörter", "/x", "{}", "' or 1=1 --"])?.padEnd(minLength, "x")
}

/** Returns a value of the schema, and occasionally an invalid one. */
function valueOf(random: Random, schema: Schema): unknown {
  if (random.next() < 0.05) return random.pick(oddities)
  if (schema.anyOf) return valueOf(random, random.pick(schema.anyOf) ?? {})
  if (schema.const !== undefined) return schema.const
  if (schema.enum) return random.pick(schema.enum)
  if (schema.type === "string") return text(random, schema)
  if (schema.type === "boolean") return random.next() < 0.5
  if (schema.type === "integer" || schema.type === "number") {
    const { minimum = 0, maximum = 100 } = schema
    return Math.round(minimum + random.next() * (Math.min(maximum, 1000) - minimum))
  }
  if (schema.type === "array") {
    const length = 1 + Math.floor(random.next() * 3)
    return Array.from({ length }, () => valueOf(random, schema.items ?? {}))
  }
  if (schema.type !== "object") return random.pick(oddities)
  const { properties = {}, required = [] } = schema
  const chosen = Object.entries(properties).filter(
    ([name]) => required.includes(name) || random.next() < 0.5,
  )
  return Object.fromEntries(chosen.map(([name, part]) => [name, valueOf(random, part)]))
}

function requestOf(random: Random, path: string, { parameters = [], requestBody }: Operation) {
  const query = new URLSearchParams()
  let filled = path
  for (const { name, in: place, required, schema } of parameters) {
    if (required !== true && random.next() < 0.4) continue
    const parameter: unknown = valueOf(random, schema)
    const value = typeof parameter === "string" ? parameter : JSON.stringify(parameter)
    if (place === "path") filled = filled.replace(`{${name}}`, encodeURIComponent(value) || "x")
    if (place === "query") query.append(name, value)
  }
  const [[type, content] = []] = Object.entries(requestBody?.content ?? {})
  const value = content && valueOf(random, content.schema)
  return {
    path: `${filled}?${query.toString()}`,
    type,
    body: content && (type === "application/json" ? JSON.stringify(value ?? null) : formOf(value)),
  }
}

function formOf(value: unknown) {
  const fields = z.record(z.string(), z.unknown()).catch({}).parse(value)
  const texts = Object.entries(fields).map(([name, field]) => [name, String(field)])
  return new URLSearchParams(texts).toString()
}

function isDescribed({ responses }: Operation, status: number) {
  const name = responses[String(status)]?.$ref?.split("/").at(-1)
  return name === undefined ? String(status) in responses : name in components.responses
}

/** The answer's code, unless the description lists it for the status. */
function unlistedCodes({ responses }: Operation, status: number, answer: string) {
  const name = responses[String(status)]?.$ref?.split("/").at(-1) ?? ""
  const listed = components.responses[name]?.content["application/json"]?.examples ?? {}
  const { code } = errorSchema.parse(JSON.parse(answer))
  return code in listed ? [] : [code]
}

const errorSchema = z.looseObject({ code: z.string(), message: z.string() })

test.each(operations)(
  "every operation answers only as described: $method $path",
  async (operation) => {
    const { path, method } = operation
    const seed = Array.from(operation.operationId).reduce(
      (sum, character) => sum * 31 + character.charCodeAt(0),
      7,
    )
    const random = createSeededRandom(seed)
    const bound = bind({ LIMIT_EMAIL: undefined, LIMIT_ADDRESS: undefined })
    const member = await createPerson(bound)
    const owner = await createPerson(bound, "owner")
    for (let round = 0; round < SEEDED_ROUNDS * 5; round += 1) {
      const { browser } = round % 2 === 0 ? member : owner
      const request = requestOf(random, path, operation)
      const response = await browser.send(method, request.path, {
        headers: request.type === undefined ? {} : { "content-type": request.type },
        ...(request.body === undefined ? {} : { body: request.body }),
      })
      const { status } = response
      const answer = await response.text()
      const exchange = { status, request, answer }
      const described = isDescribed(operation, status)
      expect({ ...exchange, described }).toMatchObject({ described: true })
      if (status === 302 || status === 303) continue
      const unlisted = status < 400 ? [] : unlistedCodes(operation, status, answer)
      expect({ ...exchange, unlisted }).toMatchObject({ unlisted: [] })
      const success = operation.responses["200"]?.content?.["application/json"]?.schema ?? {}
      const schema = status === 200 ? z.fromJSONSchema(success) : errorSchema
      const { error } = schema.safeParse(JSON.parse(answer))
      expect({ ...exchange, error }).toMatchObject({ error: undefined })
    }
  },
)
