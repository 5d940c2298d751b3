import { expect, test } from "vitest"

import { openScratchDatabase } from "../schema/scratch-database.ts"
import { describeFactDifferences, readFacts } from "./schema-facts.ts"

function differences(live: string, files: string): string[] {
  using scratchDatabase = openScratchDatabase()
  using fileDatabase = openScratchDatabase()
  scratchDatabase.exec(live)
  fileDatabase.exec(files)
  return describeFactDifferences(readFacts(scratchDatabase), readFacts(fileDatabase))
}

const parents = "CREATE TABLE a (id INTEGER PRIMARY KEY); CREATE TABLE b (id INTEGER PRIMARY KEY);"

test.each([
  ["a collation", "CREATE TABLE t (name TEXT COLLATE NOCASE)", "CREATE TABLE t (name TEXT)"],
  [
    "AUTOINCREMENT",
    "CREATE TABLE t (id INTEGER PRIMARY KEY AUTOINCREMENT)",
    "CREATE TABLE t (id INTEGER PRIMARY KEY)",
  ],
  [
    "what a generated column is made of",
    "CREATE TABLE t (n INTEGER, m AS (n + 1))",
    "CREATE TABLE t (n INTEGER, m AS (n + 2))",
  ],
  [
    "whether a generated column is stored",
    "CREATE TABLE t (n INTEGER, m AS (n) STORED)",
    "CREATE TABLE t (n INTEGER, m AS (n) VIRTUAL)",
  ],
  [
    "the order of a primary key",
    "CREATE TABLE t (a TEXT, b TEXT, PRIMARY KEY (a, b))",
    "CREATE TABLE t (a TEXT, b TEXT, PRIMARY KEY (b, a))",
  ],
  [
    "what a conflict does",
    "CREATE TABLE t (a TEXT UNIQUE ON CONFLICT REPLACE)",
    "CREATE TABLE t (a TEXT UNIQUE)",
  ],
  [
    "what a conflict of several columns does",
    "CREATE TABLE t (a TEXT, b TEXT, UNIQUE (a, b) ON CONFLICT IGNORE)",
    "CREATE TABLE t (a TEXT, b TEXT, UNIQUE (a, b))",
  ],
  [
    "when a reference is checked",
    `${parents} CREATE TABLE t (a REFERENCES a (id) DEFERRABLE INITIALLY DEFERRED)`,
    `${parents} CREATE TABLE t (a REFERENCES a (id))`,
  ],
  [
    "a second reference of the same column",
    `${parents} CREATE TABLE t (x REFERENCES a (id) REFERENCES b (id))`,
    `${parents} CREATE TABLE t (x REFERENCES b (id))`,
  ],
  [
    "the collation of a unique constraint",
    "CREATE TABLE t (a TEXT, UNIQUE (a COLLATE NOCASE))",
    "CREATE TABLE t (a TEXT, UNIQUE (a))",
  ],
  [
    "a descending key, which is no rowid",
    "CREATE TABLE t (id INTEGER PRIMARY KEY DESC)",
    "CREATE TABLE t (id INTEGER PRIMARY KEY)",
  ],
  ["a virtual table", "CREATE VIRTUAL TABLE t USING fts5 (a)", "CREATE TABLE u (a); DROP TABLE u"],
  [
    "the tokenizer of a virtual table",
    "CREATE VIRTUAL TABLE t USING fts5 (a, tokenize = 'porter')",
    "CREATE VIRTUAL TABLE t USING fts5 (a)",
  ],
  ["a check", "CREATE TABLE t (a CHECK (a > 1))", "CREATE TABLE t (a CHECK (a > 2))"],
  ["a default", "CREATE TABLE t (a DEFAULT 'A')", "CREATE TABLE t (a DEFAULT 'a')"],
])("%s makes another schema", (_what, live, files) => {
  expect(differences(live, files)).not.toEqual([])
  expect(differences(files, live)).not.toEqual([])
  expect(differences(live, live)).toEqual([])
})

test.each([
  [
    "quotes, blanks, comments and case",
    'create table [T] (\n"a" text /* x */ collate nocase, b integer -- y\n)',
    "CREATE TABLE t (a TEXT COLLATE NOCASE,b INTEGER)",
  ],
  ["the order of columns", "CREATE TABLE t (a TEXT, b TEXT)", "CREATE TABLE t (b TEXT, a TEXT)"],
  [
    "a column that was added",
    "CREATE TABLE t (a TEXT); ALTER TABLE t ADD COLUMN b TEXT DEFAULT 'x' COLLATE NOCASE",
    "CREATE TABLE t (a TEXT, b TEXT DEFAULT 'x' COLLATE NOCASE)",
  ],
])("%s make no difference", (_what, live, files) => {
  expect(differences(live, files)).toEqual([])
})
