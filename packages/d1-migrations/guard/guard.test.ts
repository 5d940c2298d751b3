import { afterAll, expect, test } from "vitest"

import { hazardRows, hazards, hazardSchema } from "../lint/testing/corpus/hazards.ts"
import { startGuardedDatabases } from "./testing/guarded-database.ts"

const databases = await startGuardedDatabases()
const { setUp } = databases
afterAll(() => databases[Symbol.asyncDispose]())

const tables = [
  "user",
  "session",
  "result",
  "payment",
  "audit",
  "usage",
  "theme",
  "page",
  "category",
]

/** Their rows are the file's own, so no existing row is lost. */
const ofOwnRows = new Set(["a rebuild of what only SET NULL refers to"])
/** Explicit drops take no rows of other tables, but need a declaration. */
const explicitDrops = new Set([
  "children dropped before their parent",
  "a parent dropped before its children, which go as well",
])

const losing = hazards.filter(
  ({ title, onD1 }) => (onD1 === "loses" || explicitDrops.has(title)) && !ofOwnRows.has(title),
)
const failing = hazards.filter(({ onD1 }) => onD1 === "fails")
const keeping = hazards.filter(({ title, onD1 }) => onD1 === "keeps" && !explicitDrops.has(title))

const outcomes = [
  ...losing.map((hazard) => ({
    hazard,
    expected: /^\d+ (?:of the rows|of the values|values) of \w+/,
  })),
  ...failing.map((hazard) => ({ hazard, expected: /^other: / })),
]

test.each(outcomes)("$hazard.title: undone as a whole", async ({ hazard, expected }) => {
  const { given = "", sql } = hazard
  const database = await setUp(hazardSchema + given + hazardRows)
  const before = await Promise.all(tables.map(database.content))
  expect(await database.send(sql)).toMatch(expected)
  expect(await Promise.all(tables.map(database.content))).toEqual(before)
  expect(await database.query("SELECT * FROM d1_migrations")).toEqual([])
  expect(await database.query("SELECT * FROM d1_migrations_sidecar")).toEqual([])
})

test.each(keeping)("$title: applied", async ({ given = "", sql }) => {
  const database = await setUp(hazardSchema + given + hazardRows)
  expect(await database.send(sql)).toBeUndefined()
})

const log = `CREATE TABLE log (id INTEGER PRIMARY KEY, line TEXT, level TEXT);
INSERT INTO log VALUES (1, 'one', 'info'), (2, 'two', 'debug'), (3, 'three', 'info');
CREATE TABLE note (id TEXT PRIMARY KEY, log_id INTEGER REFERENCES log (id) ON DELETE SET NULL);
INSERT INTO note VALUES ('n1', 1), ('n2', 2), ('n3', NULL);`

function rebuild(select: string): string {
  return `PRAGMA defer_foreign_keys = ON;
CREATE TABLE kept AS ${select}; UPDATE log SET id = id + 1000; DROP TABLE log;
CREATE TABLE log (id INTEGER PRIMARY KEY, line TEXT, level TEXT); INSERT INTO log SELECT * FROM kept; DROP TABLE kept;`
}

test.each([
  [
    "a filtering SELECT",
    rebuild("SELECT * FROM log WHERE level <> 'debug'"),
    "1 of the rows of log are not in log any more",
  ],
  [
    "rows that are exchanged for as many",
    `${rebuild("SELECT * FROM log WHERE id <> 3")} INSERT INTO log VALUES (4, 'other', 'info');`,
    "1 of the rows of log are not in log",
  ],
  ["a DELETE", "DELETE FROM note;", "3 of the rows of note are not in note"],
  [
    "a key that an UPDATE empties",
    "UPDATE note SET log_id = NULL WHERE id = 'n2';",
    "1 of the values of note.log_id in note are others",
  ],
  [
    "a replacement",
    "INSERT OR REPLACE INTO note SELECT 'n1', NULL; ",
    "1 of the values of note.log_id in note are others",
  ],
  [
    "a table that is moved with fewer rows",
    "CREATE TABLE memo (id TEXT PRIMARY KEY, log_id INTEGER); INSERT INTO memo SELECT * FROM note WHERE id <> 'n3'; DROP TABLE note;",
    "1 of the rows of note are not in memo",
  ],
  [
    "a trigger that deletes",
    "CREATE TRIGGER t AFTER UPDATE ON note BEGIN DELETE FROM log WHERE id = 3; END; UPDATE note SET id = id;",
    "1 of the rows of log are not in log any more",
  ],
])("%s is refused with its table and numbers", async (_what, sql, words) => {
  const database = await setUp(log)
  expect(await database.send(sql)).toContain(words)
  expect(await database.content("log")).toHaveLength(3)
  expect(await database.content("note")).toHaveLength(3)
})

test.each([
  ["a rebuild", rebuild("SELECT * FROM log")],
  [
    "a rebuild that changes a declared value",
    rebuild("SELECT id, upper(line), level FROM log").replace(
      "PRAGMA",
      "-- d1:changes log.line: capital letters as on paper\nPRAGMA",
    ),
  ],
  [
    "a declared DELETE",
    "-- d1:loses note, at most 2 rows: notes of the trial\nDELETE FROM note WHERE id <> 'n1';",
  ],
  [
    "a table that is moved",
    "CREATE TABLE memo (id TEXT PRIMARY KEY, log_id INTEGER); INSERT INTO memo SELECT * FROM note; DROP TABLE note;",
  ],
  [
    "a table that is renamed and written",
    "ALTER TABLE note RENAME TO memo; ALTER TABLE memo ADD COLUMN copy TEXT; UPDATE memo SET copy = id;",
  ],
  [
    "a parent without the debug lines, as declared",
    `-- d1:loses log, at most 1 row: debug lines are for the day
-- d1:empties note.log_id, at most 1 row: the line is gone
DELETE FROM log WHERE level = 'debug';`,
  ],
])("%s is applied", async (_what, sql) => {
  const database = await setUp(log)
  expect(await database.send(sql)).toBeUndefined()
  expect(await database.query("SELECT name FROM d1_migrations")).toEqual([
    { name: "0001_change.sql" },
  ])
})

test("one row more than declared fails the file", async () => {
  const database = await setUp(log)
  const sql =
    "-- d1:loses note, at most 1 row: notes of the trial\nDELETE FROM note WHERE id <> 'n1';"
  expect(await database.send(sql)).toContain("2 of the rows of note are not in note any more")
  expect(await database.content("note")).toHaveLength(3)
})

test("files that only add carry no statement of the guard, and are recorded without counts", async () => {
  const database = await setUp(log)
  await database.send(
    "ALTER TABLE log ADD COLUMN at INTEGER; CREATE INDEX log_level ON log (level);",
  )
  expect(await database.query("SELECT rows_before FROM d1_migrations_sidecar")).toEqual([
    { rows_before: null },
  ])
})

const counting = "(id INTEGER PRIMARY KEY AUTOINCREMENT, line TEXT)"
const renumbering = `CREATE TABLE __new_bill ${counting}; INSERT INTO __new_bill SELECT * FROM bill; DROP TABLE bill; ALTER TABLE __new_bill RENAME TO bill;`

test.each([
  [
    "that is rebuilt",
    "INSERT INTO bill VALUES (1, 'a'), (9, 'b'); DELETE FROM bill WHERE id = 9;",
    renumbering,
  ],
  [
    "that is rebuilt without rows",
    "INSERT INTO bill VALUES (9, 'b'); DELETE FROM bill;",
    renumbering,
  ],
])("a table %s gives no number again", async (_what, rows, sql) => {
  const database = await setUp(`CREATE TABLE bill ${counting}; ${rows}`)
  expect(await database.send(sql)).toBeUndefined()
  const name = "bill"
  await database.query(`INSERT INTO ${name} (line) VALUES ('new')`)
  expect(await database.query(`SELECT max(id) AS id FROM ${name}`)).toEqual([{ id: 10 }])
  expect(
    await database.query("SELECT name FROM sqlite_sequence WHERE name <> 'd1_migrations'"),
  ).toEqual([{ name }])
})
