import { afterAll, expect, test } from "vitest"
import * as z from "zod"

import { openAccount } from "../../testing/account.ts"
import { startLocalCloudflare } from "../../testing/local-cloudflare.ts"
import { compareContent } from "./content.ts"

const cloudflare = await startLocalCloudflare()
const account = openAccount(cloudflare)
afterAll(() => cloudflare[Symbol.asyncDispose]())

const Results = z.array(z.object({ meta: z.object({ rows_read: z.number() }) }))
const rows = 1000
let databases = 0

type Tables = { from: string; to: string; fill?: string; change?: string }

/** What the check of a copy reads, in rows; rejects with what it says when the copy lacks content. */
async function readsOf({ from, to, fill = "", change = "" }: Tables, options = {}) {
  databases += 1
  const databaseId = await account.createDatabase(`content-${databases}`)
  const query = (sql: string) => account.call("POST", `/d1/database/${databaseId}/query`, { sql })
  await query(`CREATE TABLE note (${from}); CREATE TABLE __new_note (${to});
    WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${rows})
    INSERT INTO note (id, text) SELECT 'n' || (i * 7919 % 10007), 'note ' || i FROM n;
    ${fill} INSERT INTO __new_note (id, text) SELECT id, text FROM note; ${change}`)
  const copy = { statement: 1, from: "note", to: "__new_note", table: "note" }
  const shape = { columns: ["id", "text"], key: ["id"], numbered: true, ...options }
  const sql = compareContent({ copy: { ...copy, ...shape }, rows, changed: [], bound: 0 })
  const [result] = Results.parse(await query(sql ?? ""))
  return result?.meta.rows_read ?? 0
}

const keyed = "id TEXT PRIMARY KEY NOT NULL, text TEXT"

const gap = "DELETE FROM note WHERE rowid = 7;"

/** For each row: its count, itself, and its like, found by number or by an entry of an index. */
test.each<[string, Tables, number, object?]>([
  ["in the order of its source", { from: keyed, to: keyed }, 3],
  ["without a key", { from: "id TEXT, text TEXT", to: "id TEXT, text TEXT" }, 3, { key: [] }],
  ["of a source with gaps", { from: keyed, to: keyed, fill: gap }, 4],
  [
    "under a key that has lost its type",
    {
      from: "id INT PRIMARY KEY NOT NULL, text TEXT",
      to: "id PRIMARY KEY NOT NULL, text TEXT",
      fill: gap,
    },
    4,
  ],
  [
    "without row numbers",
    { from: `${keyed}) WITHOUT ROWID; CREATE TABLE other (x`, to: keyed },
    4,
    { numbered: false },
  ],
])("a copy %s is compared by a few reads for each row", async (_what, tables, reads, options) => {
  expect(await readsOf(tables, options)).toBeLessThanOrEqual(reads * rows + 10)
})

test.each<[string, Tables, object?]>([
  [
    "a changed value",
    { from: keyed, to: keyed, change: "UPDATE __new_note SET text = 'x' WHERE rowid = 5;" },
  ],
  ["a lost row", { from: keyed, to: keyed, change: "DELETE FROM __new_note WHERE rowid = 5;" }],
  [
    "a lost last row",
    { from: keyed, to: keyed, change: `DELETE FROM __new_note WHERE rowid = ${rows};` },
  ],
  [
    "an exchanged row",
    { from: keyed, to: keyed, change: "UPDATE __new_note SET id = 'other' WHERE rowid = 5;" },
  ],
  [
    "a row twice in place of another",
    {
      from: keyed.replace(" NOT NULL", ""),
      to: keyed.replace(" NOT NULL", ""),
      fill: "UPDATE note SET id = NULL, text = NULL WHERE rowid < 3;",
      change: "UPDATE __new_note SET id = NULL, text = NULL WHERE rowid = 3;",
    },
  ],
])("%s is found, whatever the rows before it have in common", async (_what, tables, options) => {
  await expect(readsOf(tables, options)).rejects.toThrow(
    "accounts row guard: 1 of the rows of note differ or are missing in __new_note (id, text)",
  )
})

test.each<[string, Tables, object?]>([
  [
    "other numbers",
    {
      from: keyed,
      to: keyed,
      change: "UPDATE __new_note SET rowid = rowid + 5000 WHERE rowid < 9;",
    },
  ],
  [
    "the same numbers in another order",
    {
      from: keyed,
      to: keyed,
      change:
        "UPDATE __new_note SET rowid = -rowid WHERE rowid > 1; UPDATE __new_note SET rowid = 2 + rowid + 1000 WHERE rowid < 0;",
    },
  ],
  [
    "keys that are NULL",
    {
      from: keyed.replace(" NOT NULL", ""),
      to: keyed.replace(" NOT NULL", ""),
      fill: "UPDATE note SET id = NULL WHERE rowid < 3; DELETE FROM note WHERE rowid = 7;",
    },
  ],
])("a copy under %s has its rows all the same", async (_what, tables, options) => {
  expect(await readsOf(tables, options)).toBeGreaterThan(0)
})
