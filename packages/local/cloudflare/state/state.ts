import { chmodSync, closeSync, openSync } from "node:fs"
import { DatabaseSync, type SQLInputValue } from "node:sqlite"

import * as z from "zod"

import { ProcessStartError } from "../../daemon/process-start-error.ts"
import { controlSchema, type Schema } from "./schema.ts"

/** A column that holds JSON. */
export function jsonColumn<T extends z.ZodType>(content: T) {
  return z.string().transform((text) => content.parse(JSON.parse(text)))
}

export type State = ReturnType<typeof openState>

/**
 * The state of a process in one SQLite file, with one writer.
 * @throws ProcessStartError STATE_CORRUPT, STATE_OTHER_VERSION
 */
export function openState(file: string, schema = controlSchema) {
  // Created before SQLite opens it, so that secrets are never readable by others.
  closeSync(openSync(file, "a", 0o600))
  chmodSync(file, 0o600)
  const database = openDatabase(file, schema)
  const statements = new Map<string, ReturnType<DatabaseSync["prepare"]>>()

  function prepared(sql: string) {
    const known = statements.get(sql)
    if (known !== undefined) return known
    const statement = database.prepare(sql)
    statements.set(sql, statement)
    return statement
  }

  return {
    all: (sql: string, ...values: SQLInputValue[]) => prepared(sql).all(...values),
    get: (sql: string, ...values: SQLInputValue[]) => prepared(sql).get(...values),
    /** The rows as the schema reads them. */
    list: <T extends z.ZodType>(shape: T, sql: string, ...values: SQLInputValue[]) =>
      z.array(shape).parse(prepared(sql).all(...values)),
    find<T extends z.ZodType>(shape: T, sql: string, ...values: SQLInputValue[]) {
      const row = prepared(sql).get(...values)
      return row && shape.parse(row)
    },
    run: (sql: string, ...values: SQLInputValue[]) => void prepared(sql).run(...values),
    /** A row whose columns are the names in `row`; objects become JSON. `conflict` is SQLite's clause. */
    insert(table: string, row: Record<string, unknown>, conflict = "") {
      const names = Object.keys(row)
      const places = names.map(() => "?").join(", ")
      const sql = `INSERT INTO ${table} (${names.join(", ")}) VALUES (${places}) ${conflict}`
      prepared(sql).run(...Object.values(row).map(toSql))
    },
    /** Atomic, and on disk when it returns. `work` is synchronous, so transactions can't interleave. */
    transaction: <T>(work: () => T): T => transact(database, work),
    close: () => database.close(),
  }
}

function toSql(value: unknown): SQLInputValue {
  if (value === null || typeof value === "string" || typeof value === "number") return value
  return typeof value === "boolean" ? Number(value) : JSON.stringify(value)
}

function openDatabase(file: string, schema: Schema): DatabaseSync {
  try {
    const database = new DatabaseSync(file, { timeout: 1000, enableForeignKeyConstraints: true })
    database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;")
    checkIntegrity(database)
    create(database, { file, schema })
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

/** State of another version is not brought up to date: one word resets it. */
function create(database: DatabaseSync, { file, schema }: { file: string; schema: Schema }) {
  const version = Number(database.prepare("PRAGMA user_version").get()?.["user_version"])
  if (version === schema.version) return
  if (version !== 0) {
    const age = version < schema.version ? "an older" : "a newer"
    throw new ProcessStartError(
      "STATE_OTHER_VERSION",
      `${file} was written by ${age} version of this project (schema ${version}, this one has ${schema.version}). Start again with \`./accounts local reset\`, or take that version's checkout`,
    )
  }
  transact(database, () => database.exec(`${schema.sql}; PRAGMA user_version = ${schema.version}`))
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
