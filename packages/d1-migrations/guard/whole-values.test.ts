import { afterAll, expect, test } from "vitest"

import { exactRows } from "./compare.ts"
import { startGuardedDatabases } from "./testing/guarded-database.ts"

const databases = await startGuardedDatabases()
const { setUp } = databases
afterAll(() => databases[Symbol.asyncDispose]())

test.each([
  ["a lost row", "SELECT * FROM coded WHERE id <> 'b'"],
  ["a changed value", "SELECT id, replace(text, 'two', 'tow'), code FROM coded"],
  [
    "values that are swapped between rows",
    "SELECT id, lead(text, 1, 'one') OVER (ORDER BY id), code FROM coded",
  ],
  ["a value that takes another type", "SELECT * FROM coded", "REAL"],
  ["a value that another case replaces", "SELECT id, upper(text), code FROM coded"],
])(
  "a table with a key is compared row by row, however large: %s",
  async (_what, select, type = "") => {
    const schema = `CREATE TABLE coded (id TEXT PRIMARY KEY, text TEXT COLLATE NOCASE, code);
    INSERT INTO coded VALUES ('a', 'one', 7), ('b', 'two', '007'), ('c', NULL, NULL);`
    const keyed = (rows: string, as = "") =>
      `CREATE TABLE __new_coded (id TEXT PRIMARY KEY, text TEXT COLLATE NOCASE, code ${as});
    INSERT INTO __new_coded ${rows}; DROP TABLE coded; ALTER TABLE __new_coded RENAME TO coded;`
    const [whole, lost] = [await setUp(schema, exactRows + 1), await setUp(schema, exactRows + 1)]
    expect(await whole.send(keyed("SELECT * FROM coded"))).toBeUndefined()
    expect(await lost.send(keyed(select, type))).toMatch(/^\d of the (?:rows|values) of coded/)
    expect(await lost.content("coded")).toHaveLength(3)
  },
)

const lines = `CREATE TABLE line (text TEXT, level TEXT COLLATE NOCASE);
INSERT INTO line VALUES ('a long message', 'info'), ('another message', 'Debug'), ('another message', 'Debug'), (NULL, NULL);`

/** Gaps between the numbers of rows, which a copy does not have. */
const gaps = `INSERT INTO line (rowid, text, level) VALUES (50, 'last', 'info');`

function copied({
  select = "SELECT text, level FROM line",
  into = "(text, level)",
  first = "",
}): string {
  return `${first}CREATE TABLE __new_line (text TEXT, level TEXT COLLATE NOCASE);
INSERT INTO __new_line ${into} ${select}; DROP TABLE line; ALTER TABLE __new_line RENAME TO line;`
}

const losses = [
  [
    "characters in the middle of a text",
    "SELECT replace(text, 'ess', 'xyz'), level FROM line",
    "3",
  ],
  ["a change of case under NOCASE", "SELECT text, replace(level, 'Debug', 'DEBUG') FROM line", "2"],
  ["one of two equal rows", "SELECT DISTINCT text, level FROM line", "1"],
  [
    "one of two equal rows, for a new row",
    "SELECT DISTINCT text, level FROM line UNION ALL SELECT 'new', 'info'",
    "1",
  ],
  ["a row of nothing but NULL", "SELECT text, level FROM line WHERE text IS NOT NULL", "1"],
]

test.each(losses)("a copy without a key that changes %s is refused", async (_what, select, n) => {
  for (const script of [lines, lines + gaps]) {
    const database = await setUp(script)
    expect(await database.send(copied({ select }))).toMatch(
      new RegExp(`^${n} of the rows of line are (?:gone|not as they were in line)`),
    )
    expect(await database.content("line")).toHaveLength(script === lines ? 4 : 5)
  }
})

test.each(losses)(
  "a copy of a large table without a key that changes %s is refused",
  async (_what, select) => {
    const database = await setUp(lines, exactRows + 1)
    expect(await database.send(copied({ select }))).toMatch(
      /of more than 100000 rows without a key each has to keep its number|^1 of the rows of line are gone/,
    )
    expect(await database.content("line")).toHaveLength(4)
  },
)

test("rows of a large table without a key are found by their place, or by their numbers", async () => {
  const oneLess = "-- d1:loses line, at most 1 row: the line without a text\n"
  const select = "SELECT text, level FROM line WHERE text IS NOT NULL"
  const numbered = select.replace("text, level", "rowid, text, level")
  const into = "(rowid, text, level)"
  const rows = exactRows + 1
  const first = oneLess
  const [whole, fewer] = [await setUp(lines + gaps, rows), await setUp(lines + gaps, rows)]
  expect(await whole.send(copied({}))).toBeUndefined()
  expect(await fewer.send(copied({ select: numbered, into, first }))).toBeUndefined()
})

const oneLess = "-- d1:loses line, at most 1 row: the line without a text\n"

test.each([
  ["large", exactRows + 1],
  ["small", 4],
])("a declared loss of one row leaves the others of a %s table compared", async (_size, rows) => {
  const into = "(rowid, text, level)"
  const copiedRows = `SELECT rowid, text, level FROM line WHERE text IS NOT NULL`
  const changed = copiedRows.replace("text, level FROM", "replace(text, 'ess', 'xyz'), level FROM")
  const [good, bad] = [await setUp(lines, rows), await setUp(lines, rows)]
  expect(await good.send(copied({ select: copiedRows, into, first: oneLess }))).toBeUndefined()
  expect(await bad.send(copied({ select: changed, into, first: oneLess }))).toMatch(
    /^3 of the rows of line are not as they were/,
  )
})

function counted(name: string): string {
  return `CREATE TABLE ${name} (id INTEGER PRIMARY KEY AUTOINCREMENT, text TEXT NOT NULL DEFAULT '')`
}

test.each([
  `${counted("__new")}; INSERT INTO __new SELECT * FROM entry; DROP TABLE entry; ALTER TABLE __new RENAME TO entry;`,
  `CREATE TABLE aside AS SELECT * FROM entry; DROP TABLE entry; ${counted("entry")}; INSERT INTO entry SELECT * FROM aside; DROP TABLE aside;`,
])("a rebuild gives no number again that a deleted row had: %s", async (sql) => {
  const database = await setUp(
    `CREATE TABLE entry (id INTEGER PRIMARY KEY AUTOINCREMENT, text TEXT);
INSERT INTO entry VALUES (1, 'one'), (7, 'seven');
DELETE FROM entry WHERE id = 7;`,
  )
  expect(await database.send(sql)).toBeUndefined()
  await database.query("INSERT INTO entry (text) VALUES ('next')")
  expect(await database.query("SELECT id FROM entry ORDER BY id")).toEqual([{ id: 1 }, { id: 8 }])
})
