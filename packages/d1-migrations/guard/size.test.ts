import { expect, test } from "vitest"

import { parseMigration } from "../files/migration-files.ts"
import { readSchema } from "../schema/schema.ts"
import { openScratchDatabase } from "../schema/scratch-database.ts"
import { findOversize, readSizes, sizeQueries } from "./size.ts"

const rebuild = parseMigration(
  "0001_rebuild.sql",
  Buffer.from(`CREATE TABLE __new_log (id INTEGER PRIMARY KEY, line TEXT NOT NULL);
INSERT INTO __new_log SELECT id, line FROM log;
DROP TABLE log;
ALTER TABLE __new_log RENAME TO log;`),
)

function refusalOf(size: { rows: number; bytes: number }) {
  return findOversize(rebuild, [{ table: "log", ...size }])
}

test("a rebuild that fits into one request of D1 is sent", () => {
  expect(refusalOf({ rows: 1_000_000, bytes: 100_000_000 })).toBeUndefined()
})

test.each([
  ["of too many rows", { rows: 2_000_000, bytes: 100_000_000 }],
  ["of too many bytes", { rows: 1000, bytes: 600_000_000 }],
])("a rebuild %s is refused with its size, and batches as the alternative", (_what, size) => {
  const megabytes = size.bytes / 1_000_000
  expect(refusalOf(size)).toContain(`log (${size.rows} rows, about ${megabytes} MB)`)
  expect(refusalOf(size)).toContain("Change it in batches")
})

test.each([1, 44, 45, 100])("a table of %i columns can be measured within D1's limits", (count) => {
  using database = openScratchDatabase()
  const columns = Array.from({ length: count }, (_, index) => `c${index}`)
  database.exec(`CREATE TABLE wide (${columns.join(", ")}); INSERT INTO wide (c0) VALUES ('four');`)
  const { wide = "" } = sizeQueries(readSchema(database))
  expect(() => database.prepare(wide)).not.toThrow()
  const rows = database.rows(wide).map((row) => {
    return Object.assign(row, { rows: Number(row["rows"]) })
  })
  expect(readSizes({ wide: rows })).toEqual([{ table: "wide", rows: 1, bytes: 4 }])
})
