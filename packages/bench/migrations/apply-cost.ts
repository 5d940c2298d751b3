import { applyMigrations } from "@accounts-stack/d1-migrations"
import { boundD1, type Database, openDatabase } from "@accounts-stack/d1-migrations/d1"
import { type Migration, parseMigration } from "@accounts-stack/d1-migrations/files"

import { processorTimeOf, workerdsOf } from "../processor-time.ts"
import { esm, openWorkerd } from "../workerd.ts"

export const rows = 1_000_000

const columns = "id INTEGER PRIMARY KEY, name TEXT NOT NULL, about TEXT, n INTEGER"

const rebuild = `CREATE TABLE new_item (${columns}); INSERT INTO new_item (id, name, about, n) SELECT id, name, about, n FROM item; DROP TABLE item; ALTER TABLE new_item RENAME TO item`
const indexes = "CREATE UNIQUE INDEX item_name ON item (name); CREATE INDEX item_n ON item (n)"

/** Files that each leave the table as the next one expects it. */
const changes = {
  "one row by its key": (round: number) =>
    `-- d1:changes item.name: a new one each time\nUPDATE item SET name = 'new ${round}' WHERE id = 500000`,
  "a rebuild without an index": () => rebuild,
  "a rebuild with two indexes": () => `${rebuild}; ${indexes}`,
  "a new column": (round: number) => `ALTER TABLE item ADD COLUMN extra_${round} TEXT`,
}

export type Applied = { change: string; plain: number[]; guarded: number[] }

/** Milliseconds of workerd's processor for a file as wrangler sends it, and for the request that carries it under the guard. */
export async function applyCosts(rounds: number): Promise<Applied[]> {
  await using workerd = await openWorkerd([
    {
      name: "rows",
      modules: { "worker.js": esm("export default { fetch: () => new Response() }") },
      env: { DB: { type: "d1", id: "rows" } },
      database: { binding: "DB", schema: "SELECT 1;" },
    },
  ])
  const binding = workerd.databases.get("rows")
  if (binding === undefined) throw new Error("workerd has no database")
  const bound = boundD1(binding)
  const pids = workerdsOf("self")
  const now = () => processorTimeOf(pids) ?? performance.now()
  /** Duration of the last request that changed something. */
  let lasted = 0
  const timed = {
    ...bound,
    change: async (sql: string) => {
      const start = now()
      const costs = await bound.change(sql)
      if (sql.includes("item")) lasted = now() - start
      return costs
    },
  }
  const database = openDatabase(timed)
  const files = [fileOf(1, `CREATE TABLE item (${columns})`)]
  await apply(database, files)
  await bound.change(
    `INSERT INTO item WITH RECURSIVE k (id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM k WHERE id < ${rows}) SELECT id, 'name ' || id, hex(randomblob(60)), id % 7 FROM k`,
  )
  const measurements: Applied[] = []
  for (const [change, sqlOf] of Object.entries(changes)) {
    const cost: Applied = { change, plain: [], guarded: [] }
    for (let round = 0; round < rounds; round += 1) {
      await timed.change(sqlOf(2 * round))
      cost.plain.push(lasted)
      files.push(fileOf(files.length + 1, sqlOf(2 * round + 1)))
      await apply(database, files)
      cost.guarded.push(lasted)
    }
    measurements.push(cost)
  }
  return measurements
}

function fileOf(number: number, sql: string): Migration {
  return parseMigration(`${String(number).padStart(4, "0")}_change.sql`, Buffer.from(`${sql};\n`))
}

async function apply(database: Database, files: Migration[]): Promise<void> {
  const log = { info: () => undefined, warn: () => undefined }
  await applyMigrations({ database, files, log })
}
