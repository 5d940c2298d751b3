import { DatabaseSync } from "node:sqlite"

import { seededRandom } from "@accounts-stack/local/seeded-random"

/** The tables that generated scripts use. SQLite accepts every generated statement on them. */
const schema = `CREATE TABLE note (id INTEGER PRIMARY KEY, "a;b" TEXT, [c;d] TEXT, "end" TEXT);
CREATE TABLE "CREATE TRIGGER;" (x)`

/** A script that SQLite accepts and that is hard to split. The same seed gives the same script. */
export function randomScript(seed: number): string {
  const { many, name, pick, statement } = createGenerator(seed)
  const statements = many(6, statement)
  const between = () => many(3, () => pick(blanks)).join("")
  const empty = () => pick(["", "", "", ";", " ;\n", "/* nothing; here */;"])
  const body = statements.map((sql) => `${between()}${sql}${pick(["", " ", "\r\n"])};${empty()}`)
  const last = pick(["", statement(), `SELECT 1 AS ${name()} -- to the end;`])
  return `${pick(["", "", "", "\uFEFF"])}${body.join("")}${between()}${last}`
}

/** Random tokens: invalid SQL that two splitters still have to split alike. */
export function randomTokens(seed: number): string {
  const { many, pick } = createGenerator(seed)
  return many(24, () => pick(tokens) + pick(["", " ", " ", "\n"])).join("")
}

/** Splits a script by letting SQLite compile one statement after another. Throws if SQLite rejects one. */
export function splitBySqlite(script: string): string[] {
  using database = new DatabaseSync(":memory:", { enableForeignKeyConstraints: false })
  database.exec(schema)
  const results: string[] = []
  for (let rest = script; hasStatement(rest);) {
    const prepared = database.prepare(rest)
    // The text of the compiled statement, up to its semicolon.
    const { sourceSQL: text } = prepared
    if (text.length === 0) throw new Error(`SQLite took nothing of ${JSON.stringify(rest)}`)
    prepared.all()
    results.push(trimStatement(text))
    rest = rest.slice(text.length)
  }
  return results
}

/** Removes spaces and semicolons around a statement, and comments before it. */
export function trimStatement(statement: string): string {
  return statement.replace(leading, "").replace(/[\s;]+$/, "")
}

const leading = /^(?:[\s;\uFEFF]|--[^\n]*(?:\n|$)|\/\*[^]*?(?:\*\/|$))+/

function hasStatement(text: string): boolean {
  return text.replace(leading, "") !== ""
}

const blanks = [
  " ",
  "\n",
  "\r\n",
  "\t",
  "\f",
  "-- it's; a \"comment\n",
  "--\r\n",
  "--; END;\n",
  "/* ; */",
  "/**/",
  "/* it's\n-- ; CREATE TRIGGER */",
  "/*/ ; */",
]

const tokens = [
  "'",
  '"',
  "`",
  "[",
  "]",
  "-",
  "/",
  "*",
  "(",
  "--",
  "/*",
  "*/",
  "\r\n",
  "''",
  ";",
  ";",
  "CREATE",
  "create",
  "TRIGGER",
  "TRIGGER",
  "TEMP",
  "TEMPORARY",
  "EXPLAIN",
  "BEGIN",
  "CASE",
  "END",
  "END",
  "end",
  "ENDED",
  "éEND",
  "END😀",
  "END$",
  "1END",
  "_x",
  "日本",
  "\u00a0",
  "\u2028",
]

function createGenerator(seed: number) {
  const chance = seededRandom(seed)
  const below = (count: number) => Math.floor(chance() * count)
  const pick = (choices: string[]) => choices[below(choices.length)] ?? ""
  const many = (most: number, make: () => string) =>
    Array.from({ length: below(most + 1) }, () => make())
  const gap = () => pick([" ", " ", "\n", "\r\n", " -- ;\n", "/*;*/", " /* END; */ "])

  const text = () =>
    `'${many(4, () => pick(["a", ";", "''", '"', "`", "--", "/*", "*/", "[", "\r\n", "é", "😀", "END;", "$1"])).join("")}'`
  const name = () =>
    pick([
      `"a;b${pick(["", '""', ";", "'", "--"])}"`,
      "`x;``y`",
      "[c;'d]",
      "_x$1",
      "été",
      "日本",
      "n😀",
      '"END"',
      `"${pick(["BEGIN", "CASE"])};"`,
    ])
  const chosen = (depth: number): string =>
    `CASE${gap()}${pick(["", "1 "])}WHEN 1${gap()}THEN ${value(depth - 1)} ELSE${gap()}${value(depth - 1)}${gap()}END`
  const value = (depth: number): string => {
    const simple = [text(), "1", "-1", "x'3b'", "1.5e3", "NULL", "'it''s'||';'"]
    return depth > 0 && below(3) === 0 ? chosen(depth) : pick(simple)
  }
  const select = () => `SELECT${gap()}${value(2)} AS${gap()}${name()}`
  const change = () =>
    pick([
      `INSERT INTO note ("a;b", [c;d])${gap()}VALUES (${value(2)}, ${value(1)})`,
      `UPDATE note SET "end"${gap()}= ${value(2)} WHERE "a;b" = ${text()}`,
      `DELETE FROM note WHERE [c;d] = ${value(1)}`,
      `REPLACE INTO "CREATE TRIGGER;" VALUES (${value(2)})`,
    ])
  const trigger = () =>
    `${pick(["CREATE", "create", "CREATE TEMP", "Create Temporary"])}${gap()}TRIGGER${gap()}` +
    `"t;${below(1e9)}"${gap()}${pick(["AFTER", "BEFORE"])} INSERT ON main.note${gap()}BEGIN${gap()}` +
    `${[change(), ...many(2, () => pick([change(), select()]))].join(`${gap()};${gap()}`)};${gap()}END`
  const statement = (): string =>
    pick([
      select(),
      select(),
      change(),
      change(),
      trigger(),
      `EXPLAIN${pick([" ", " QUERY PLAN "])}${pick([select(), trigger().replace(/TEMP(?:orary)?/i, "")])}`,
      `CREATE TABLE ${pick(["", "IF NOT EXISTS "])}"made ${below(1e9)};" ("end" TEXT DEFAULT ${text()}, x CHECK (x <> ';'))`,
      `CREATE VIEW "seen ${below(1e9)}" AS ${select()}`,
      `WITH${gap()}w AS (${select()}) SELECT * FROM w`,
      "PRAGMA table_info(note)",
    ])
  return { below, pick, many, name, statement }
}
