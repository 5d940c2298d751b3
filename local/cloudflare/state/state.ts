import { chmodSync, closeSync, openSync } from "node:fs"
import type { SQLInputValue, SQLOutputValue } from "node:sqlite"
import { DatabaseSync } from "node:sqlite"

import { ProcessStartError } from "../../daemon/process-start-error.ts"
import type { Disk } from "../faults/full-disk.ts"
import { overfill } from "../faults/full-disk.ts"
import { schema } from "./schema.ts"

type Row = Record<string, SQLOutputValue>

/** The state of a process in one SQLite file, with one writer. */
export type State = {
  all(sql: string, ...values: SQLInputValue[]): Row[]
  get(sql: string, ...values: SQLInputValue[]): Row | undefined
  run(sql: string, ...values: SQLInputValue[]): void
  /** Atomic, and on disk when it returns. `work` is synchronous, so transactions can't interleave. */
  transaction<T>(work: () => T): T
  close(): void
}

/**
 * @param steps what brings the file from one schema to the next
 * @throws ProcessStartError STATE_CORRUPT, STATE_TOO_NEW
 */
export function openState(
  file: string,
  { disk, steps = schema }: { disk?: Disk; steps?: string[] } = {},
): State {
  // Created before SQLite opens it, so that secrets are never readable by others.
  closeSync(openSync(file, "a", 0o600))
  chmodSync(file, 0o600)
  const database = openDatabase(file, steps)
  const statements = new Map<string, ReturnType<DatabaseSync["prepare"]>>()

  function prepared(sql: string) {
    const known = statements.get(sql)
    if (known !== undefined) return known
    const statement = database.prepare(sql)
    statements.set(sql, statement)
    return statement
  }

  return {
    all: (sql, ...values) => prepared(sql).all(...values),
    get: (sql, ...values) => prepared(sql).get(...values),
    run: (sql, ...values) => void prepared(sql).run(...values),
    transaction: (work) =>
      transact(database, () => {
        const result = work()
        if (disk?.isFull()) overfill(database)
        return result
      }),
    close: () => database.close(),
  }
}

function openDatabase(file: string, steps: string[]): DatabaseSync {
  try {
    const database = new DatabaseSync(file, { timeout: 1000, enableForeignKeyConstraints: true })
    database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;")
    checkIntegrity(database)
    migrate(database, { file, steps })
    return database
  } catch (cause) {
    if (cause instanceof ProcessStartError) throw cause
    throw corrupt(file, cause)
  }
}

function checkIntegrity(database: DatabaseSync) {
  const row = database.prepare("PRAGMA quick_check(1)").get()
  if (row?.["quick_check"] !== "ok") throw new Error(String(row?.["quick_check"]))
}

function corrupt(file: string, cause: unknown): ProcessStartError {
  const reason = cause instanceof Error ? cause.message : String(cause)
  return new ProcessStartError(
    "STATE_CORRUPT",
    `${file} can't be read (${reason}). Start again with \`./accounts local reset\`, which removes this state directory and everything deployed to it`,
    { cause },
  )
}

function migrate(database: DatabaseSync, { file, steps }: { file: string; steps: string[] }) {
  const version = Number(database.prepare("PRAGMA user_version").get()?.["user_version"])
  if (version > steps.length) {
    throw new ProcessStartError(
      "STATE_TOO_NEW",
      `${file} was written by a newer version of this project (schema ${version}, this one knows ${steps.length}). Update the checkout, or start again with \`./accounts local reset\``,
    )
  }
  if (version === steps.length) return
  transact(database, () => {
    for (const sql of steps.slice(version)) database.exec(sql)
    database.exec(`PRAGMA user_version = ${steps.length}`)
  })
}

function transact<T>(database: DatabaseSync, work: () => T): T {
  database.exec("BEGIN IMMEDIATE")
  try {
    const result = work()
    database.exec("COMMIT")
    return result
  } catch (error) {
    if (database.isTransaction) database.exec("ROLLBACK")
    throw error
  }
}
