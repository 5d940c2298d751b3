import { expect, test } from "vitest"

import { migrationsDirectory } from "../../../root.ts"
import { readMigrations } from "../migration-files.ts"
import { isRefused, lintScript } from "./lint.ts"

test("a finding names line and column of what is wrong, and what to write instead", () => {
  const schema = "CREATE TABLE note (id TEXT PRIMARY KEY, text TEXT);"
  const sql = "-- tidy up\nSELECT 1; DELETE\n  FROM note;"
  const { findings } = lintScript({ sql, earlier: [schema] })
  expect(findings).toEqual([
    {
      rule: "unbounded-write",
      level: "error",
      line: 3,
      column: 8,
      message: expect.stringContaining("every row of note"),
      rewrite: expect.stringContaining("in batches"),
    },
  ])
})

const rebuild = `CREATE TABLE __new_note (id TEXT PRIMARY KEY, text TEXT DEFAULT '');
INSERT INTO __new_note SELECT id, text FROM note;
DROP TABLE note;
ALTER TABLE __new_note RENAME TO note;`

test("without the earlier files, whatever may refer to a table is taken to be there", () => {
  const alone = lintScript({ sql: rebuild, earlier: undefined })
  expect(alone.unknown).toEqual(["note"])
  expect(alone.findings).toMatchObject([
    { rule: "cascade-parent", level: "error", line: 3, message: expect.stringContaining("note") },
  ])
  const known = lintScript({
    sql: rebuild,
    earlier: ["CREATE TABLE note (id TEXT PRIMARY KEY, text TEXT);"],
  })
  expect(known).toEqual({ findings: [], unknown: [] })
})

test("without the earlier files, what only needs them is no error", () => {
  const sql = `ALTER TABLE product ADD COLUMN image_id INTEGER REFERENCES image (id);
CREATE INDEX product_image ON product (image_id, name);
UPDATE product SET slug = lower(name) WHERE slug IS NULL;
INSERT INTO image (content) SELECT content FROM upload;
DROP INDEX product_name;`
  expect(isRefused(lintScript({ sql, earlier: undefined }))).toBe(false)
})

test("earlier files that do not apply one after the other are not taken for a history", () => {
  const strangers = ["CREATE TABLE note (id TEXT);", "CREATE TABLE note (id TEXT);"]
  const { unknown } = lintScript({ sql: "ALTER TABLE note ADD x TEXT;", earlier: strangers })
  expect(unknown).toEqual(["note"])
})

test("a statement that cannot run is found whatever the rows are", () => {
  const schema = "CREATE TABLE note (id TEXT PRIMARY KEY);"
  for (const sql of [
    "SELEKT 1;",
    "CREATE INDEX note_at ON note (at);",
    "ALTER TABLE note DROP COLUMN x;",
  ]) {
    const { findings } = lintScript({ sql, earlier: [schema] })
    const place = { rule: "fails", level: "error", line: 1, column: 1 }
    expect(findings).toEqual(expect.arrayContaining([expect.objectContaining(place)]))
  }
})

test("no migration of this repository is refused", async () => {
  const files = await readMigrations(migrationsDirectory)
  for (const [index, { name, sql }] of files.entries()) {
    const earlier = files.slice(0, index).map((file) => file.sql)
    expect([name, isRefused(lintScript({ sql, earlier }))]).toEqual([name, false])
  }
})

test("a loss that the file declares is a warning", () => {
  const schema = "CREATE TABLE note (id TEXT PRIMARY KEY);"
  const sql =
    "-- accounts:loses note, at most 10 rows: notes moved to another service\nDELETE FROM note;"
  const { findings } = lintScript({ sql, earlier: [schema] })
  expect(findings).toMatchObject([{ rule: "unbounded-write", level: "warning" }])
})
