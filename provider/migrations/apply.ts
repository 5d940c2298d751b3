import { setTimeout as delay } from "node:timers/promises"

import { Failure, isFailure, messageOf } from "../../failure.ts"
import type { Log } from "../protocol/log.ts"
import { proveAtomicity } from "./atomicity.ts"
import type { Database } from "./database.ts"
import { type ApiFailure, explainFailure } from "./failure-explanation.ts"
import { type Applied, findPending } from "./history.ts"
import {
  addBookmarkColumn,
  createTables,
  findBookmarkColumn,
  migrationScript,
  recordChecksum,
} from "./ledger.ts"
import type { Migration } from "./migration-files.ts"
import { refuseLosses } from "./rehearsal/refuse-losses.ts"

type MigrationRun = { database: Database; files: Migration[]; log: Log }

/**
 * Applies the pending ones of `files`. The database's ledger decides which those are, not Pulumi's
 * state: an earlier run may have been killed after the one and before the other was written.
 * @throws MIGRATION_REFUSED before anything is sent when a pending file would take rows that it does
 * not mean
 * @throws MIGRATION_FAILED when a migration fails; the ones in `applied` are in the database
 */
export async function applyMigrations(run: MigrationRun): Promise<void> {
  const { database, files, log } = run
  const { pending, unrecorded } = findPending(files, await database.applied())
  if (pending.length === 0 && unrecorded.length === 0) return

  if (pending.length > 0) refuseLosses(await database.objects(), pending)
  await database.askAll(createTables)
  await addBookmarks(database)
  await recordChecksums(run, unrecorded)
  if (pending.length > 0) await proveAtomicity(database)
  for (const file of pending) {
    const bookmark = await database.bookmark()
    log.info(`before ${file.name}: bookmark ${bookmark}; ${wayBack(database, bookmark)}`)
    await applyOne(run, { file, bookmark })
    const { length } = file.statements
    log.info(`${file.name} applied (${length} statement${length === 1 ? "" : "s"})`)
  }
  await confirm(run)
}

async function recordChecksums(
  { database, log }: MigrationRun,
  unrecorded: Migration[],
): Promise<void> {
  if (unrecorded.length === 0) return
  await database.change(unrecorded.map(recordChecksum).join("\n"))
  const names = unrecorded.map((file) => file.name).join(", ")
  log.warn(`applied by another tool, checksum recorded as the file is now: ${names}`)
}

/** Two runs may meet here: the second is told that the column is there already. */
async function addBookmarks(database: Database): Promise<void> {
  if ((await database.ask(findBookmarkColumn)).length > 0) return
  try {
    await database.change(addBookmarkColumn)
  } catch (error) {
    if ((await database.ask(findBookmarkColumn)).length === 0) throw error
  }
}

/** Everything written since is undone, too, so a person decides. */
function wayBack({ databaseId }: Database, bookmark: string): string {
  return `back to it, with all rows of then: wrangler d1 time-travel restore ${databaseId} --bookmark=${bookmark}`
}

type BookmarkedFile = { file: Migration; bookmark: string }

async function applyOne(run: MigrationRun, { file, bookmark }: BookmarkedFile): Promise<void> {
  const { database, files, log } = run
  try {
    await database.change(migrationScript(file, bookmark))
  } catch (error) {
    if (!isFailure(error, "API_FAILED")) throw error
    const applied = await ledgerAfter({ database, file, error })
    if (applied.some((row) => row.name === file.name)) {
      findPending(files, applied)
      log.info(`${file.name} is in the ledger although its answer did not say so`)
      return
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
  const { pending } = findPending(files, applied)
  const [missing] = pending
  if (missing === undefined) return
  throw new Failure(
    "MIGRATION_FAILED",
    `${missing.name} was reported as applied, but the ledger does not have it. Run again.`,
    { facts: { applied } },
  )
}
