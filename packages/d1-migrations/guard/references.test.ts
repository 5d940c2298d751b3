import { afterAll, expect, test } from "vitest"

import { startGuardedDatabases } from "./testing/guarded-database.ts"

const databases = await startGuardedDatabases()
const { setUp } = databases
afterAll(() => databases[Symbol.asyncDispose]())

const log = `CREATE TABLE log (id INTEGER PRIMARY KEY, line TEXT);
INSERT INTO log VALUES (1, 'one'), (2, 'two'), (3, 'three');
CREATE TABLE note (id TEXT PRIMARY KEY, log_id INTEGER REFERENCES log (id) ON DELETE SET NULL);
INSERT INTO note VALUES ('n1', 1), ('n2', 2), ('n3', NULL);`

test.each([
  [
    "a new row",
    "PRAGMA defer_foreign_keys = ON; INSERT INTO note VALUES ('n4', 77); PRAGMA defer_foreign_keys = OFF;",
    "rows that refer to rows that do not exist: 1, and 0 before the file",
  ],
  [
    "rows whose parent goes",
    `-- d1:changes log.id: other numbers as on paper
PRAGMA defer_foreign_keys = 1; UPDATE log SET id = id + 7; PRAGMA main.defer_foreign_keys(0);`,
    "rows that refer to rows that do not exist: 2, and 0 before the file",
  ],
])(
  "%s that refers to nothing is refused, although the file ends its deferral",
  async (_what, sql, words) => {
    const database = await setUp(log)
    expect(await database.send(sql)).toContain(words)
    expect(await database.content("note")).toHaveLength(3)
    expect(await database.query("PRAGMA foreign_key_check")).toEqual([])
  },
)

test("a file that ends its deferral is applied where its references are whole, or no worse than before", async () => {
  const ends = `PRAGMA defer_foreign_keys = ON; INSERT INTO note VALUES ('n4', 3); PRAGMA defer_foreign_keys = OFF;`
  expect(await (await setUp(log)).send(ends)).toBeUndefined()
  const broken = `${log} ${ends.replace("'n4', 3", "'n0', 66")}`
  const [unchanged, worse] = [await setUp(broken), await setUp(broken)]
  expect(await unchanged.query("PRAGMA foreign_key_check")).toHaveLength(1)
  expect(await unchanged.send(ends)).toBeUndefined()
  expect(await worse.send(ends.replace("'n4', 3", "'n5', 77"))).toContain(
    "rows that refer to rows that do not exist: 2, and 1 before the file",
  )
})
