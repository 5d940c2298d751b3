import { createHash } from "node:crypto"
import { chmodSync, closeSync, openSync, existsSync, mkdirSync, readdirSync, rmSync } from "node:fs"
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { DatabaseSync, type SQLInputValue } from "node:sqlite"

import * as z from "zod"

import { ProcessStartError } from "../daemon/listen.ts"
import { writeAtomically } from "../daemon/state-folder.ts"

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
    const existing = statements.get(sql)
    if (existing !== undefined) return existing
    const statement = database.prepare(sql)
    statements.set(sql, statement)
    return statement
  }

  return {
    all: (sql: string, ...values: SQLInputValue[]) => prepared(sql).all(...values),
    get: (sql: string, ...values: SQLInputValue[]) => prepared(sql).get(...values),
    /** Returns all rows, each parsed with `shape`. */
    list: <T extends z.ZodType>(shape: T, sql: string, ...values: SQLInputValue[]) =>
      z.array(shape).parse(prepared(sql).all(...values)),
    find<T extends z.ZodType>(shape: T, sql: string, ...values: SQLInputValue[]) {
      const row = prepared(sql).get(...values)
      return row && shape.parse(row)
    },
    run: (sql: string, ...values: SQLInputValue[]) => void prepared(sql).run(...values),
    /** Inserts a row; objects become JSON. `conflict` is SQLite's ON CONFLICT clause. */
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

/** Creates the schema. State of another version is not migrated: the user resets it. */
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

/** Increment `version` with every change of the tables, so that older state is rejected. */
type Schema = { version: number; sql: string }

/**
 * The schema of `control.db`. JSON columns hold values as clients sent them; secrets are in
 * `version.bindings` only.
 */
const controlSchema: Schema = {
  version: 9,
  sql: `
  CREATE TABLE database (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    created_at TEXT NOT NULL,
    jurisdiction TEXT,
    read_replication TEXT NOT NULL,
    primary_location_hint TEXT
  ) STRICT;

  CREATE TABLE worker (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    created_on TEXT NOT NULL,
    updated_on TEXT NOT NULL,
    settings TEXT NOT NULL
  ) STRICT;

  CREATE TABLE version (
    id TEXT PRIMARY KEY,
    worker_id TEXT NOT NULL REFERENCES worker (id) ON DELETE CASCADE,
    number INTEGER NOT NULL,
    created_on TEXT NOT NULL,
    source TEXT NOT NULL,
    main_module TEXT NOT NULL,
    modules TEXT NOT NULL,
    compatibility_date TEXT NOT NULL,
    compatibility_flags TEXT NOT NULL,
    bindings TEXT NOT NULL,
    annotations TEXT NOT NULL,
    startup_time_ms INTEGER NOT NULL,
    runtime TEXT NOT NULL,
    UNIQUE (worker_id, number)
  ) STRICT;

  CREATE TABLE deployment (
    sequence INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    worker_id TEXT NOT NULL REFERENCES worker (id) ON DELETE CASCADE,
    created_on TEXT NOT NULL,
    source TEXT NOT NULL,
    annotations TEXT NOT NULL,
    versions TEXT NOT NULL
  ) STRICT;

  CREATE INDEX deployment_worker ON deployment (worker_id, sequence);

  CREATE TABLE domain (
    id TEXT PRIMARY KEY,
    hostname TEXT NOT NULL UNIQUE,
    zone_id TEXT NOT NULL,
    cert_id TEXT NOT NULL,
    worker_id TEXT NOT NULL REFERENCES worker (id) ON DELETE CASCADE,
    attached_on TEXT NOT NULL
  ) STRICT;

  CREATE TABLE route (
    id TEXT PRIMARY KEY,
    zone_id TEXT NOT NULL,
    pattern TEXT NOT NULL,
    worker_id TEXT REFERENCES worker (id) ON DELETE CASCADE,
    UNIQUE (zone_id, pattern)
  ) STRICT;

  CREATE TABLE schedule (
    worker_id TEXT NOT NULL REFERENCES worker (id) ON DELETE CASCADE,
    cron TEXT NOT NULL,
    created_on TEXT NOT NULL,
    modified_on TEXT NOT NULL,
    PRIMARY KEY (worker_id, cron)
  ) STRICT;

  CREATE TABLE bookmark (
    id TEXT PRIMARY KEY,
    database_id TEXT NOT NULL REFERENCES database (id) ON DELETE CASCADE,
    created_at TEXT NOT NULL
  ) STRICT;

  CREATE TABLE dns_record (
    id TEXT PRIMARY KEY,
    zone_id TEXT NOT NULL,
    name TEXT NOT NULL,
    type TEXT NOT NULL,
    content TEXT NOT NULL,
    ttl INTEGER NOT NULL,
    proxied INTEGER NOT NULL,
    priority INTEGER,
    comment TEXT,
    tags TEXT NOT NULL,
    created_on TEXT NOT NULL,
    modified_on TEXT NOT NULL
  ) STRICT;

  -- Zones come with a website, as most do; routes need proxied records, custom domains their absence.
  INSERT INTO dns_record
    (id, zone_id, name, type, content, ttl, proxied, tags, created_on, modified_on)
  SELECT id, zone_id, name, 'AAAA', '100::', 1, 1, '[]', '2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z'
  FROM (
    SELECT '646e73616e796c6f63616c686f737401' AS id, '7a6f6e656c6f63616c686f7374000001' AS zone_id, '*.localhost' AS name
    UNION ALL SELECT '646e736163636f756e74730000000001', '7a6f6e656163636f756e747300000001', 'accounts.test'
    UNION ALL SELECT '646e73616e796163636f756e74730001', '7a6f6e656163636f756e747300000001', '*.accounts.test'
  )`,
}

export type Blobs = ReturnType<typeof openBlobs>

/** Opens a store of module files, named by the SHA-256 of their content. */
export function openBlobs(directory: string) {
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  return {
    directory,
    /** Idempotent. @returns the SHA-256 in hexadecimal */
    put(content: Uint8Array) {
      const sha256 = createHash("sha256").update(content).digest("hex")
      const file = join(directory, sha256)
      if (existsSync(file)) return sha256
      writeAtomically(file, content)
      return sha256
    },
    get: (sha256: string) => readFile(join(directory, sha256)),
    /** Removes every file not named in `keep`, including unfinished writes of a killed process. */
    sweep(keep: ReadonlySet<string>) {
      for (const name of readdirSync(directory)) {
        if (!keep.has(name)) rmSync(join(directory, name))
      }
    },
  }
}

/** Runs `work` after all earlier work with the same key has finished or failed. */
export type KeyedLock = <T>(key: string, work: () => Promise<T>) => Promise<T>

export function createKeyedLock(): KeyedLock {
  const tails = new Map<string, Promise<unknown>>()
  return async (key, work) => {
    const before = tails.get(key) ?? Promise.resolve()
    const mine = before.then(work, work)
    tails.set(key, mine)
    try {
      return await mine
    } finally {
      if (tails.get(key) === mine) tails.delete(key)
    }
  }
}
