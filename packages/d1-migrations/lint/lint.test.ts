import { expect, test } from "vitest"

import { isRefused, lintScript } from "./lint.ts"

test("a finding names line and column of what is wrong, and what to write instead", () => {
  const schema = "CREATE TABLE note (id TEXT PRIMARY KEY, text TEXT);"
  const sql = "-- tidy up\nSELECT 1; DELETE\n  FROM note;"
  const { findings } = lintScript({ sql, earlier: [schema] })
  expect(findings).toEqual([
    {
      rule: "lost-rows",
      level: "error",
      line: 3,
      column: 8,
      message: "a DELETE takes rows of note for good",
      statement: 2,
      rewrite: expect.stringContaining("-- d1:loses note, at most N rows: REASON"),
    },
  ])
})

const rebuild = `CREATE TABLE __new_note (id TEXT PRIMARY KEY, text TEXT DEFAULT '');
INSERT INTO __new_note SELECT id, text FROM note;
DROP TABLE note;
ALTER TABLE __new_note RENAME TO note;`

test("without the earlier files a file that takes rows could not be judged, and is refused", () => {
  for (const sql of [
    rebuild,
    "DELETE FROM note;",
    "DROP TABLE IF EXISTS note;",
    "UPDATE user SET name = (SELECT p.name FROM profile p WHERE p.id = user.id);\nDROP TABLE note;",
    "CREATE TABLE IF NOT EXISTS note (id TEXT);\nDELETE FROM note;",
    "UPDATE OR REPLACE note SET id = lower(id);",
    "INSERT INTO log SELECT 1 WHERE EXISTS (SELECT 1 FROM conf);\nDROP TABLE note;",
  ]) {
    const alone = lintScript({ sql, earlier: undefined })
    expect({ sql, outcome: alone.outcome, refused: isRefused(alone) }).toEqual({
      sql,
      outcome: "not judged",
      refused: true,
    })
    expect(alone.unknown).toContain("note")
    expect(alone.findings.map(({ rule }) => rule)).toContain("not-judged")
  }
  const verdict = lintScript({
    sql: rebuild,
    earlier: ["CREATE TABLE note (id TEXT PRIMARY KEY, text TEXT);"],
  })
  expect(verdict).toEqual({ outcome: "compared", findings: [], unknown: [] })
})

const takes = [
  "DROP TABLE note;",
  "DROP TABLE IF EXISTS note;",
  'DROP TABLE IF EXISTS main."Note";',
  "DROP TABLE IF EXISTS note; CREATE TABLE note (id TEXT);",
  "DELETE FROM note;",
  "DELETE FROM note WHERE id = 1;",
  "WITH old AS (SELECT 1 AS id) DELETE FROM note WHERE id IN (SELECT id FROM old);",
  "UPDATE note SET text = '';",
  "UPDATE OR REPLACE note SET id = 1 WHERE id = 2;",
  "INSERT OR REPLACE INTO note VALUES (1);",
  "REPLACE INTO note VALUES (1);",
  "INSERT INTO note VALUES (1) ON CONFLICT DO UPDATE SET text = '';",
  "ALTER TABLE note DROP COLUMN text;",
  "ALTER TABLE note RENAME TO old; DROP TABLE old;",
  "CREATE TABLE copy AS SELECT * FROM note; DROP TABLE note;",
  "CREATE TABLE IF NOT EXISTS note (id TEXT); DROP TABLE note;",
  "DROP VIEW note;",
  "DROP VIEW IF EXISTS note;",
  "DROP TRIGGER note;",
  "DROP TRIGGER IF EXISTS note;",
  "CREATE TABLE tag (id); CREATE TRIGGER t AFTER INSERT ON tag BEGIN REPLACE INTO note VALUES (1); END; INSERT INTO tag VALUES (1);",
  "CREATE VIEW shown AS SELECT * FROM note;",
  "PRAGMA writable_schema = ON;",
]

const adds = [
  "ALTER TABLE note RENAME TO old;",
  "ALTER TABLE note RENAME COLUMN text TO body;",
  "ALTER TABLE note ADD COLUMN at INTEGER;",
  "CREATE INDEX note_text ON note (text);",
  "DROP INDEX note_text;",
  "DROP INDEX IF EXISTS note_text;",
  "INSERT INTO note VALUES (1);",
  "INSERT OR IGNORE INTO note SELECT * FROM other;",
  "CREATE TRIGGER t AFTER INSERT ON note BEGIN DELETE FROM tag; END;",
  "DROP VIEW IF EXISTS shown; CREATE VIEW shown AS SELECT 1;",
]

test.each(takes)("without earlier files, this is refused: %s", (sql) => {
  const verdict = lintScript({ sql, earlier: undefined })
  expect(isRefused(verdict)).toBe(true)
})

test.each(adds)("without earlier files, this is neither an error nor called safe: %s", (sql) => {
  const verdict = lintScript({ sql, earlier: undefined })
  expect([verdict.outcome, isRefused(verdict)]).toEqual(["not judged", false])
})

/** Views and triggers hold no rows, and none is there before the first file. */
const takesRows = takes.filter((sql) => !/^DROP (?:VIEW|TRIGGER) IF/.test(sql))

test.each(takesRows)("as the first file of a folder, this is refused as well: %s", (sql) => {
  expect(isRefused(lintScript({ sql, earlier: [] }))).toBe(true)
})

test("what a first file makes itself it may drop", () => {
  const sql = `CREATE TABLE note (id TEXT); DROP TABLE IF EXISTS Note;
CREATE TABLE IF NOT EXISTS tag (id INTEGER PRIMARY KEY); INSERT OR REPLACE INTO tag VALUES (1);
DROP VIEW IF EXISTS shown; CREATE VIEW shown AS SELECT id FROM tag;`
  expect(lintScript({ sql, earlier: [] })).toMatchObject({ outcome: "keeps", findings: [] })
})

test("without the earlier files, what only adds to their tables is no error, nor called safe", () => {
  const sql = `ALTER TABLE product ADD COLUMN image_id INTEGER REFERENCES image (id);
CREATE INDEX product_image ON product (image_id, name);
INSERT INTO image (content) SELECT content FROM upload;
DROP INDEX product_name;`
  const verdict = lintScript({ sql, earlier: undefined })
  expect(verdict).toMatchObject({
    outcome: "not judged",
    unknown: ["product", "image", "product_name"],
  })
  expect(isRefused(verdict)).toBe(false)
})

test("files after a statement that does not run here are still judged", () => {
  const strangers = [
    { name: "0001_a.sql", sql: "CREATE TABLE note (id TEXT);" },
    {
      name: "0002_b.sql",
      sql: "CREATE TEMP TABLE old AS SELECT * FROM note;\nCREATE TABLE tag (id TEXT);",
    },
  ]
  expect(lintScript({ sql: "DELETE FROM tag;", earlier: strangers })).toMatchObject({
    outcome: "loses",
    findings: [{ rule: "lost-rows" }],
  })
  expect(
    lintScript({ sql: "ALTER TABLE tag ADD COLUMN at INTEGER;", earlier: strangers }),
  ).toMatchObject({
    outcome: "keeps",
    findings: [],
  })
  const libsql = [{ name: "0002_b.sql", sql: "ALTER TABLE note ALTER COLUMN id TO id INTEGER;" }]
  const verdict = lintScript({
    sql: "DELETE FROM note;",
    earlier: [...strangers.slice(0, 1), ...libsql],
  })
  expect(verdict).toMatchObject({
    outcome: "loses",
    unknown: [expect.stringContaining("0002_b.sql, line 1, does not run here: ")],
  })
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

test("a loss that the file declares is a warning", () => {
  const schema = "CREATE TABLE note (id TEXT PRIMARY KEY);"
  const sql = "-- d1:loses note, at most 10 rows: notes moved to another service\nDELETE FROM note;"
  const { findings } = lintScript({ sql, earlier: [schema] })
  expect(findings).toMatchObject([{ rule: "lost-rows", level: "warning" }])
})

const priceSchema = "CREATE TABLE price (id TEXT PRIMARY KEY, cents INTEGER);"

test("what a rule finds without a loss is accepted in the file, with a reason", () => {
  const sql = `-- d1:accept fails-on-rows: no database has had a price before April
ALTER TABLE price ADD COLUMN mood TEXT NOT NULL;
PRAGMA
  foreign_keys = OFF; -- d1:accept transaction: it does nothing, and other databases need it`
  const verdict = lintScript({ sql, earlier: [priceSchema] })
  const accepted = (reason: string) => expect.stringMatching(`^Accepted: ${reason}`)
  expect(verdict.findings).toMatchObject([
    { rule: "fails-on-rows", line: 2, level: "warning", rewrite: accepted("no database has") },
    { rule: "transaction", line: 3, level: "warning", rewrite: accepted("it does nothing") },
  ])
  expect(isRefused(verdict)).toBe(false)
})

test("a file without earlier files may be accepted", () => {
  const sql =
    "-- d1:accept not-judged: the table has been empty since May\nDROP TABLE IF EXISTS note;"
  for (const earlier of [undefined, []]) {
    expect(isRefused(lintScript({ sql, earlier }))).toBe(false)
  }
})

test("what is lost is declared and not accepted, and an acceptance of nothing is said", () => {
  const sql =
    "-- d1:accept lost-rows: prices are of no use any more\nDELETE FROM price;\n-- d1:accept fails: which it does not"
  const { findings } = lintScript({ sql, earlier: [priceSchema] })
  expect(findings).toMatchObject([
    { rule: "accept", line: 1, level: "warning" },
    { rule: "lost-rows", line: 2, level: "error" },
    { rule: "accept", line: 3, level: "warning" },
  ])
})

test("an UPDATE of a column gets advice to fill it, and a column filled from another keeps its values", () => {
  const earlier = [
    "CREATE TABLE user (id INTEGER PRIMARY KEY, name TEXT); ALTER TABLE user ADD COLUMN full_name TEXT;",
  ]
  const { findings } = lintScript({ sql: "UPDATE user SET full_name = name;", earlier })
  expect(findings).toMatchObject([
    { rule: "changed-values", rewrite: expect.stringContaining("WHERE full_name IS NULL") },
  ])
  const filled = lintScript({
    sql: "UPDATE user SET full_name = name WHERE full_name IS NULL;",
    earlier,
  })
  expect(filled).toMatchObject({ outcome: "compared", findings: [] })
})

test("the advice for a dropped column says how to name another column that has its values", () => {
  const earlier = ["CREATE TABLE user (id INTEGER PRIMARY KEY, name TEXT);"]
  const copy = "ALTER TABLE user ADD COLUMN full_name TEXT; UPDATE user SET full_name = name;"
  const drop = "ALTER TABLE user DROP COLUMN name;"
  const { findings } = lintScript({ sql: drop, earlier: [...earlier, copy] })
  expect(findings).toMatchObject([
    { rule: "lost-values", rewrite: expect.stringContaining("(moves user.name to TABLE.COLUMN)") },
  ])
  // A copy in the same file needs no declaration: the request compares its values.
  const once = lintScript({ sql: `${copy} ${drop}`, earlier })
  expect(once).toMatchObject({ outcome: "compared", findings: [] })
})

test.each([
  "-- d1:accept fails",
  "-- d1:accept fails: short",
  "-- d1:accept FAILS: it has a reason",
])("%s accepts nothing", (comment) => {
  const sql = `${comment}\nSELECT 1;`
  expect(() => lintScript({ sql, earlier: [] })).toThrow("line 1:")
})
