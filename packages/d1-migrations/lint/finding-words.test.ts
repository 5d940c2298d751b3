import { expect, test } from "vitest"

import { lintScript } from "./lint.ts"

test.each(["rtrim(text)", "ltrim(text)", "trim(text) || ' '"])(
  "blanks at one end are a change of values, and not their loss: %s",
  (cell) => {
    const earlier = ["CREATE TABLE note (id INTEGER PRIMARY KEY, text TEXT);"]
    const { findings } = lintScript({ sql: `UPDATE note SET text = ${cell};`, earlier })
    const errors = findings.filter(({ level }) => level === "error")
    expect(errors).toMatchObject([
      {
        rule: "changed-values",
        rewrite: expect.stringContaining("-- d1:changes note.text: REASON"),
      },
    ])
  },
)

test("a check that no made-up value keeps is not taken for a missing value", () => {
  const earlier = ["CREATE TABLE color (id INTEGER PRIMARY KEY, hex TEXT);"]
  const sql = `CREATE TABLE n (id INTEGER PRIMARY KEY, hex TEXT NOT NULL CHECK (hex GLOB '#[0-9a-f][0-9a-f][0-9a-f]'));
INSERT INTO n SELECT * FROM color; DROP TABLE color; ALTER TABLE n RENAME TO color;`
  expect(lintScript({ sql, earlier }).findings).toMatchObject([
    { rule: "not-judged", message: expect.stringContaining("CHECK constraint failed") },
  ])
})

test.each([
  ["more columns", "v TEXT, ns TEXT, UNIQUE (ns, v)", "unique t.v", "(v nocase), and is (ns, v)"],
  ["another collation", "v TEXT UNIQUE", "collation t.v", "(NOCASE), and is (BINARY)"],
  ["no key at all", "v TEXT COLLATE NOCASE", "unique t.v", "gone (v)"],
])("of a unique key with %s it is said what it was and is", (_what, columns, part, words) => {
  const earlier = ["CREATE TABLE t (id INTEGER PRIMARY KEY, v TEXT COLLATE NOCASE UNIQUE);"]
  const sql = `CREATE TABLE n (id INTEGER PRIMARY KEY, ${columns}); INSERT INTO n (id, v) SELECT id, v FROM t;
DROP TABLE t; ALTER TABLE n RENAME TO t;`
  const { findings } = lintScript({ sql, earlier })
  const said = findings.flatMap(({ rule, message }) => (rule === "lost-parts" ? message : []))
  expect(said).toContainEqual(expect.stringMatching(`^the ${part} of t .*`))
  expect(said.join("; ")).toContain(words)
})

test("of a column that an earlier file adds lint says that it may hold nothing yet", () => {
  const first = {
    name: "0001_note.sql",
    sql: "CREATE TABLE note (id INTEGER PRIMARY KEY, text TEXT);",
  }
  const advice = (added: string, name: string) => {
    const second = { name: "0002_more.sql", sql: added }
    const sql = `UPDATE note SET ${name} = text || '!';`
    const { findings } = lintScript({ sql, earlier: [first, second] })
    return findings.flatMap(({ rule, level, rewrite }) =>
      level === "error" ? `${rule}: ${rewrite}` : [],
    )
  }
  const said =
    "Nothing has to be done if More has no values by then, as 0002_more.sql adds it without any"
  expect(advice("ALTER TABLE Note ADD COLUMN More TEXT;", "more")).toEqual([
    expect.stringContaining(`lost-values: ${said}`),
    expect.stringContaining(`changed-values: ${said}`),
  ])
  for (const [added, name] of [
    ["ALTER TABLE note ADD COLUMN more TEXT DEFAULT 'x';", "more"],
    ["ALTER TABLE note ADD COLUMN more TEXT;", "text"],
    ["CREATE TABLE other (more TEXT); ALTER TABLE other ADD COLUMN text TEXT;", "text"],
  ] as const) {
    const all = advice(added, name)
    expect(all.length).toBeGreaterThan(0)
    expect(all.join()).not.toContain("by then")
  }
})

test.each([
  ["CASE active WHEN 'true' THEN 1 WHEN 'false' THEN 0", "active"],
  ["CASE WHEN f.Active = 'true' THEN 1 WHEN f.Active IN ('false', '') THEN 0", "active"],
])("a CASE without ELSE is to keep what it does not name: %s", (cases, column) => {
  const earlier = ["CREATE TABLE f (id INTEGER PRIMARY KEY, active TEXT);"]
  const copied = (cell: string) => `-- d1:changes f.active: 1 and 0 are what the new version reads
CREATE TABLE n (id INTEGER PRIMARY KEY, active INTEGER);
INSERT INTO n SELECT id, ${cell} FROM f; DROP TABLE f; ALTER TABLE n RENAME TO f;`
  const { findings } = lintScript({ sql: copied(`${cases} END`), earlier })
  expect(findings).toMatchObject([
    { level: "error", rewrite: expect.stringContaining(`end it with ELSE ${column}.`) },
  ])
  const kept = lintScript({ sql: copied(`${cases} ELSE ${column} END`), earlier })
  expect(kept.outcome).toBe("declared")
})
