import { expect, test } from "vitest"

import { passed, runTests } from "./testing/soak/run-tests.ts"

const isFull = process.env["SOAK_BUDGET"] === "full"
/** In full, as many as there are of them. */
const visits = isFull ? 10_000 : 8

test("no fault of the database at a round trip of a route leaves half of something", async () => {
  const env = { FAULT_VISITS: String(visits) }
  expect(await runTests("workers", "app/service/database/faults-by-route", env)).toMatchObject(
    passed,
  )
})

const stall = isFull ? 120 : 15

test(`a database that hangs for ${stall} s under load keeps nobody waiting, and signs nobody out`, async () => {
  const env = { STALL_SECONDS: String(stall) }
  expect(await runTests("deploy", "tests/stalled-database", env)).toMatchObject(passed)
})
