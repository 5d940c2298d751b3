import { afterAll, expect, test } from "vitest"
import * as z from "zod"

import { startLocalD1 } from "../testing/local-d1.ts"
import { countMissing } from "./kept-rows.ts"

const account = await startLocalD1()
afterAll(() => account[Symbol.asyncDispose]())

const Results = z.array(
  z.object({
    meta: z.object({ rows_read: z.number() }),
    results: z.array(z.object({ missing: z.number() })),
  }),
)
const rows = 1000
let databases = 0

type Tables = { from: string; to: string; fill?: string; change?: string }

/** How many rows are missing in a copy, and how many are read to find that out. */
async function compared({ from, to, fill = "", change = "" }: Tables, options = {}) {
  databases += 1
  const databaseId = await account.createDatabase(`content-${databases}`)
  const query = (sql: string) => account.send(databaseId, sql)
  await query(`CREATE TABLE note (${from}); CREATE TABLE __new_note (${to});
    WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${rows})
    INSERT INTO note (id, text) SELECT 'n' || (i * 7919 % 10007), 'note ' || i FROM n; ${fill}
    CREATE TABLE kept AS SELECT +id AS c0, +text AS c1 FROM note;
    INSERT INTO __new_note (id, text) SELECT id, text FROM note; ${change}`)
  const value = (alias: string, column: string) => `${alias}.${column === "c0" ? "id" : "text"}`
  const targets = [{ table: "__new_note", value }]
  const shape = { columns: ["c0", "c1"], key: ["c0"], numbers: ["rowid"], ...options }
  const missing = countMissing({ snapshot: "kept", rows, targets, ...shape })
  const [result] = Results.parse(await query(`SELECT ${missing} AS missing`))
  return { missing: result?.results[0]?.missing, reads: result?.meta.rows_read ?? 0 }
}

const keyed = "id TEXT PRIMARY KEY NOT NULL, text TEXT"

const gap = "DELETE FROM note WHERE rowid = 7;"

/** For each row: its count, itself, and its like, found by number or by an entry of an index. */
test.each<[string, Tables, number, object?]>([
  ["in the order of its source", { from: keyed, to: keyed }, 3],
  ["without a key", { from: "id TEXT, text TEXT", to: "id TEXT, text TEXT" }, 3, { key: [] }],
  ["of a source with gaps", { from: keyed, to: keyed, fill: gap }, 3],
  [
    "under a key that has lost its type",
    {
      from: "id INT PRIMARY KEY NOT NULL, text TEXT",
      to: "id PRIMARY KEY NOT NULL, text TEXT",
      fill: gap,
    },
    3,
  ],
  [
    "without row numbers",
    { from: `${keyed}) WITHOUT ROWID; CREATE TABLE other (x`, to: keyed },
    4,
    { numbers: [] },
  ],
])("a copy %s is compared by a few reads for each row", async (_what, tables, most, options) => {
  const { missing, reads } = await compared(tables, options)
  expect(missing).toBe(0)
  expect(reads).toBeLessThanOrEqual(most * rows + 10)
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
  expect((await compared(tables, options)).missing).toBe(1)
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
  expect((await compared(tables, options)).missing).toBe(0)
})
