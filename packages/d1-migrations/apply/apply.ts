import { setTimeout as delay } from "node:timers/promises"

import { describeUnrecorded, differencesFrom } from "../baseline/baseline.ts"
import { restoreCommand } from "../d1/cloudflare.ts"
import type { Database } from "../d1/database.ts"
import { counted, Failure, isFailure, messageOf } from "../failure.ts"
import { fileLimit, type Migration } from "../files/migration-files.ts"
import { exactRows } from "../guard/compare.ts"
import { createRefused, endOfTrial, guardOf, trialMark } from "../guard/guard.ts"
import { type GuardedTable, guardedTables } from "../guard/guarded-tables.ts"
import { guardMessage } from "../guard/refusal-statement.ts"
import {
  comparedRows,
  findOversize,
  readSizes,
  sizeQueries,
  type TableSize,
} from "../guard/size.ts"
import { type JudgedFile, judgeOn } from "../judgement/judgement.ts"
import { createTables, migrationScript, missingColumns, recordChecksum } from "../ledger/ledger.ts"
import { type Applied, findPending } from "../ledger/migration-status.ts"
import { hasTables } from "../schema/scratch-database.ts"
import { proveAtomicity } from "./atomicity.ts"
import { onRows } from "./empty-tables.ts"
import { type ApiFailure, explainFailure } from "./failure-explanation.ts"
import { type JudgedMoment, schemaSumOf } from "./judged-moment.ts"
import { type BeforeSending, refusePending } from "./refusal.ts"

type MigrationRun = {
  database: Database
  files: Migration[]
  log: {
    info(message: string): void
    warn(message: string): void
  }
  beforeSending?: BeforeSending | undefined
  /** What is recorded as the commit of the files; asked for before the first is sent. */
  commit?: () => Promise<string>
}

/**
 * Applies the pending ones of `files`, as the database's ledger says.
 * @throws MIGRATION_REFUSED before anything is sent when a pending file would take rows that it does
 * not mean, or for a reason of `beforeSending`
 * @throws MIGRATION_FAILED when a migration fails; the ones in `applied` are in the database
 */
export async function applyMigrations(run: MigrationRun): Promise<void> {
  const { database, log } = run
  const pendingState = await readPending(run)
  const { applied, records, objects, pending, unrecorded, guarded } = pendingState
  if (pending.length === 0) log.info(`nothing to apply: ${describeHead(applied)}`)
  if (pending.length === 0 && unrecorded.length === 0) return

  const judged = await onRows(database, judgeOn(pendingState))
  const complete = judged.length === pending.length
  await refusePending({ judged, complete, guarded }, run.beforeSending)
  await database.askAll(createTables(database.names))
  await addColumns(database)
  await recordChecksums(run, pendingState)
  if (pending.length === 0) return
  await proveAtomicity(database)
  const oldest = [...records.values()].findLast((record) => record.oldestWorker !== null)
  const moment = { head: applied.at(-1)?.name, schema: schemaSumOf(objects) }
  const oldestWorker = oldest?.oldestWorker ?? undefined
  if (guarded) await tryTogether(database, judged, moment)
  await applyAll(run, { pending, judged, guarded, oldestWorker, moment })
  await confirm(run)
}

export type PendingFile = { name: string; class: string; objections: string[] }

/** What of the pending files would be refused before anything is sent; nothing is written. */
export async function judgePending(database: Database, files: Migration[]): Promise<PendingFile[]> {
  const pendingState = await readPending({ database, files })
  const judged = await onRows(database, judgeOn(pendingState))
  return judged.map(({ file, classification, objections }) => {
    return {
      name: file.name,
      class: classification.class,
      objections: pendingState.guarded ? objections : [],
    }
  })
}

async function readPending({ database, files }: Pick<MigrationRun, "database" | "files">) {
  const { names } = database
  const moment = await database.moment()
  const past = files.slice(0, moment.applied.length)
  const guarded = hasTables(moment.objects)
  return { ...moment, ...findPending(files, moment.applied, names), past, guarded, names }
}

function describeHead(applied: Applied[]): string {
  const { length } = applied
  return `the database has ${length === 1 ? "its file" : `all ${length} files`} up to ${applied.at(-1)?.name ?? "none"}`
}

/**
 * Sends all files of a run in one request that fails by itself, so that none is applied if the guard of
 * another one would stop it. What else fails there is explained when its own file is sent.
 * @throws MIGRATION_REFUSED with everything that the guards found
 */
async function tryTogether(database: Database, judged: JudgedFile[], moment: JudgedMoment) {
  const tablesBefore = judged[0]?.before ?? []
  const tables = judged.map(comparedTables)
  const isAlone = tables.slice(1).every((table) => table.length === 0)
  const bytes = judged.reduce((sum, { file }) => sum + Buffer.byteLength(file.sql), 0)
  if (isAlone || bytes > fileLimit) return
  const isThere = ({ table }: GuardedTable) => tablesBefore.some(({ name }) => name === table.name)
  const sizes = await measure(database, tables.flat().filter(isThere))
  // Twice the time of such a table is more than a request has.
  if (sizes.some(({ rows }) => rows > exactRows)) return
  const record = { bookmark: "", commit: "", class: "", oldestWorker: undefined }
  const scripts = judged.map((judgedFile, index) => {
    const guard = guardOf(judgedFile, tables[index] ?? [], sizes)
    const head = judged[index - 1]?.file.name
    const then: JudgedMoment = index === 0 ? moment : { head, schema: "as recorded" }
    const { names } = database
    return migrationScript({
      names,
      migration: judgedFile.file,
      record,
      guard,
      moment: then,
      isTrial: true,
    })
  })
  const failure = await database.change([createRefused, ...scripts, endOfTrial].join("\n")).then(
    () => undefined,
    (error: unknown) => error,
  )
  const text = guardMessage(messageOf(failure)) ?? ""
  const refusals = text.startsWith(trialMark) ? text.slice(trialMark.length).trimEnd() : ""
  if (refusals === "") return
  const message = `the row guard would stop files of this run, so none of them was sent. What it found, each with the line that says it is meant:\n${refusals}`
  throw new Failure("MIGRATION_REFUSED", message)
}

type Pending = {
  pending: Migration[]
  /** The first of them, as far as they could be judged beforehand. */
  judged: JudgedFile[]
  /** A database that had no table has nothing to lose: its files are applied without a guard. */
  guarded: boolean
  oldestWorker: string | undefined
  moment: JudgedMoment
}

async function applyAll(run: MigrationRun, { pending, judged, guarded, ...state }: Pending) {
  const { database, log } = run
  const { names } = database
  const commit = (await run.commit?.()) ?? "no commit"
  let { oldestWorker, moment } = state
  for (const judgedFile of judged) {
    const { file, classification } = judgedFile
    if (classification.breaks.length > 0) oldestWorker = file.name
    const guard = guarded ? await guardFor(run, judgedFile) : undefined
    const bookmark = await database.bookmark()
    // An empty database has nothing to go back to.
    if (guarded && bookmark !== "") {
      log.info(`before ${file.name}: bookmark ${bookmark}; ${wayBack(database, bookmark)}`)
    }
    const record = { bookmark, commit, class: classification.class, oldestWorker }
    const script = migrationScript({ names, migration: file, record, guard, moment })
    const applied = await applyOne(run, { file, script })
    moment = { head: file.name, schema: "as recorded" }
    const { length } = file.statements
    if (applied) log.info(`${file.name} applied (${counted(length, "statement")})`)
  }
  const rest = pending.slice(judged.length)
  if (rest.length === 0) return
  // Only the rows could tell what the last file leaves.
  const objects = await database.objects()
  const done = run.files.slice(0, run.files.length - rest.length)
  const next = await onRows(database, judgeOn({ objects, pending: rest, past: done, names }))
  const complete = next.length === rest.length
  await keepingApplied(run, refusePending({ judged: next, complete, guarded }, run.beforeSending))
  const then = { head: moment.head, schema: schemaSumOf(objects) }
  await applyAll(run, { pending: rest, judged: next, guarded, oldestWorker, moment: then })
}

/** What is refused after the first file leaves the ones before it in the database. */
async function keepingApplied({ database }: MigrationRun, refusing: Promise<void>): Promise<void> {
  try {
    await refusing
  } catch (error) {
    if (!isFailure(error, "MIGRATION_REFUSED")) throw error
    const facts = { applied: await database.applied() }
    throw new Failure("MIGRATION_FAILED", error.message, { facts, cause: error })
  }
}

/** @throws MIGRATION_FAILED when the file does not fit into one request; nothing of it was sent */
async function guardFor({ database, log }: MigrationRun, judged: JudgedFile) {
  const { file } = judged
  const tables = comparedTables(judged)
  const sizes = await measure(database, tables)
  const isRebuilt = (name: string) =>
    tables.some(({ table, places }) => table.name === name && places.some(({ same }) => !same))
  const oversize = findOversize(
    file,
    sizes.filter(({ table }) => isRebuilt(table)),
  )
  if (oversize !== undefined) {
    const applied = await database.applied()
    throw new Failure("MIGRATION_FAILED", `${oversize} It was not sent.`, { facts: { applied } })
  }
  for (const { table, rows } of sizes) {
    if (rows <= comparedRows || isRebuilt(table)) continue
    log.warn(
      `${table} has ${counted(rows, "row")}: their number is compared, and their values are not`,
    )
  }
  return guardOf(judged, tables, sizes)
}

function comparedTables(judged: JudgedFile): GuardedTable[] {
  return guardedTables(judged).filter(({ table }) => judged.made?.has(table.name) !== true)
}

async function measure(database: Database, tables: GuardedTable[]): Promise<TableSize[]> {
  // Of rows that are named by their keys there are as many as keys.
  const queries = sizeQueries(tables.flatMap(({ table, few }) => (few === undefined ? table : [])))
  return Object.keys(queries).length > 0 ? readSizes(await database.askAll(queries)) : []
}

async function recordChecksums(
  { database, log }: MigrationRun,
  { unrecorded, past, objects }: Awaited<ReturnType<typeof readPending>>,
): Promise<void> {
  if (unrecorded.length === 0) return
  const differences = differencesFrom(past, objects)
  if (differences.length > 0) {
    log.warn(`${describeUnrecorded(unrecorded, differences)}\nNo checksum was recorded of them.`)
    return
  }
  const rows = unrecorded.map((file) => recordChecksum(file, database.names))
  await database.change(rows.join("\n"))
  const names = unrecorded.map((file) => file.name).join(", ")
  log.warn(`applied by another tool, checksum recorded as the file is now: ${names}`)
}

/** Two runs may meet here: the second is told that a column is there already. */
async function addColumns(database: Database): Promise<void> {
  const missing = await missingColumns(database)
  if (missing === "") return
  try {
    await database.change(missing)
  } catch (error) {
    if ((await missingColumns(database)) !== "") throw error
  }
}

/** Everything written since is undone, too, so a person decides. */
function wayBack({ databaseId }: Database, bookmark: string): string {
  return `to go back, undoing all that was written since: ${restoreCommand(databaseId, bookmark)}`
}

type Sent = { file: Migration; script: string }

/** False when another run did. */
async function applyOne(run: MigrationRun, { file, script }: Sent): Promise<boolean> {
  const { database, files, log } = run
  try {
    await database.change(script)
    return true
  } catch (error) {
    if (!isFailure(error, "API_FAILED")) throw error
    const applied = await ledgerAfter({ database, file, error })
    if (applied.some((row) => row.name === file.name)) {
      findPending(files, applied, database.names)
      const { lost } = error.facts
      log.info(
        lost
          ? `${file.name} is in the ledger although its answer did not say so`
          : `${file.name} was applied by another run at the same time, and not again`,
      )
      return lost
    }
    const message = await explainFailure({ database, file, error, applied })
    throw new Failure("MIGRATION_FAILED", message, { facts: { applied }, cause: error })
  }
}

type FailedMigration = { database: Database; file: Migration; error: ApiFailure }

/**
 * D1 runs one request at a time, so this reads the ledger after a lost request has taken effect.
 * The pauses give a request time that has not reached the database yet.
 */
async function ledgerAfter({ database, file, error }: FailedMigration): Promise<Applied[]> {
  try {
    for (const pause of error.facts.lost ? [0, 1000, 3000] : [0]) {
      await delay(pause)
      const applied = await database.applied()
      if (applied.some((row) => row.name === file.name)) return applied
    }
    return await database.applied()
  } catch (second) {
    throw new Error(
      `${file.name}: whether it was applied is not known, because the ledger cannot be read ` +
        `(${messageOf(second)}) after: ${error.message}. ` +
        `Run again when the database answers: the ledger decides then.`,
      { cause: second },
    )
  }
}

/** The next run believes the ledger, not this run's 200s, so the ledger has to have every file. */
async function confirm({ database, files }: MigrationRun): Promise<void> {
  const applied = await database.applied()
  const { pending } = findPending(files, applied, database.names)
  const [missing] = pending
  if (missing === undefined) return
  throw new Failure(
    "MIGRATION_FAILED",
    `${missing.name} was reported as applied, but the ledger does not have it. Run again.`,
    { facts: { applied } },
  )
}
