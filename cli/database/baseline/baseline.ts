import { Failure, isFailure } from "../../../failure.ts"
import type { Database } from "../../../provider/migrations/database.ts"
import { findPending } from "../../../provider/migrations/history.ts"
import { createTables } from "../../../provider/migrations/ledger.ts"
import type { Migration } from "../../../provider/migrations/migration-files.ts"
import { ledgerTable, sidecarTable } from "../../../provider/migrations/own-tables.ts"
import { advance } from "../../../provider/migrations/rehearsal/rehearsal.ts"
import {
  openScratchDatabase,
  scratchDatabaseOf,
} from "../../../provider/migrations/rehearsal/scratch-database.ts"
import { literal } from "../../../provider/migrations/sql-literal.ts"
import { readRecordedMigrations } from "../recorded-migrations.ts"
import { describeFactDifferences, readFacts, type SchemaFacts } from "./schema-facts.ts"

export type Baseline = {
  /** Files whose result the database has. */
  adopted: string[]
  /** Rows of the ledger that no file stands for. */
  removed: string[]
  /** Files that the next deployment applies. */
  pending: string[]
  /** Undefined when the ledger says all of it already. */
  sql: string | undefined
}

/**
 * Which files a database that another tool migrated has, found by its schema alone.
 * @param head the newest of them, where several leave the same schema
 * @throws Failure with every difference when there is no such file
 */
export async function planBaseline(
  database: Database,
  files: Migration[],
  head?: string,
): Promise<Baseline> {
  using live = scratchDatabaseOf(await database.objects())
  const facts = readFacts(live)
  if (facts.size === 0) {
    throw new Failure("COMMAND_FAILED", "The database is empty: a deployment makes its schema.")
  }
  const count = findCount({ facts, files, head })
  const wanted = files.slice(0, count)
  const { applied, orphans } = await readRecordedMigrations(database)
  const names = new Set(wanted.map(({ name }) => name))
  const recorded = [...applied.map(({ name }) => name), ...orphans.map(({ name }) => name)]
  const isPrefix = applied.every(({ name }, index) => name === wanted[index]?.name)
  const isRecorded = applied.every(({ record }, index) => record?.sha256 === wanted[index]?.sha256)
  const done = isPrefix && isRecorded && applied.length === count && orphans.length === 0
  const missing = isPrefix ? wanted.slice(applied.length) : wanted
  return {
    adopted: [...names],
    removed: [...new Set(recorded.filter((name) => !names.has(name)))],
    pending: files.slice(count).map(({ name }) => name),
    sql: done ? undefined : statements({ wanted, missing, rewrite: !isPrefix }),
  }
}

type Search = { facts: SchemaFacts; files: Migration[]; head: string | undefined }

function findCount({ facts, files, head }: Search): number {
  using scratch = openScratchDatabase()
  const fitting: number[] = []
  let nearest: { name: string; differences: string[] } | undefined
  for (const [index, file] of files.entries()) {
    const failure = advance(scratch, file)
    if (failure !== undefined) {
      const message = `${file.name} cannot be compared: statement ${failure.statement} needs rows (${failure.message}).`
      throw new Failure("COMMAND_FAILED", message)
    }
    const differences = describeFactDifferences(facts, readFacts(scratch))
    if (differences.length === 0) fitting.push(index + 1)
    if (nearest === undefined || differences.length <= nearest.differences.length) {
      nearest = { name: file.name, differences }
    }
  }
  const chosen = fitting.filter((count) => head === undefined || files[count - 1]?.name === head)
  const [count, ...more] = chosen
  if (count !== undefined && more.length === 0) return count
  if (more.length > 0) {
    const names = chosen.map((one) => files[one - 1]?.name).join(", ")
    const message = `The database has the schema of each of ${names}: these differ in rows alone. Say with --head which was the last.`
    throw new Failure("COMMAND_FAILED", message)
  }
  const listed = (nearest?.differences ?? []).join("\n  ")
  throw new Failure(
    "COMMAND_FAILED",
    head === undefined || fitting.length === 0
      ? `The schema is that of no migration. It is nearest to ${nearest?.name}:\n  ${listed}`
      : `The schema is not that of ${head}, but of ${fitting.map((one) => files[one - 1]?.name).join(", ")}.`,
  )
}

type Writing = { wanted: Migration[]; missing: Migration[]; rewrite: boolean }

function statements({ wanted, missing, rewrite }: Writing): string {
  const names = wanted.map(({ name }) => literal(name)).join(", ")
  return [
    createTables.ledger,
    createTables.sidecar,
    ...(rewrite ? [`DELETE FROM "${ledgerTable}"`] : []),
    `DELETE FROM "${sidecarTable}" WHERE name NOT IN (${names})`,
    ...wanted.map(
      ({ name, sha256 }) =>
        `INSERT INTO "${sidecarTable}" (name, sha256) VALUES (${literal(name)}, ${literal(sha256)}) ON CONFLICT (name) DO UPDATE SET sha256 = excluded.sha256`,
    ),
    ...missing.map(({ name }) => `INSERT INTO "${ledgerTable}" (name) VALUES (${literal(name)})`),
  ].join(";\n")
}

/** Writes ledger and sidecar in one request, and reads them back: its answer may be lost. */
export async function writeBaseline(
  database: Database,
  files: Migration[],
  { sql, adopted }: Baseline,
): Promise<void> {
  if (sql === undefined) return
  try {
    await database.change(sql)
  } catch (error) {
    if (!isFailure(error, "API_FAILED") || !error.facts.lost) throw error
  }
  const { pending, unrecorded } = findPending(files, await database.applied())
  if (pending.length === files.length - adopted.length && unrecorded.length === 0) return
  throw new Failure("COMMAND_FAILED", "The ledger was not written as a whole: run this again.")
}
