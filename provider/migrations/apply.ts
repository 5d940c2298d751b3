import { setTimeout as delay } from "node:timers/promises"

import { ApiError } from "../api.ts"
import type { Log } from "../protocol/log.ts"
import { proveAtomicity } from "./atomicity.ts"
import type { Database } from "./database.ts"
import { locateFailure } from "./failing-statement.ts"
import { type Applied, comparePast } from "./history.ts"
import { createLedger, migrationScript, recordChecksum } from "./ledger.ts"
import type { Migration } from "./migration-files.ts"

/** A migration failed. Those in `applied` are in the database; it and what follows are not. */
export class MigrationFailure extends Error {
  override name = "MigrationFailure"
  readonly applied: Applied[]
  constructor(message: string, applied: Applied[], options?: ErrorOptions) {
    super(message, options)
    this.applied = applied
  }
}

export type Application = { database: Database; files: Migration[]; log: Log }

/**
 * Brings a database to the last of `files`. The ledger in the database decides what is pending,
 * never state: an earlier run may have been killed between the two.
 */
export async function applyMigrations(application: Application): Promise<void> {
  const { database, files, log } = application
  const { pending, unrecorded } = comparePast(files, await database.applied())
  if (pending.length === 0 && unrecorded.length === 0) return

  await database.ask(createLedger)
  await adopt(application, unrecorded)
  if (pending.length > 0) await proveAtomicity(database)
  for (const file of pending) {
    await applyOne(application, file)
    const { length } = file.statements
    log.info(`${file.name} applied (${length} statement${length === 1 ? "" : "s"})`)
  }
  await confirm(application)
}

async function adopt({ database, log }: Application, unrecorded: Migration[]): Promise<void> {
  if (unrecorded.length === 0) return
  await database.change(unrecorded.map(recordChecksum).join("\n"))
  const names = unrecorded.map((file) => file.name).join(", ")
  log.warn(`applied by another tool, checksum recorded as the file is now: ${names}`)
}

async function applyOne(application: Application, file: Migration): Promise<void> {
  const { database, files, log } = application
  try {
    await database.change(migrationScript(file))
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    const applied = await ledgerAfter({ database, file, error })
    if (applied.some((row) => row.name === file.name)) {
      comparePast(files, applied)
      log.info(`${file.name} is in the ledger although its answer did not say so`)
      return
    }
    throw new MigrationFailure(await explain({ database, file, error, applied }), applied, {
      cause: error,
    })
  }
}

type Failed = { database: Database; file: Migration; error: ApiError }

/**
 * D1 runs one request at a time, so the ledger is read after whatever the lost request did; the
 * pauses are for a request that had not reached the database yet.
 */
async function ledgerAfter({ database, file, error }: Failed): Promise<Applied[]> {
  try {
    for (const pause of error.lost ? [0, 1000, 3000] : [0]) {
      await delay(pause)
      const applied = await database.applied()
      if (applied.some((row) => row.name === file.name)) return applied
    }
    return await database.applied()
  } catch (second) {
    throw new Error(
      `${file.name}: whether it was applied is not known, because the ledger cannot be read ` +
        `(${second instanceof Error ? second.message : String(second)}) after: ${error.message}. ` +
        `Run again when the database answers: the ledger decides then.`,
      { cause: second },
    )
  }
}

async function explain(failed: Failed & { applied: Applied[] }): Promise<string> {
  const { database, file, error, applied } = failed
  const number = error.lost ? undefined : await locateFailure(database, file)
  const statement = number === undefined ? undefined : file.statements[number - 1]
  const where =
    statement === undefined
      ? file.name
      : `${file.name}, statement ${number} of ${file.statements.length} (line ${statement.line}: ${excerpt(statement.sql)})`
  const last = applied.at(-1)?.name
  const stands = last === undefined ? "the database has no migration yet" : `it stands at ${last}`
  const [found, advice] = error.lost
    ? [
        "The ledger does not have it, and the database undid a failed request just before",
        "Run again.",
      ]
    : [
        "Nothing of it is in the database",
        "Correct the file, which is recorded nowhere yet, and run again.",
      ]
  return `${where} was not applied: ${error.message}. ${found}; ${stands}. ${advice}`
}

function excerpt(sql: string): string {
  const line = sql.replaceAll(/\s+/g, " ")
  return line.length > 100 ? `${line.slice(0, 100)}…` : line
}

/** A 200 is a claim; the ledger is what the next run will believe. */
async function confirm({ database, files }: Application): Promise<void> {
  const applied = await database.applied()
  const { pending } = comparePast(files, applied)
  const [missing] = pending
  if (missing === undefined) return
  throw new MigrationFailure(
    `${missing.name} was reported as applied, but the ledger does not have it. Run again.`,
    applied,
  )
}
