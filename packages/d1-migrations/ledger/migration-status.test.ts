import { expect, test } from "vitest"

import { usualNames } from "../names.ts"
import { compareMigrations, historyProblems } from "./migration-status.ts"

function file(name: string, sha256 = name) {
  return { name, sha256 }
}

function applied(name: string, sha256: string | undefined = name) {
  const record = sha256 === "" ? undefined : { name, sha256 }
  return { name, appliedAt: undefined, record }
}

const [a, b, c] = ["0000_a.sql", "0001_b.sql", "0002_c.sql"]

test.each([
  ["applied", [file(a)], [applied(a)], "applied", false],
  ["applied by another tool", [file(a)], [applied(a, "")], "unrecorded", false],
  ["not applied", [file(a)], [], "pending", false],
  ["edited", [file(a, "now")], [applied(a, "then")], "edited", true],
  ["gone", [], [applied(a)], "missing", true],
  ["only known to another tool", [], [applied(a, "")], "foreign", true],
  ["left out", [file(a), file(b)], [applied(b)], "out of order", true],
])("a migration that is %s is called so", (_what, files, past, state, needsAttention) => {
  const recorded = { applied: past, orphans: [] }
  const migrationStatus = compareMigrations(files, recorded).find(({ name }) => name === a)
  expect(migrationStatus?.state).toBe(state)
  expect(historyProblems(files, recorded, usualNames).length > 0).toBe(needsAttention)
})

test("a renamed file is found by its content, and is not pending besides", () => {
  const files = [file(a), file("0001_other.sql", b), file(c)]
  const recorded = { applied: [applied(a), applied(b)], orphans: [] }
  const migrationStatuses = compareMigrations(files, recorded)
  expect(migrationStatuses.map(({ name, state }) => [name, state])).toEqual([
    [a, "applied"],
    [b, "renamed"],
    [c, "pending"],
  ])
  expect(historyProblems(files, recorded, usualNames)).toEqual([
    "0001_b.sql is recorded as applied but is not among the migrations: its file is called 0001_other.sql now, so give it its name back.",
  ])
})

test("a record that the ledger lacks is torn", () => {
  const migrationStatuses = compareMigrations([file(a)], { applied: [], orphans: [{ name: a }] })
  expect(migrationStatuses.map(({ state }) => state)).toEqual(["pending", "torn"])
})
