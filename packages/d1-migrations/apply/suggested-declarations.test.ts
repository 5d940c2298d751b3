import { expect, test } from "vitest"

import { lintScript } from "../lint/lint.ts"
import { applyCase } from "./testing/apply-case.ts"

const before = "CREATE TABLE log (at TEXT, level TEXT, text TEXT);"
const rows =
  "INSERT INTO log VALUES ('2', NULL, 'b'), ('1', 'Warn', 'a'), ('1', 'Warn', 'a'), (NULL, NULL, NULL);"

function rebuilt(select: string): string {
  return `CREATE TABLE n (at TEXT, level TEXT, text TEXT); INSERT INTO n ${select};
DROP TABLE log; ALTER TABLE n RENAME TO log;`
}

/** The file below the declarations that its findings suggest. */
function declared(change: string, schema = before): string {
  const { findings } = lintScript({ sql: change, earlier: [schema] })
  const lines = findings.flatMap(({ rewrite }) => rewrite.match(/-- d1:.*?: REASON/g) ?? [])
  return [...lines, change].join("\n").replaceAll("REASON", "decided in the ticket")
}

test.each([
  ["filled", "coalesce(level, 'info'), text"],
  ["tidied and filled", "coalesce(lower(level), 'info'), coalesce(text, '')"],
])("a copy without a key that is %s passes as its finding says", async (_what, cells) => {
  const change = rebuilt(`SELECT at, ${cells} FROM log`)
  const sql = declared(change)
  const plainCase = { name: "", harm: "no", lint: "", up: "sends", before, rows } as const
  expect((await applyCase({ ...plainCase, change: sql })).up).toBe("applied")
  const isChanged = cells.includes("lower")
  expect((await applyCase({ ...plainCase, change })).up).toBe(isChanged ? "failed" : "applied")
  const fewer = sql.replace("FROM log", "FROM log WHERE hex(text) <> '62'")
  expect((await applyCase({ ...plainCase, change: fewer })).up).toBe("failed")
})

const bios =
  "CREATE TABLE user (id TEXT PRIMARY KEY, name TEXT); CREATE TABLE profile (user_id TEXT PRIMARY KEY, bio TEXT);"
const notes = "CREATE TABLE note (id INTEGER PRIMARY KEY, text TEXT, at INTEGER);"

test.each([
  {
    what: "a table that an UPDATE merges into another table",
    schema: bios,
    filled:
      "INSERT INTO user VALUES ('u1','Ada'),('u2','Bob'); INSERT INTO profile VALUES ('u1','writes'),('u2',NULL);",
    change:
      "ALTER TABLE user ADD COLUMN bio TEXT; UPDATE user SET bio = (SELECT bio FROM profile WHERE user_id = user.id); DROP TABLE profile;",
    wrong: "SELECT upper(bio)",
    right: "SELECT bio",
  },
  {
    what: "a table of a key of two columns that an UPDATE merges into another table",
    schema:
      "CREATE TABLE part (x TEXT, y TEXT, v TEXT, PRIMARY KEY (x, y)); CREATE TABLE whole (x TEXT, y TEXT, v TEXT, PRIMARY KEY (x, y));",
    filled:
      "INSERT INTO part VALUES ('1','1','p'),('1','2','q'); INSERT INTO whole (x, y) VALUES ('1','1'),('1','2');",
    change:
      "UPDATE whole SET v = (SELECT v FROM part WHERE part.x = whole.x AND part.y = whole.y) WHERE v IS NULL; DROP TABLE part;",
    wrong: "SELECT upper(v)",
    right: "SELECT v",
  },
  {
    what: "rows of an archive",
    schema: notes,
    filled: "INSERT INTO note VALUES (1,'a',1),(2,'b',5);",
    change:
      "CREATE TABLE note_archive (id INTEGER PRIMARY KEY, text TEXT, at INTEGER); INSERT INTO note_archive SELECT id, text, at FROM note WHERE at < 3; DELETE FROM note WHERE at < 3;",
    wrong: "id, 'x', at FROM",
    right: "id, text, at FROM",
  },
  {
    what: "a table that is split by a condition",
    schema: notes,
    filled: "INSERT INTO note VALUES (1,'a',1),(2,'b',5);",
    change:
      "CREATE TABLE early (id INTEGER PRIMARY KEY, text TEXT, at INTEGER); CREATE TABLE late (id INTEGER PRIMARY KEY, text TEXT, at INTEGER); INSERT INTO early SELECT * FROM note WHERE at < 3; INSERT INTO late SELECT * FROM note WHERE at >= 3; DROP TABLE note;",
    wrong: "at >= 6",
    right: "at >= 3",
  },
])(
  "$what passes with the lines that lint prints, and not where it does something else",
  async (attempt) => {
    const { schema, filled, change, wrong, right } = attempt
    const sql = declared(change, schema).replaceAll("at most N rows", "at most 0 rows")
    expect(sql).toContain("-- d1:")
    const declaredCase = {
      name: "",
      harm: "no",
      lint: "",
      up: "sends",
      before: schema,
      rows: filled,
    } as const
    expect((await applyCase({ ...declaredCase, change: sql })).up).toBe("applied")
    const spoiled = sql.replace(right, wrong)
    expect(spoiled).not.toBe(sql)
    expect((await applyCase({ ...declaredCase, change: spoiled })).up).not.toBe("applied")
  },
)
