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

test.each([
  ["more columns", "v TEXT, ns TEXT, UNIQUE (ns, v)", "unique t.v", "(v nocase), and is (ns, v)"],
  ["another collation", "v TEXT UNIQUE", "collation t.v", "(NOCASE), and is (BINARY)"],
  ["no key at all", "v TEXT COLLATE NOCASE", "unique t.v", "gone (v)"],
])("of a unique key with %s it is said what it was and is", (_what, columns, part, words) => {
  const earlier = ["CREATE TABLE t (id INTEGER PRIMARY KEY, v TEXT COLLATE NOCASE UNIQUE);"]
  const sql = `CREATE TABLE n (id INTEGER PRIMARY KEY, ${columns}); INSERT INTO n (id, v) SELECT id, v FROM t;
DROP TABLE t; ALTER TABLE n RENAME TO t;`
  const { findings } = lintScript({ sql, earlier })
  const messages = findings.flatMap(({ rule, message }) => (rule === "lost-parts" ? message : []))
  expect(messages).toContainEqual(expect.stringMatching(`^the ${part} of t .*`))
  expect(messages.join("; ")).toContain(words)
})
