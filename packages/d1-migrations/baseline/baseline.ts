import type { Database } from "../d1/database.ts"
import { Failure, failureOf, isFailure } from "../failure.ts"
import type { Migration, MigrationFile } from "../files/migration-files.ts"
import { judgeAfter } from "../judgement/judgement.ts"
import { createTables, missingColumns } from "../ledger/ledger.ts"
import { findPending } from "../ledger/migration-status.ts"
import type { Names } from "../names.ts"
import {
  openScratchDatabase,
  type SchemaObject,
  type ScratchDatabase,
  scratchDatabaseOf,
} from "../schema/scratch-database.ts"
import { literal } from "../sql/literal.ts"
import { placeOf } from "../sql/statement-place.ts"
import { describeFactDifferences, readFacts, type SchemaFacts } from "./schema-facts.ts"

export type Baseline = {
  /** Files whose schema the database already has. */
  adopted: string[]
  /** The class of each adopted file; null if unknown. */
  classes: Record<string, string | null>
  /** Rows of the ledger without a file. */
  removed: string[]
  /** Files that the next deployment will apply. */
  pending: string[]
  /** The statements to run; undefined if ledger and sidecar are already correct. */
  sql: string | undefined
}

/**
 * Finds out which files another tool has applied to a database, by comparing schemas. Reads no rows.
 * @param head name of the last applied file; needed if several files leave the same schema
 * @throws Failure with every difference from the nearest schema if no file matches
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
  const migrations = files.slice(0, count)
  const { applied, orphans } = await database.recorded()
  const names = new Set(migrations.map(({ name }) => name))
  const recorded = [...applied.map(({ name }) => name), ...orphans.map(({ name }) => name)]
  const isPrefix = applied.every(({ name }, index) => name === migrations[index]?.name)
  const isRecorded = applied.every(
    ({ record }, index) => record?.sha256 === migrations[index]?.sha256,
  )
  const done = isPrefix && isRecorded && applied.length === count && orphans.length === 0
  const missing = isPrefix ? migrations.slice(applied.length) : migrations
  const records = recordsOf(migrations)
  // Earlier releases created the sidecar without these columns.
  const columns = (await missingColumns(database)).replace(/;$/, "")
  return {
    adopted: [...names],
    classes: Object.fromEntries(records.map(({ name, class: kind }) => [name, kind])),
    removed: [...new Set(recorded.filter((name) => !names.has(name)))],
    pending: files.slice(count).map(({ name }) => name),
    sql: done
      ? undefined
      : statements({ own: database.names, records, columns, missing, rewrite: !isPrefix }),
  }
}

/**
 * Compares the schema of a database with the schema of its applied files. Does not compare rows.
 * @returns the differences; empty if a file does not run here
 */
export function differencesFrom(files: Migration[], objects: SchemaObject[]): string[] {
  using scratch = openScratchDatabase()
  using live = scratchDatabaseOf(objects)
  const failure = failureOf(() => files.forEach((file) => define(scratch, file)))
  return failure === undefined ? describeFactDifferences(readFacts(live), readFacts(scratch)) : []
}

/** Tells the user how to correct the differences. */
export function describeUnrecorded(unrecorded: { name: string }[], differences: string[]): string {
  const names = unrecorded.map(({ name }) => name).join(", ")
  return `${names}: applied by another tool, and the schema is not the one that the files make. If a file was edited since, restore it, and put the change into a new file; if the database was changed by hand, write that into the next file, or undo it:\n  ${differences.join("\n  ")}`
}

type Search = { facts: SchemaFacts; files: Migration[]; head: string | undefined }

function findCount({ facts, files, head }: Search): number {
  using scratch = openScratchDatabase()
  const fitting: number[] = []
  let nearest: { name: string; differences: string[] } | undefined
  for (const [index, file] of files.entries()) {
    define(scratch, file)
    const differences = describeFactDifferences(facts, readFacts(scratch))
    if (differences.length === 0) fitting.push(index + 1)
    if (nearest === undefined || differences.length <= nearest.differences.length) {
      nearest = { name: file.name, differences }
    }
  }
  const chosen = fitting.filter((count) => head === undefined || files[count - 1]?.name === head)
  const [count, ...otherCounts] = chosen
  if (count !== undefined && otherCounts.length === 0) return count
  if (otherCounts.length > 0) {
    const names = chosen.map((fileCount) => files[fileCount - 1]?.name).join(", ")
    const message = `The database has the schema of each of ${names}: these differ only in rows. Say with --head which was the last.`
    throw new Failure("COMMAND_FAILED", message)
  }
  const listed = (nearest?.differences ?? []).join("\n  ")
  throw new Failure(
    "COMMAND_FAILED",
    head === undefined || fitting.length === 0
      ? `The schema is that of no migration. It is nearest to ${nearest?.name}:\n  ${listed}`
      : `The schema is not that of ${head}, but of ${fitting.map((fileCount) => files[fileCount - 1]?.name).join(", ")}.`,
  )
}

/** Applies a file's definitions. Ignores failures of other statements, because their rows may be missing here. */
function define(scratch: ScratchDatabase, file: Migration): void {
  for (const [index, { sql }] of file.statements.entries()) {
    let definesSchema = true
    const failure = failureOf(() => {
      const { effect, run } = scratch.prepare(sql)
      definesSchema = effect.changesSchema
      run()
    })
    if (failure === undefined || !definesSchema) continue
    const message = `${placeOf(file, index + 1)} cannot be compared: ${failure}.`
    throw new Failure("COMMAND_FAILED", message)
  }
}

type Recorded = MigrationFile & { class: string | null; oldestWorker: string | null }

/** Returns the records as if a deployment had applied the files, without bookmark, commit and row counts. */
function recordsOf(migrations: Migration[]): Recorded[] {
  const judged = judgeAfter([], migrations)
  let oldestWorker: string | null = null
  return migrations.map(({ name, sha256 }) => {
    const classification = judged.find(({ file }) => file.name === name)?.classification
    if ((classification?.breaks.length ?? 0) > 0) oldestWorker = name
    return { name, sha256, class: classification?.class ?? null, oldestWorker }
  })
}

type Statements = {
  own: Names
  records: Recorded[]
  columns: string
  missing: Migration[]
  rewrite: boolean
}

function statements({ own, records, columns, missing, rewrite }: Statements): string {
  const { ledger, sidecar } = own
  const names = records.map(({ name }) => literal(name)).join(", ")
  return [
    ...Object.values(createTables(own)),
    ...(columns === "" ? [] : [columns]),
    ...(rewrite ? [`DELETE FROM "${ledger}"`] : []),
    `DELETE FROM "${sidecar}" WHERE name NOT IN (${names})`,
    ...records.map((record) => recordStatement(record, sidecar)),
    ...missing.map(({ name }) => `INSERT INTO "${ledger}" (name) VALUES (${literal(name)})`),
  ].join(";\n")
}

/** Inserts a record, or updates its checksum. Keeps the class that a deployment has recorded. */
function recordStatement(record: Recorded, sidecar: string): string {
  const { name, sha256, class: kind, oldestWorker } = record
  const values = [name, sha256, kind, oldestWorker].map((value) =>
    value === null ? "NULL" : literal(value),
  )
  return `INSERT INTO "${sidecar}" (name, sha256, class, oldest_worker) VALUES (${values.join(", ")}) ON CONFLICT (name) DO UPDATE SET sha256 = excluded.sha256, class = coalesce(class, excluded.class), oldest_worker = coalesce(oldest_worker, excluded.oldest_worker)`
}

type Writing = {
  database: Database
  files: Migration[]
  head?: string | undefined
  /** Called just before the database is written. @throws if another run may have started */
  expectAlone?: () => void
}

/**
 * Writes ledger and sidecar in one request, then reads them back, because the response may be lost.
 * @throws Failure if the database has changed since the plan, or the ledger is incomplete afterwards
 */
export async function writeBaseline(
  { database, files, head, expectAlone }: Writing,
  { sql, adopted }: Baseline,
): Promise<void> {
  if (sql === undefined) return
  const now = await planBaseline(database, files, head)
  if (now.sql !== sql) {
    const message = "The database has changed meanwhile, so nothing was written. Run this again."
    throw new Failure("COMMAND_FAILED", message)
  }
  expectAlone?.()
  try {
    await database.change(sql)
  } catch (error) {
    if (!isFailure(error, "API_FAILED") || !error.facts.lost) throw error
  }
  const { pending, unrecorded } = findPending(files, await database.applied(), database.names)
  if (pending.length === files.length - adopted.length && unrecorded.length === 0) return
  throw new Failure("COMMAND_FAILED", "The ledger was not written as a whole: run this again.")
}
