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
import {
  createTables,
  type JudgedMoment,
  migrationScript,
  missingColumns,
  recordChecksum,
} from "../ledger/ledger.ts"
import { type Applied, findPending } from "../ledger/migration-status.ts"
import { hasTables } from "../schema/scratch-database.ts"
import { proveAtomicity } from "./atomicity.ts"
import { onRows } from "./empty-tables.ts"
import { type ApiFailure, explainFailure } from "./failure-explanation.ts"

type MigrationRun = {
  database: Database
  files: Migration[]
  log: {
    info(message: string): void
    warn(message: string): void
  }
  beforeSending?: BeforeSending | undefined
  /** Returns the Git commit to record with each file. Called before the first file is sent. */
  commit?: () => Promise<string>
}

type JudgedRun = {
  judged: JudgedFile[]
  /** Whether `judged` has every pending file. */
  complete: boolean
  /** False for a database without tables, which has nothing to lose. */
  guarded: boolean
}

/** Returns the caller's reasons against sending the files; empty allows them. */
export type BeforeSending = (run: JudgedRun) => Promise<string[]>

/**
 * Checks files before the first of them is sent.
 * @throws MIGRATION_REFUSED with all objections to the files, and the reasons of `beforeSending`
 */
export async function refusePending(run: JudgedRun, beforeSending?: BeforeSending): Promise<void> {
  const fileObjections = run.guarded ? run.judged.flatMap(({ objections }) => objections) : []
  const reasons = [...fileObjections, ...((await beforeSending?.(run)) ?? [])]
  if (reasons.length === 0) return
  const message = `${reasons.join("\n")}\nNo pending migration was sent.`
  throw new Failure("MIGRATION_REFUSED", message)
}

/**
 * Applies the files that the database's ledger lacks.
 * @throws MIGRATION_REFUSED before anything is sent, if a pending file would lose rows without declaring it, or
 * `beforeSending` returns a reason
 * @throws MIGRATION_FAILED if a migration fails; the database has the migrations in `applied`
 */
export async function applyMigrations(run: MigrationRun): Promise<void> {
  const { database, log } = run
  const state = await readPending(run)
  const { applied, schema, pending, unrecorded, guarded } = state
  if (pending.length === 0) {
    const { length } = applied
    const files = length === 1 ? "its file" : `all ${length} files`
    log.info(`nothing to apply: the database has ${files} up to ${applied.at(-1)?.name ?? "none"}`)
    if (unrecorded.length === 0) return
  }
  const judged = await onRows(database, judgeOn(state))
  const complete = judged.length === pending.length
  await refusePending({ judged, complete, guarded }, run.beforeSending)
  await database.askAll(createTables(database.names))
  await addColumns(database)
  await recordChecksums(run, state)
  if (pending.length === 0) return
  await proveAtomicity(database)
  const moment = { head: applied.at(-1)?.name, schema }
  if (guarded) await tryTogether(database, judged, moment)
  await applyAll(run, { ...state, judged, moment })
  // A response of 200 does not prove that a file was applied: only the ledger does.
  const [missing] = findPending(run.files, await database.applied(), database.names).pending
  if (missing === undefined) return
  const message = `${missing.name} was reported as applied, but the ledger does not have it. Run again.`
  throw await failedWith(run, message)
}

export type PendingFile = { name: string; class: string; objections: string[] }

/** Lists the pending files with the objections that `applyMigrations` would refuse them for. Writes nothing. */
export async function judgePending(database: Database, files: Migration[]): Promise<PendingFile[]> {
  const state = await readPending({ database, files })
  const judged = await onRows(database, judgeOn(state))
  return judged.map(({ file, classification, objections }) => {
    const refusals = state.guarded ? objections : []
    return { name: file.name, class: classification.class, objections: refusals }
  })
}

async function readPending({ database, files }: Pick<MigrationRun, "database" | "files">) {
  const { names } = database
  const state = await database.moment()
  const past = files.slice(0, state.applied.length)
  // A database without tables has nothing to lose: its files are applied without a guard.
  const guarded = hasTables(state.objects)
  return { ...state, ...findPending(files, state.applied, names), past, guarded, names }
}

type State = Awaited<ReturnType<typeof readPending>>

async function failedWith(
  { database }: Pick<MigrationRun, "database">,
  message: string,
  cause?: unknown,
) {
  const facts = { applied: await database.applied() }
  return new Failure("MIGRATION_FAILED", message, { facts, cause })
}

/**
 * Tries all files of a run in one request that always fails: if the guard of one would stop it, no file is applied.
 * Ignores any other failure, which occurs again when the file itself is sent.
 * @throws MIGRATION_REFUSED with all findings of the guards
 */
async function tryTogether(database: Database, judged: JudgedFile[], moment: JudgedMoment) {
  const tables = judged.map(comparedTables)
  const isSingle = tables.slice(1).every((table) => table.length === 0)
  const bytes = judged.reduce((sum, { file }) => sum + Buffer.byteLength(file.sql), 0)
  if (isSingle || bytes > fileLimit) return
  const namesBefore = new Set(judged[0]?.before.map(({ name }) => name))
  const existing = tables.flat().filter(({ table }) => namesBefore.has(table.name))
  const sizes = await measure(database, existing)
  // Comparing a larger table for two files could exceed the time limit of a request.
  if (sizes.some(({ rows }) => rows > exactRows)) return
  const record = { bookmark: "", commit: "", class: "", oldestWorker: undefined }
  const scripts = judged.map((judgedFile, index) =>
    migrationScript({
      names: database.names,
      migration: judgedFile.file,
      record,
      guard: guardOf(judgedFile, tables[index] ?? [], sizes),
      moment: index === 0 ? moment : momentAfter(judged[index - 1]?.file),
      isTrial: true,
    }),
  )
  const script = [createRefused, ...scripts, endOfTrial].join("\n")
  const failure = await database.change(script).then(() => undefined, messageOf)
  const text = guardMessage(failure ?? "") ?? ""
  const refusals = text.startsWith(trialMark) ? text.slice(trialMark.length).trimEnd() : ""
  if (refusals === "") return
  const message = `the row guard would stop files of this run, so none of them was sent. What it found, each with the line that says it is meant:\n${refusals}`
  throw new Failure("MIGRATION_REFUSED", message)
}

function momentAfter(file: Migration | undefined): JudgedMoment {
  return { head: file?.name, schema: "as recorded" }
}

type Sending = State & {
  /** The leading pending files that can be judged without running them. */
  judged: JudgedFile[]
  moment: JudgedMoment
}

async function applyAll(run: MigrationRun, state: Sending): Promise<void> {
  const { database, log } = run
  const { names, pending, guarded, records } = state
  const commit = (await run.commit?.()) ?? "no commit"
  let { judged, moment } = state
  const oldest = [...records.values()].findLast((record) => record.oldestWorker !== null)
  let oldestWorker = oldest?.oldestWorker ?? undefined
  for (let rest = pending; ;) {
    for (const judgedFile of judged) {
      const { file, classification } = judgedFile
      if (classification.breaks.length > 0) oldestWorker = file.name
      const guard = guarded ? await guardFor(run, judgedFile) : undefined
      const bookmark = await database.bookmark()
      // An empty database has no state worth restoring.
      if (guarded && bookmark !== "") {
        const restore = restoreCommand(database.databaseId, bookmark)
        log.info(
          `before ${file.name}: bookmark ${bookmark}; to go back, undoing all that was written since: ${restore}`,
        )
      }
      const record = { bookmark, commit, class: classification.class, oldestWorker }
      const script = migrationScript({ names, migration: file, record, guard, moment })
      const applied = await applyOne(run, file, script)
      moment = momentAfter(file)
      const { length } = file.statements
      if (applied) log.info(`${file.name} applied (${counted(length, "statement")})`)
    }
    rest = rest.slice(judged.length)
    if (rest.length === 0) return
    // The schema after the last judged file depends on rows, so read it from the database.
    const { objects, schema } = await database.moment()
    const past = run.files.slice(0, run.files.length - rest.length)
    judged = await onRows(database, judgeOn({ objects, pending: rest, past, names }))
    moment = { head: moment.head, schema }
    try {
      const complete = judged.length === rest.length
      await refusePending({ judged, complete, guarded }, run.beforeSending)
    } catch (error) {
      // Earlier files are already applied, so the run has failed instead of being refused.
      if (!isFailure(error, "MIGRATION_REFUSED")) throw error
      throw await failedWith(run, error.message, error)
    }
  }
}

/** @throws MIGRATION_FAILED if the file and its guard do not fit into one request; the file was not sent */
async function guardFor(run: MigrationRun, judged: JudgedFile) {
  const tables = comparedTables(judged)
  const sizes = await measure(run.database, tables)
  const rebuilt = new Set(
    tables.flatMap(({ table, places }) => (places.some(({ same }) => !same) ? table.name : [])),
  )
  const [rebuiltSizes, otherSizes] = [true, false].map((isRebuilt) =>
    sizes.filter(({ table }) => rebuilt.has(table) === isRebuilt),
  )
  const oversize = findOversize(judged.file, rebuiltSizes ?? [])
  if (oversize !== undefined) throw await failedWith(run, `${oversize} It was not sent.`)
  for (const { table, rows } of otherSizes ?? []) {
    if (rows <= comparedRows) continue
    const size = counted(rows, "row")
    run.log.warn(`${table} has ${size}: their number is compared, and their values are not`)
  }
  return guardOf(judged, tables, sizes)
}

function comparedTables(judged: JudgedFile): GuardedTable[] {
  return guardedTables(judged).filter(({ table }) => judged.made?.has(table.name) !== true)
}

async function measure(database: Database, tables: GuardedTable[]): Promise<TableSize[]> {
  // If a table's compared rows are named by keys, the keys give their number.
  const queries = sizeQueries(tables.flatMap(({ table, few }) => (few === undefined ? table : [])))
  return Object.keys(queries).length > 0 ? readSizes(await database.askAll(queries)) : []
}

async function recordChecksums(
  { database, log }: MigrationRun,
  { unrecorded, past, objects }: State,
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

/** Adds missing columns of the ledger. Ignores an error if a concurrent run has added them. */
async function addColumns(database: Database): Promise<void> {
  const missing = await missingColumns(database)
  if (missing === "") return
  try {
    await database.change(missing)
  } catch (error) {
    if ((await missingColumns(database)) !== "") throw error
  }
}

/** Applies a file. Returns false if a concurrent run applied it. */
async function applyOne(run: MigrationRun, file: Migration, script: string): Promise<boolean> {
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
          ? `${file.name} is in the ledger although its answer did not tell`
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
 * Reads the ledger after a failed request. D1 runs one request at a time, so a lost request that reached the database
 * has taken effect. The pauses wait for a lost request that has not reached it yet.
 */
async function ledgerAfter({ database, file, error }: FailedMigration): Promise<Applied[]> {
  try {
    let applied: Applied[] = []
    for (const pause of error.facts.lost ? [0, 1000, 3000] : [0]) {
      await delay(pause)
      applied = await database.applied()
      if (applied.some((row) => row.name === file.name)) break
    }
    return applied
  } catch (second) {
    throw new Error(
      `${file.name}: whether it was applied is not known, because the ledger cannot be read ` +
        `(${messageOf(second)}) after: ${error.message}. ` +
        `Run again when the database answers: the ledger decides then.`,
      { cause: second },
    )
  }
}
