import { expect, test } from "vitest"

import { lintScript } from "../lint/lint.ts"
import { openScratchDatabase } from "../schema/scratch-database.ts"
import { checksIn, definitionOf, isCounting } from "./parts.ts"

test.each(['"check"', "[check]", "`check`"])("a column called %s is no check", (name) => {
  using database = openScratchDatabase()
  database.exec(`CREATE TABLE t (id INTEGER PRIMARY KEY, ${name} TEXT, "autoincrement" TEXT,
    CHECK (length(${name}) < 9), UNIQUE (${name}))`)
  expect(checksIn(definitionOf(database, "t"), "t")).toEqual(['length ( "check" ) < 9'])
  expect(isCounting(database, "t")).toBe(false)
})

test.each([
  ["check", "TEXT"],
  ["check", `TEXT CHECK ("check" <> '')`],
  ["my check", `TEXT CHECK ("my check" <> '')`],
  ["unique", "TEXT UNIQUE"],
  ["references", "TEXT COLLATE NOCASE"],
])("a declared loss of a column called %s needs no line for another part: %s", (name, type) => {
  const sql = `-- d1:loses t."${name}": no query reads it
CREATE TABLE n (id INTEGER PRIMARY KEY, v TEXT); INSERT INTO n SELECT id, v FROM t; DROP TABLE t; ALTER TABLE n RENAME TO t;`
  const earlier = [`CREATE TABLE t (id INTEGER PRIMARY KEY, v TEXT, "${name}" ${type});`]
  expect(lintScript({ sql, earlier }).outcome).toBe("declared")
})
