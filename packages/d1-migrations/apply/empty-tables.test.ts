import { expect, test } from "vitest"

import { openDatabase } from "../d1/database.ts"
import { sqliteD1 } from "../d1/sqlite.ts"
import { isFailure } from "../failure.ts"
import { parseMigration } from "../files/migration-files.ts"
import { applyMigrations } from "./apply.ts"

const log = { info: () => undefined, warn: () => undefined }

/** What becomes of files that are all pending on a database with rows. */
async function applyTogether(pending: string[]) {
  using d1 = sqliteD1()
  const database = openDatabase(d1)
  const files = ["CREATE TABLE t (id INTEGER PRIMARY KEY, v TEXT)", ...pending].map((sql, index) =>
    parseMigration(`000${index + 1}_file.sql`, Buffer.from(sql)),
  )
  await applyMigrations({ database, files: files.slice(0, 1), log })
  await d1.change("INSERT INTO t VALUES (1, 'a'), (2, NULL)")
  return await applyMigrations({ database, files, log }).then(
    () => "applied",
    (error: unknown) => (isFailure(error, "MIGRATION_REFUSED") ? "refused" : "failed"),
  )
}

test.each([
  ["a column", ["ALTER TABLE t ADD COLUMN w TEXT", "UPDATE t SET w = v || '!'"]],
  ["a table", ["CREATE TABLE u (id INTEGER PRIMARY KEY)", "DROP TABLE u"]],
])(
  "%s that a pending file adds holds nothing that the next one could take",
  async (_what, files) => {
    expect(await applyTogether(files)).toBe("applied")
  },
)

test.each([
  [
    "a column with a default",
    ["ALTER TABLE t ADD COLUMN w TEXT DEFAULT 'x'", "UPDATE t SET w = v"],
  ],
  [
    "a column that another file fills",
    ["ALTER TABLE t ADD COLUMN w TEXT", "UPDATE t SET w = v", "UPDATE t SET w = 'x'"],
  ],
  [
    "a table that another file fills",
    ["CREATE TABLE u (v TEXT)", "INSERT INTO u SELECT v FROM t", "DROP TABLE u"],
  ],
  ["a table that is made of another one", ["CREATE TABLE u AS SELECT * FROM t", "DROP TABLE u"]],
  ["what was there under its name", ["DROP TABLE t; CREATE TABLE t (id INTEGER)", "DROP TABLE t"]],
  ["what was there", ["ALTER TABLE t ADD COLUMN w TEXT", "UPDATE t SET v = 'x'"]],
])("%s may hold something", async (_what, files) => {
  expect(await applyTogether(files)).toBe("refused")
})

test("a file that names the row guard's own tables is refused", async () => {
  expect(
    await applyTogether(["DELETE FROM t WHERE id = 1; DELETE FROM d1_migrations_before_0;"]),
  ).toBe("refused")
})
