import { applyMigrations } from "@accounts/d1-migrations"
import type { Database } from "@accounts/d1-migrations/d1"
import type { Migration } from "@accounts/d1-migrations/files"
import { localCloudflareProcess } from "@accounts/local/cloudflare/testing/local-cloudflare"

import { markdownTable } from "../infra/markdown-table.ts"
import { createApi } from "../provider/api.ts"
import { openDatabase, parseMigration } from "../provider/migrations/own-names.ts"
import { describe } from "./measure.ts"
import { processorTimeOf, workerdsOf } from "./processor-time.ts"
import { publish, say, startFacts } from "./report.ts"

const columns =
  "id TEXT PRIMARY KEY, member_id TEXT NOT NULL, mood TEXT NOT NULL, text TEXT NOT NULL, created_at INTEGER NOT NULL"
const index = "CREATE INDEX entry_member ON entry (member_id, created_at);"
const first = file(0, `CREATE TABLE entry (${columns});\n${index}`)

/** What is measured, each after the ones before it. */
const steps: Record<string, Migration[]> = {
  // As drizzle-kit writes the change of a column.
  "one rebuild": [
    file(
      1,
      `PRAGMA foreign_keys=OFF;
CREATE TABLE __new_entry (${columns.replace("mood TEXT NOT NULL", "mood TEXT DEFAULT 'good' NOT NULL")});
INSERT INTO __new_entry (id, member_id, mood, text, created_at) SELECT id, member_id, mood, text, created_at FROM entry;
DROP TABLE entry;
ALTER TABLE __new_entry RENAME TO entry;
PRAGMA foreign_keys=ON;
${index}`,
    ),
  ],
  // One of the indexes is over all rows.
  "four additive files": [
    "ALTER TABLE entry ADD COLUMN place TEXT;",
    "CREATE TABLE tag (id TEXT PRIMARY KEY, entry_id TEXT NOT NULL);",
    "CREATE INDEX tag_entry ON tag (entry_id);",
    "CREATE INDEX entry_created_at ON entry (created_at);",
  ].map((sql, at) => file(at + 2, sql)),
  // A table that is changed where it is, which leaves no copy to compare with.
  "one update of every row": [
    file(6, "ALTER TABLE entry ADD COLUMN writer TEXT; UPDATE entry SET writer = member_id;"),
  ],
}

type Apply = (database: Database, earlier: Migration[], files: Migration[]) => Promise<unknown>

const quiet = { info: () => undefined, warn: () => undefined }

const ways: Record<"guarded" | "asTheyAre", Apply> = {
  /** As `up` applies them. */
  guarded: (database, earlier, files) =>
    applyMigrations({ database, files: [...earlier, ...files], log: quiet }),
  /** As wrangler sends them: each with its row of the ledger. */
  async asTheyAre(database, _earlier, files) {
    for (const { name, sql } of files) {
      await database.change(`${sql}\nINSERT INTO d1_migrations (name) VALUES ('${name}');`)
    }
  },
}

/** The same files on two databases with the same rows, in turns: by the provider, and as they are. */
export async function benchMigrations({ rounds, write }: { rounds: number; write?: boolean }) {
  const factsUntilNow = startFacts()
  await using cloudflare = await localCloudflareProcess()
  const { accountId, pid } = cloudflare
  const api = createApi({ baseUrl: cloudflare.api, token: cloudflare.token })
  const client = await cloudflare.client()

  /** Processor seconds of the workerd that runs D1, for each step. */
  async function measure(rows: number, apply: Apply): Promise<number[]> {
    const { uuid = "" } = await client.d1.database.create({ account_id: accountId, name: "bench" })
    const database = openDatabase({ api, accountId, databaseId: uuid })
    await applyMigrations({ database, files: [first], log: quiet })
    for (const sql of fill(rows)) await database.change(sql)
    const used = () => (processorTimeOf(workerdsOf(pid)) ?? Number.NaN) / 1000
    const seconds: number[] = []
    const earlier = [first]
    for (const files of Object.values(steps)) {
      const before = used()
      await apply(database, earlier, files)
      seconds.push(used() - before)
      earlier.push(...files)
    }
    await client.d1.database.delete(uuid, { account_id: accountId })
    return seconds
  }

  const table: string[][] = []
  for (const rows of [10_000, 1_000_000]) {
    const measured: Record<keyof typeof ways, number[][]> = { guarded: [], asTheyAre: [] }
    for (let round = 0; round < rounds; round += 1) {
      // Whoever comes second finds a warmer machine: they take turns.
      const order =
        round % 2 === 0 ? (["asTheyAre", "guarded"] as const) : (["guarded", "asTheyAre"] as const)
      for (const way of order) measured[way].push(await measure(rows, ways[way]))
    }
    for (const [step, title] of Object.keys(steps).entries()) {
      const [under = [], over = []] = [measured.asTheyAre, measured.guarded].map((all) =>
        all.map((seconds) => seconds[step] ?? Number.NaN),
      )
      const ratios = over.map((seconds, round) => seconds / (under[round] ?? Number.NaN))
      table.push([
        rows.toLocaleString("en"),
        title,
        ...[under, over, ratios].map((one) => describe(one)),
      ])
      say(table.at(-1)?.join(", ") ?? "")
    }
  }
  const headings = ["rows", "files", "as they are, processor s", "guarded, processor s", "ratio"]
  const measured = `${factsUntilNow()}; rounds: ${rounds}.\n\n${markdownTable(headings, table)}`
  publish({ part: "migrations", measured, write })
}

/** Statements, each for a request of its own, that leave gaps as in a table that is in use. */
function fill(rows: number): string[] {
  const batch = 100_000
  const inserts = Array.from({ length: Math.ceil(rows / batch) }, (_, at) => {
    const [from, until] = [at * batch, Math.min(rows, (at + 1) * batch) - 1]
    return `WITH RECURSIVE n (i) AS (SELECT ${from} UNION ALL SELECT i + 1 FROM n WHERE i < ${until})
INSERT INTO entry SELECT printf('ent_%012d', i), printf('usr_%09d', i / 10), 'good', 'A walk by the river, number ' || i, 1700000000000 + i FROM n`
  })
  return [...inserts, "DELETE FROM entry WHERE rowid % 50 = 7"]
}

function file(number: number, sql: string): Migration {
  return parseMigration(`${String(number).padStart(4, "0")}_bench.sql`, Buffer.from(sql))
}
