import { writeFile } from "node:fs/promises"
import { join } from "node:path"

import { expect, test } from "vitest"

import { temporaryDirectory } from "../../../daemon/testing/temporary-directory.ts"
import { createContractCheck } from "./contract-check.ts"
import type { Exchange } from "./exchange.ts"
import { findExplanation } from "./known-differences.ts"
import { routesFile } from "./recorder.ts"
import { formatViolation, reviewRecording } from "./recording-review.ts"
import { describeSdk } from "./sdk-description.ts"

const path = "/client/v4/accounts/6163/d1/database"
const database = { uuid: "9f5a", name: "notes", version: "production", num_tables: 0 }
const conforming: Exchange = {
  time: "2026-01-01T00:00:00.000Z",
  userAgent: "node",
  method: "POST",
  path,
  query: [],
  request: { type: "application/json", json: { name: "notes" } },
  status: 200,
  response: answer({ success: true, errors: [], messages: [], result: database }),
}

function answer(json: unknown) {
  return { type: "application/json", json }
}

const check = createContractCheck([describeSdk()])
function problems(change: Partial<Exchange>) {
  return check({ ...conforming, ...change })
    .filter((violation) => findExplanation(violation) === undefined)
    .map(({ place, pointer, problem }) => `${place} ${pointer} ${problem}`)
}

const ok = { success: true, errors: [], messages: [] }

test.each<[string, Partial<Exchange>, string[]]>([
  ["a valid exchange", {}, []],
  [
    "an unknown field in a response",
    { response: answer({ ...ok, result: { ...database, colour: "red" } }) },
    ["response /result/colour is not described"],
  ],
  [
    "a missing field in a response",
    { response: answer({ success: true, messages: [], result: database }) },
    ["response /errors is missing"],
  ],
  [
    "a wrong type in a response",
    { response: answer({ ...ok, result: { ...database, num_tables: "0" } }) },
    ["response /result/num_tables is string, not number"],
  ],
  ["a response without JSON", { response: null }, ["response  has no JSON, and some is described"]],
  [
    "an unknown field in an accepted request",
    { request: answer({ name: "notes", colour: "red" }) },
    ["request /colour is not described"],
  ],
  ["a missing field in an accepted request", { request: answer({}) }, ["request /name is missing"]],
  ["an unknown parameter", { query: [["colour", "red"]] }, ["query /colour is not described"]],
  [
    "an error without the envelope",
    { status: 400, request: null, response: answer({ error: "no" }) },
    [
      "response /success is missing",
      "response /errors is missing",
      "response /messages is missing",
      "response /result is missing",
      "response /error is not described",
    ],
  ],
  [
    "an unknown route",
    { path: "/client/v4/accounts/6163/nonsense" },
    ["route  is in no description (answered 200)"],
  ],
  [
    "a client's request for an unknown route",
    { path: "/client/v4/accounts/6163/nonsense", status: 501, userAgent: "wrangler/4.156.2" },
    ["route  is in no description (answered 501)"],
  ],
])("the contract's verdict on %s", (_what, change, expected) => {
  expect(problems(change)).toEqual(expected)
})

test("a value that fits no alternative is compared with the closest one", () => {
  const bindings = [{ type: "plain_text", name: "A", text: 1 }]
  const request = { type: "application/json", json: { main_module: "a.js", bindings } }
  const versions = "/client/v4/accounts/6163/workers/workers/a/versions"
  const requestProblems = problems({ path: versions, request }).filter((problem) =>
    problem.startsWith("request"),
  )
  expect(requestProblems).toEqual(["request /bindings/*/text is number, not string"])
})

test("a review lists each violation once with its client, and the routes without requests", async () => {
  await using directory = await temporaryDirectory()
  const wrong = { ...conforming, query: [["colour", "red"]] }
  const lines = [conforming, wrong, wrong].map((exchange) => `${JSON.stringify(exchange)}\n`)
  await writeFile(join(directory.path, "one.ndjson"), `${lines.join("")}{"time":"20`)
  const databases = "/accounts/{}/d1/database"
  const routes = ["GET", "POST"].map((method) => ({ method, path: databases }))
  await writeFile(routesFile(directory.path), JSON.stringify(routes))
  const { exchanges, unexplained, idle, stale } = await reviewRecording(directory.path, undefined)
  expect(exchanges).toBe(3)
  expect(unexplained.map(formatViolation)).toEqual([
    "POST /accounts/{}/d1/database: query /colour is not described (sdk; sent by node)",
  ])
  expect(idle).toEqual(["GET /accounts/{}/d1/database"])
  expect(stale.length).toBeGreaterThan(0)
})
