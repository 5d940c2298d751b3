import type { Analysis } from "../analysis/analysis.ts"
import { valueColumns, destinationsOf } from "../analysis/destinations.ts"
import { applyMigrations, type BeforeSending } from "../apply/apply.ts"
import { countRows } from "../d1/count-rows.ts"
import type { Database } from "../d1/database.ts"
import { isFailure, messageOf } from "../failure.ts"
import type { Migration } from "../files/migration-files.ts"
import { guardMessage } from "../guard/refusal-statement.ts"
import { judgeFile } from "../judgement/judgement.ts"
import { scratchDatabaseOf } from "../schema/scratch-database.ts"

/** Row counts of a table, by its name after the file. A count is undefined if the table does not exist. */
export type TableRows = { table: string; before: number | undefined; after: number | undefined }

export type FileRun = {
  name: string
  class: string
  /** `refused`: by the judgement before anything was sent, or by the row guard. */
  outcome: "applied" | "refused" | "failed"
  /** Why the file was not applied; undefined if it was. */
  reason: string | undefined
  /** Row counts before and after the file. If it was refused, the counts after it had run without the row guard. */
  tables: TableRows[]
  /** Columns that are dropped with their values, such as `note.text`. */
  lost: string[]
}

type PendingRun = {
  database: Database
  base: Migration[]
  pending: Migration[]
  beforeSending: BeforeSending | undefined
}

/** Applies files one by one, each like a deployment. Stops at the first file that is not applied. */
export async function applyPending(run: PendingRun): Promise<FileRun[]> {
  const { base, pending } = run
  const runs: FileRun[] = []
  const files = [...base]
  for (const file of pending) {
    files.push(file)
    const done = await applyOne(run, files, file)
    runs.push(done)
    if (done.outcome !== "applied") break
  }
  return runs
}

async function applyOne(
  { database, beforeSending }: PendingRun,
  files: Migration[],
  file: Migration,
): Promise<FileRun> {
  const objects = await database.objects()
  using scratch = scratchDatabaseOf(objects)
  const { classification, analysis } = judgeFile(scratch, file)
  const before = await countRows(database, objects)
  const failure = await attempt(() =>
    applyMigrations({ database, files, log: quiet, beforeSending }),
  )
  if (failure !== undefined) await attempt(() => database.change(file.sql))
  const after = await countRows(database, await database.objects())
  const tables = compareRows({ before, after, nameNow: nameIn(analysis) })
  const lost = lostColumns(analysis)
  const run = { name: file.name, class: classification.class, tables, lost }
  if (failure === undefined) {
    return { ...run, outcome: "applied", reason: undefined }
  }
  const outcome = isRefused(failure) ? "refused" : "failed"
  return { ...run, outcome, reason: reasonOf(failure) }
}

function lostColumns(analysis: Analysis): string[] {
  return analysis.before.flatMap((table) => {
    const destinations = destinationsOf(analysis, table, [])
    const lostNames = valueColumns(table, destinations).filter((name) =>
      destinations.every(({ columns }) => !columns.has(name)),
    )
    return destinations.length === 0 ? [] : lostNames.map((name) => `${table.name}.${name}`)
  })
}

function nameIn({ tables }: Analysis) {
  return (table: string): string => {
    const first = tables.findByOriginalName(table)
    const isRenamed = tables.findByName(table) === undefined && first?.dropped === false
    return isRenamed ? first.name : table
  }
}

/** Returns the message without the request, whose database no longer exists when the report is read. */
function reasonOf(failure: unknown): string {
  return messageOf(failure).replaceAll(/POST \S+\/query: (?:400 )?/g, "")
}

/** Returns whether the judgement refused the file before it was sent, or the row guard did in the database. */
function isRefused(failure: unknown): boolean {
  if (isFailure(failure, "MIGRATION_REFUSED")) return true
  const cause = failure instanceof Error ? failure.cause : undefined
  return guardMessage(messageOf(cause)) !== undefined
}

export const quiet = { info: () => {}, warn: () => {} }

async function attempt(act: () => Promise<unknown>): Promise<unknown> {
  try {
    await act()
    return undefined
  } catch (error) {
    return error ?? new Error("failed")
  }
}

type Counts = {
  before: Map<string, number>
  after: Map<string, number>
  /** Returns the name of an original table after the file. */
  nameNow: (table: string) => string
}

function compareRows({ before, after, nameNow }: Counts): TableRows[] {
  const tableRowses = [...before].map(([table, rows]): TableRows => {
    const now = nameNow(table)
    return { table: now, before: rows, after: after.get(now) }
  })
  const added = [...after]
    .filter(([table]) => !tableRowses.some((tableRows) => tableRows.table === table))
    .map(([table, rows]): TableRows => ({ table, before: undefined, after: rows }))
  return [...tableRowses, ...added].toSorted((tableRows, second) =>
    tableRows.table < second.table ? -1 : 1,
  )
}
