import { rmSync } from "node:fs"
import { DatabaseSync, constants } from "node:sqlite"

import * as z from "zod"

import { QueryError } from "../plane/plane.ts"
import { copyDatabase } from "./dump.ts"
import { wordsOf } from "./statements.ts"

/**
 * Whether a script turns foreign keys off. Cloudflare's import obeys that, since it is no transaction of
 * SQLite's but goes back in time when it fails (cloudflare/workers-sdk#9503, #13272). workerd runs
 * everything in a transaction, where SQLite ignores the pragma.
 */
export function turnsForeignKeysOff(statements: string[]): boolean {
  return statements.some((sql) => {
    if (!/foreign_keys/i.test(sql)) return false
    const [first, ...rest] = wordsOf(sql)
    return first === "PRAGMA" && rest.some(namesForeignKeys) && areOffAfter(sql)
  })
}

function namesForeignKeys(word: string): boolean {
  return /^["'`[]?FOREIGN_KEYS["'`\]]?$/.test(word)
}

/** Asks SQLite: it takes every value that it does not know for off. */
function areOffAfter(pragma: string): boolean {
  using database = new DatabaseSync(":memory:")
  try {
    database.exec(pragma)
  } catch {
    return false
  }
  return database.prepare("PRAGMA foreign_keys").get()?.["foreign_keys"] === 0
}

export type ImportTotals = {
  /** Milliseconds. */
  duration: number
  changes: number
  last_row_id: number
  rows_read?: number
  rows_written?: number
}

type Options = { file: string; workFile: string; statements: string[] }

/**
 * Runs a script on a copy of a database, statement by statement, and puts the copy in its place once
 * all of them have succeeded.
 * @throws QueryError when nothing was applied
 */
export async function importUnchecked(options: Options): Promise<ImportTotals> {
  const { file, workFile, statements } = options
  try {
    await copyDatabase(file, workFile)
    const totals = runAll(workFile, statements)
    await copyDatabase(workFile, file)
    return totals
  } finally {
    for (const suffix of ["", "-wal", "-shm"]) rmSync(`${workFile}${suffix}`, { force: true })
  }
}

function runAll(file: string, statements: string[]): ImportTotals {
  const database = new DatabaseSync(file)
  try {
    // Only now: opening the database reads its schema.
    database.setAuthorizer(authorize)
    const began = performance.now()
    for (const sql of statements) database.prepare(sql).run()
    const duration = performance.now() - began
    const counts = "SELECT total_changes() AS changes, last_insert_rowid() AS id"
    const row = database.prepare(counts).get()
    return { duration, changes: Number(row?.["changes"]), last_row_id: Number(row?.["id"]) }
  } catch (error) {
    throw new QueryError(describe(error), { cause: error })
  } finally {
    database.close()
  }
}

const SqliteError = z.looseObject({ message: z.string(), errcode: z.number().default(1) })

/** As D1 does, with the name of SQLite's primary code. */
function describe(error: unknown): string {
  const { success, data } = SqliteError.safeParse(error)
  if (!success) return `${String(error)}: SQLITE_ERROR`
  const { message, errcode } = data
  return `${message}: ${codeNames.get(errcode & 0xff) ?? "SQLITE_ERROR"}`
}

const codeNames = new Map([
  [13, "SQLITE_FULL"],
  [18, "SQLITE_TOOBIG"],
  [19, "SQLITE_CONSTRAINT"],
  [20, "SQLITE_MISMATCH"],
  [23, "SQLITE_AUTH"],
])

const refusedActions = new Set([
  constants.SQLITE_ATTACH,
  constants.SQLITE_DETACH,
  constants.SQLITE_TRANSACTION,
  constants.SQLITE_SAVEPOINT,
])

/** What D1 refuses everywhere: other files, transactions of the script's own, and workerd's tables. */
function authorize(action: number, first: string | null, second: string | null): number {
  const ownTable = [first, second].some((name) => name?.startsWith("_cf_"))
  return refusedActions.has(action) || ownTable ? constants.SQLITE_DENY : constants.SQLITE_OK
}
