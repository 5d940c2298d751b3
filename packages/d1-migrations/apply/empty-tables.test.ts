import { expect, test } from "vitest"

import { openDatabase } from "../d1/database.ts"
import { sqliteD1 } from "../d1/sqlite.ts"
import { isFailure } from "../failure.ts"
import { parseMigration } from "../files/migration-files.ts"
import { readMigrationsStatus } from "../ledger/database-status.ts"
import { applyMigrations } from "./apply.ts"

const log = { info: () => undefined, warn: () => undefined }

/** Applies files in one run on a database with rows, and expects that `status` said the same of them before. */
async function applyTogether(pending: string[]) {
  using d1 = sqliteD1()
  const database = openDatabase(d1)
  const files = ["CREATE TABLE t (id INTEGER PRIMARY KEY, v TEXT)", ...pending].map((sql, index) =>
    parseMigration(`000${index + 1}_file.sql`, Buffer.from(sql)),
  )
  await applyMigrations({ database, files: files.slice(0, 1), log })
  await d1.change("INSERT INTO t VALUES (1, 'a'), (2, NULL)")
  const { attention } = await readMigrationsStatus(database, files)
  const up = await applyMigrations({ database, files, log }).then(
    () => "applied",
    (error: unknown) => (isFailure(error, "MIGRATION_REFUSED") ? "refused" : "failed"),
  )
  expect(attention.length > 0).toBe(up === "refused")
  return up
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
  ["that another file fills", ["CREATE TABLE u (v TEXT)", "INSERT INTO u SELECT v FROM t"]],
  ["of rows of another table", ["CREATE TABLE u AS SELECT * FROM t"]],
  [
    "that others fill and change",
    [
      "CREATE TABLE u (v TEXT); INSERT INTO t VALUES (3, 'c')",
      "INSERT INTO u SELECT v FROM t; UPDATE u SET v = 'x'",
    ],
  ],
])("a table that a pending file makes, %s, may go in the same run", async (_what, files) => {
  expect(await applyTogether([...files, "DROP TABLE u"])).toBe("applied")
})

test.each([
  [
    "a column that another file fills",
    ["ALTER TABLE t ADD COLUMN w TEXT", "UPDATE t SET w = v", "UPDATE t SET w = 'x'"],
  ],
  [
    "a table that another file moves rows to",
    [
      "CREATE TABLE u AS SELECT * FROM t",
      "DELETE FROM t WHERE id IN (SELECT id FROM u)",
      "DROP TABLE u",
    ],
  ],
  [
    "a table that another file moves a column to",
    [
      "CREATE TABLE u (id INTEGER PRIMARY KEY, v TEXT)",
      "INSERT INTO u SELECT id, v FROM t; ALTER TABLE t DROP COLUMN v",
      "DROP TABLE u",
    ],
  ],
  [
    "a table that a file moves rows to by a trigger",
    [
      "CREATE TABLE u (id INTEGER PRIMARY KEY, v TEXT); CREATE TRIGGER moved AFTER INSERT ON u BEGIN DELETE FROM t WHERE id = NEW.id; END;",
      "INSERT INTO u SELECT id, v FROM t",
      "DROP TABLE u",
    ],
  ],
  ["a table that is renamed", ["ALTER TABLE t RENAME TO u", "DROP TABLE u"]],
  ["what was there under its name", ["DROP TABLE t; CREATE TABLE t (id INTEGER)", "DROP TABLE t"]],
  ["what was there", ["ALTER TABLE t ADD COLUMN w TEXT", "UPDATE t SET v = 'x'"]],
])("%s may hold something", async (_what, files) => {
  expect(await applyTogether(files)).toBe("refused")
})

test("a later file that only the guard refuses keeps the first file of the run back", async () => {
  using d1 = sqliteD1()
  const database = openDatabase(d1)
  const files = [
    "CREATE TABLE t (id INTEGER PRIMARY KEY, v TEXT)",
    "ALTER TABLE t ADD COLUMN w TEXT DEFAULT 'x'",
    "UPDATE t SET w = v; DELETE FROM t WHERE v IS NULL",
  ].map((sql, index) => parseMigration(`000${index + 1}_file.sql`, Buffer.from(sql)))
  await applyMigrations({ database, files: files.slice(0, 1), log })
  await d1.change("INSERT INTO t VALUES (1, 'a'), (2, NULL)")
  const refused = applyMigrations({ database, files, log })
  await expect(refused).rejects.toMatchObject({
    code: "MIGRATION_REFUSED",
    message: expect.stringMatching(
      /0003_file.sql: 1 of the rows of t are not in t any more \(-- d1:loses t, at most 1 rows: REASON\)\n1 of the values of t.w in t are others than before \(-- d1:changes t.w: REASON\)/,
    ),
  })
  expect(await database.applied()).toHaveLength(1)
  await applyMigrations({ database, files: files.slice(0, 2), log })
  expect(await database.applied()).toHaveLength(2)
})

test("a file that names the row guard's own tables is refused", async () => {
  expect(
    await applyTogether(["DELETE FROM t WHERE id = 1; DELETE FROM d1_migrations_before_0;"]),
  ).toBe("refused")
})
