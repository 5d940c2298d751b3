import { afterAll, expect, test } from "vitest"

import { usualNames } from "../names.ts"
import { startLocalD1 } from "../testing/local-d1.ts"
import { createTables } from "./ledger.ts"

const account = await startLocalD1()
afterAll(() => account[Symbol.asyncDispose]())

/** The number that D1 gives a schema. */
async function sumOf(statements: string[]): Promise<number> {
  const id = await account.createDatabase(`sum-${Math.random().toString(36).slice(2)}`)
  for (const sql of statements) await account.query(id, sql)
  const { schema } = await account.open(id).moment()
  return schema
}

const ownTables = Object.values(createTables(usualNames))

test.each([
  [
    "names and texts beyond ASCII",
    'CREATE TABLE "Übersicht 🙂" ("ключ" TEXT DEFAULT \'🙂a\')',
    "🙂a",
    "a🙂",
  ],
  ["a generated column", "CREATE TABLE a (b TEXT, c AS (b || 'x'))", "'x'", "'y'"],
  [
    "a virtual table",
    "CREATE VIRTUAL TABLE words USING fts5 (word, note)",
    "word, note",
    "note, word",
  ],
  [
    "a wide table",
    `CREATE TABLE wide (${Array.from({ length: 100 }, (_, n) => `column_${n} TEXT DEFAULT '${"é".repeat(40)}'`).join(", ")})`,
    "column_99",
    "column_98b",
  ],
])("D1 gives a schema with %s another number for each text", async (_what, sql, before, after) => {
  const sum = await sumOf([...ownTables, sql])
  expect(sum).toBe(await sumOf([sql]))
  expect([0, sum]).not.toContain(await sumOf([...ownTables, sql.replace(before, after)]))
})

test("the number of a schema leaves out the ledger, and has views, triggers and indexes", async () => {
  const statements = [
    "CREATE TABLE a (id INTEGER PRIMARY KEY AUTOINCREMENT, b TEXT)",
    "CREATE VIEW v AS SELECT * FROM a",
    "CREATE TRIGGER t AFTER INSERT ON a BEGIN SELECT 1; END",
    "CREATE UNIQUE INDEX i ON a (lower(b)) WHERE b <> ''",
  ]
  const prefixes = statements.map((_, index) => sumOf(statements.slice(0, index + 1)))
  const sums = await Promise.all([sumOf(ownTables), ...prefixes])
  expect(sums[0]).toBe(0)
  expect(new Set(sums).size).toBe(sums.length)
})
