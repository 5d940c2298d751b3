import { readFileSync } from "node:fs"
import { join } from "node:path"

import { expect, test } from "vitest"
import * as z from "zod"

import { root } from "../../base/root.ts"
import { apiChanges, descriptionPath } from "./api-changes.ts"
import { description } from "./testing/contract.ts"

type Parts = Parameters<typeof description>[0]

function lossesFrom(after: Parts, before: Parts = {}) {
  const [old, now] = [before, after].map((parts) => JSON.stringify(description(parts)))
  return apiChanges(old, now).map(({ operation, loses }) => `${operation} ${loses}`)
}

const text = { type: "string", maxLength: 1000 }

test.each<[string, Parts, string]>([
  ["a field that is refused", { sent: { text } }, "no longer takes mood"],
  [
    "less room",
    { sent: { text: { ...text, maxLength: 5 }, mood: { type: "string" } } },
    "takes text with maxLength 5, not 1000",
  ],
  [
    "a list of values",
    { sent: { text, mood: { enum: ["good"], type: "string" } } },
    "takes mood only as good",
  ],
  [
    "another kind",
    { sent: { text, mood: { type: "integer" } } },
    "takes mood as integer, not string",
  ],
  ["a field that is not answered", { answered: ["id"] }, "no longer answers text"],
])("a caller loses: %s", (_, after, lost) => {
  expect(lossesFrom(after)).toEqual([`createEntry ${lost}`])
})

test("a caller loses nothing by what is new, or is allowed besides", () => {
  const roomy = { text: { ...text, maxLength: 2000 }, mood: { type: ["string", "null"] }, to: text }
  expect(
    lossesFrom({ sent: roomy, answered: ["id", "text", "at"], paths: { "/next": {} } }),
  ).toEqual([])
  expect(lossesFrom({}, { paths: { "/next": { post: {} } } })).toEqual(["POST /next is gone"])
})

test("one of two kinds that goes is lost, and a value that an answer never had may surprise", () => {
  const either = { anyOf: [text, { type: "null" }] }
  const shorter = { anyOf: [{ ...text, maxLength: 5 }, { type: "null" }] }
  const lost = lossesFrom({ sent: { text: shorter } }, { sent: { text: either } })
  expect(lost).toEqual(["createEntry takes text with maxLength 5, not 1000"])
  expect(lossesFrom({ sent: { text } }, { sent: { text: either } })).toEqual([
    "createEntry takes text as string, not null",
  ])
})

test("a description that cannot be read is said", () => {
  const before = JSON.stringify(description())
  expect(apiChanges(before, "{")).toMatchObject([{ loses: "cannot be read" }])
  expect(apiChanges(undefined, before)).toEqual([])
})

const compared = new Set(
  `type enum const format pattern required properties items additionalProperties anyOf oneOf
  minLength minimum minItems exclusiveMinimum maxLength maximum maxItems exclusiveMaximum`.split(
    /\s+/,
  ),
)
/** They say nothing about what is allowed; names of properties are answered only. */
const descriptive = new Set(
  "description default title example examples propertyNames x-native-type".split(" "),
)

const Any = z.record(z.string(), z.unknown())

/** Words of the schemas of a body, wherever they stand. */
function wordsOf(schema: unknown): string[] {
  const { success, data = {} } = Any.safeParse(schema)
  if (!success) return []
  const { properties, items, additionalProperties, anyOf = [], oneOf = [] } = data
  const within = [Object.values(Any.catch({}).parse(properties)), items, additionalProperties]
  return [...Object.keys(data), ...[within, anyOf, oneOf].flat(2).flatMap(wordsOf)]
}

test("the description of the service says in no other words what is allowed", () => {
  const written = readFileSync(join(root, descriptionPath), "utf8")
  const schemas: unknown[] = []
  const { paths } = z.object({ paths: z.record(z.string(), Any) }).parse(JSON.parse(written))
  for (const { parameters, requestBody, responses } of Object.values(paths).flatMap((methods) =>
    Object.values(methods).map((operation) => Any.parse(operation)),
  )) {
    const good = Object.entries(Any.parse(responses)).filter(([status]) => status.startsWith("2"))
    JSON.parse(JSON.stringify([parameters, requestBody, good]), (key, value: unknown) => {
      if (key === "schema") schemas.push(value)
      return value
    })
  }
  const used = new Set(schemas.flatMap(wordsOf))
  expect([...used].filter((word) => !compared.has(word) && !descriptive.has(word))).toEqual([])
  expect(apiChanges(written, `${written} `)).toEqual([])
})
