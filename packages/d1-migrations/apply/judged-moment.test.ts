import { afterAll, expect, test } from "vitest"
import * as z from "zod"

import { createTables } from "../ledger/ledger.ts"
import { usualNames } from "../names.ts"
import { startLocalD1 } from "../testing/local-d1.ts"
import { schemaSum, schemaSumOf } from "./judged-moment.ts"

const account = await startLocalD1()
afterAll(() => account[Symbol.asyncDispose]())

const Sum = z.array(z.object({ sum: z.number() }))

const long = `CREATE TABLE wide (${Array.from({ length: 100 }, (_, n) => `column_${n} TEXT DEFAULT '${"é".repeat(40)}'`).join(", ")})`

test.each([
  ["no table", []],
  ["own tables alone", Object.values(createTables(usualNames))],
  [
    "an index on an own table",
    [...Object.values(createTables(usualNames)), "CREATE INDEX i ON d1_migrations (applied_at)"],
  ],
  ["names and texts beyond ASCII", ['CREATE TABLE "Übersicht 🙂" ("ключ" TEXT DEFAULT \'🙂🙂\')']],
  [
    "views, triggers, indexes and generated columns",
    [
      "CREATE TABLE a (id INTEGER PRIMARY KEY AUTOINCREMENT, b TEXT, c AS (b || 'x'))",
      "CREATE VIEW v AS SELECT * FROM a",
      "CREATE TRIGGER t AFTER INSERT ON a BEGIN SELECT 1; END",
      "CREATE UNIQUE INDEX i ON a (lower(b)) WHERE b <> ''",
      "ALTER TABLE a ADD COLUMN d INTEGER",
    ],
  ],
  ["a virtual table", ["CREATE VIRTUAL TABLE words USING fts5 (word)"]],
  ["a wide table", [long]],
])("D1 and this program give a schema with %s the same number", async (_what, statements) => {
  const id = await account.createDatabase(`sum-${Math.random().toString(36).slice(2)}`)
  for (const sql of statements) await account.query(id, sql)
  const [row] = Sum.parse(await account.query(id, `SELECT ${schemaSum(usualNames)} AS sum`))
  expect(row?.sum).toBe(schemaSumOf(await account.open(id).objects()))
})
