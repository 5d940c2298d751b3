import { afterAll, expect, test } from "vitest"
import * as z from "zod"

import { openAccount } from "../../provider/testing/account.ts"
import { startLocalCloudflare } from "../../provider/testing/local-cloudflare.ts"
import { createTables, readObjects } from "../ledger/ledger.ts"
import { schemaSum, schemaSumOf } from "./judged-moment.ts"

const cloudflare = await startLocalCloudflare()
const account = openAccount(cloudflare)
afterAll(() => cloudflare[Symbol.asyncDispose]())

const Sum = z.array(z.object({ sum: z.number() }))
const Objects = z.array(z.object({ type: z.string(), name: z.string(), sql: z.string() }))

const long = `CREATE TABLE wide (${Array.from({ length: 100 }, (_, n) => `column_${n} TEXT DEFAULT '${"é".repeat(40)}'`).join(", ")})`

test.each([
  ["no table", []],
  ["own tables alone", Object.values(createTables)],
  [
    "an index on an own table",
    [...Object.values(createTables), "CREATE INDEX i ON d1_migrations (applied_at)"],
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
  const [row] = Sum.parse(await account.query(id, `SELECT ${schemaSum} AS sum`))
  const objects = Objects.parse(await account.query(id, readObjects))
  expect(row?.sum).toBe(schemaSumOf(objects))
})
