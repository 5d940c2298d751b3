import { expect, test } from "vitest"

import { parseMigration } from "../files/migration-files.ts"
import { quoteName, readSchema } from "../schema/schema.ts"
import { openScratchDatabase, type ScratchDatabase } from "../schema/scratch-database.ts"
import { findObjections } from "../testing/find-objections.ts"
import { isRefused, lintScript } from "./lint.ts"
import { readCases } from "./testing/cases.ts"

const judged = readCases().map((lintCase) => {
  const verdict = lintScript({ sql: lintCase.change, earlier: [lintCase.before] })
  using database = openWith(lintCase.before)
  const file = parseMigration("0001_change.sql", Buffer.from(lintCase.change))
  const up = findObjections(database, [file]).length > 0 ? "refuses" : "sends"
  const actual = { lint: verdict.outcome, up }
  return Object.assign(lintCase, { found: actual, refused: isRefused(verdict) })
})

function openWith(...scripts: string[]): ScratchDatabase {
  const database = openScratchDatabase()
  database.exec("PRAGMA foreign_keys = OFF")
  for (const sql of scripts) database.exec(sql)
  database.exec("PRAGMA foreign_keys = ON")
  return database
}

test("each case is judged as recorded, by lint and up alike", () => {
  const rows = judged.map(
    ({ name, harm, found }) =>
      `${name.padEnd(40)} harm ${harm.padEnd(4)} lint ${found.lint.padEnd(11)} up ${found.up}`,
  )
  process.stdout.write(`${rows.join("\n")}\n`)
  expect(judged.map(({ name, found }) => ({ name, ...found }))).toEqual(
    judged.map(({ name, lint, up }) => ({ name, lint, up })),
  )
  // `up` refuses only what lint refuses; the guard decides what depends on rows.
  for (const { name, refused } of judged.filter(({ up }) => up === "refuses")) {
    expect([name, refused]).toEqual([name, true])
  }
})

/**
 * The guard carries over what AUTOINCREMENT counts with, and compares each number above 2^53 and each row
 * without a key.
 */
const onlyCompared = ["autoincrement-reset", "int-to-real"]

test("what does harm is refused, and never passes without a word", () => {
  const passing = judged.filter(({ harm, refused }) => harm === "yes" && !refused)
  expect(passing.map(({ name }) => name).toSorted()).toEqual(onlyCompared)
  expect(passing.map(({ found }) => found.lint)).not.toContain("keeps")
})

/** Lint refuses these, as it knows no rows; the request compares the rows, and applies them. */
const explained = [
  "affinity-round-trip-ctas",
  "delete-of-own-insert",
  "delete-orphan-exists",
  "delete-orphan-session",
  "distinct-with-key",
  "null-orphan",
  "rebuild-union-all",
  "row-value-upsert",
  "split-rows-null",
]

test("what does no harm passes, except columns whose values real rows may still need", () => {
  const alarms = judged.filter(({ harm, refused }) => harm === "no" && refused)
  expect(alarms.map(({ name }) => name).toSorted()).toEqual(explained)
})

test.each(judged.filter(({ found }) => found.lint === "keeps"))(
  "$name: every value is there afterwards",
  ({ before, rows, change }) => {
    using database = openWith(before, rows)
    const then = valuesOf(database)
    database.exec(`BEGIN; ${change}; COMMIT;`)
    const now = new Set(valuesOf(database))
    expect(then.filter((value) => !now.has(value))).toEqual([])
  },
)

function valuesOf(database: ScratchDatabase): string[] {
  return readSchema(database).flatMap(({ name, columns }) => {
    const list = columns.map((column) => `quote(${quoteName(column.name)})`)
    return database
      .rows(`SELECT ${list.join(", ")} FROM ${quoteName(name)}`)
      .flatMap((row) => Object.values(row).map(String))
  })
}
