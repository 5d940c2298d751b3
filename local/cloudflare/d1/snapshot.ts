import { DatabaseSync, backup } from "node:sqlite"

import * as z from "zod"

import type { Statement } from "../plane/plane.ts"

const SchemaObject = z.object({ type: z.string(), name: z.string(), sql: z.string() })
type SchemaObject = z.infer<typeof SchemaObject>

export const Droppable = z.object({ type: z.string(), name: z.string() })
export type Droppable = z.infer<typeof Droppable>

const Value = z.union([z.null(), z.number(), z.bigint(), z.string(), z.instanceof(Uint8Array)])
export type Value = z.infer<typeof Value>

export type Table = { name: string; sql: string; columns: string[] }

export type Snapshot = {
  tables: Table[]
  /** Indexes, views and triggers, in an order that can be created. */
  otherObjects: SchemaObject[]
  /** Values of AUTOINCREMENT. */
  sequences: { name: string; seq: number | bigint }[]
  rows(table: Table): Iterable<Value[]>
  [Symbol.dispose](): void
}

/** Copies a database even while other processes write to it. */
export async function takeSnapshot(source: string, target: string) {
  const database = new DatabaseSync(source, { readOnly: true, timeout: 5000 })
  try {
    await backup(database, target)
  } finally {
    database.close()
  }
}

export function openSnapshot(file: string): Snapshot {
  const database = new DatabaseSync(file, { readOnly: true })
  const entries = z.array(SchemaObject).parse(database.prepare(selectEntries).all())
  const virtual = entries.find(({ sql }) => /^\s*CREATE\s+VIRTUAL/i.test(sql))
  if (virtual !== undefined) {
    database.close()
    throw new Error(`${virtual.name} is a virtual table, which can't be copied`)
  }

  function columnsOf(name: string): string[] {
    // Generated columns have hidden > 1: they can't be inserted.
    const select = "SELECT name FROM pragma_table_xinfo(?) WHERE hidden <= 1 ORDER BY cid"
    return database
      .prepare(select)
      .all(name)
      .map((row) => String(row["name"]))
  }

  return {
    tables: entries
      .filter(({ type }) => type === "table")
      .map(({ name, sql }) => ({ name, sql, columns: columnsOf(name) })),
    otherObjects: ["index", "view", "trigger"].flatMap((wanted) =>
      entries.filter(({ type }) => type === wanted),
    ),
    sequences: readSequences(database),
    *rows({ name, columns }) {
      const list = columns.map(quoteName).join(", ")
      const select = database.prepare(`SELECT ${list} FROM ${quoteName(name)}`)
      select.setReturnArrays(true)
      select.setReadBigInts(true)
      for (const row of select.iterate()) yield z.array(Value).parse(row)
    },
    [Symbol.dispose]: () => database.close(),
  }
}

const isUserObject =
  "name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND name NOT LIKE '\\_cf\\_%' ESCAPE '\\'"
const selectEntries = `SELECT type, name, sql FROM sqlite_master WHERE sql IS NOT NULL AND ${isUserObject} ORDER BY rowid`
/** What a restore drops first, in an order that works. */
export const selectDroppable = `SELECT type, name FROM sqlite_master WHERE type <> 'index' AND ${isUserObject} ORDER BY type DESC`

function readSequences(database: DatabaseSync): Snapshot["sequences"] {
  const known = database.prepare("SELECT 1 FROM sqlite_master WHERE name = 'sqlite_sequence'").get()
  if (known === undefined) return []
  const Sequence = z.object({ name: z.string(), seq: z.union([z.number(), z.bigint()]) })
  return z.array(Sequence).parse(database.prepare("SELECT name, seq FROM sqlite_sequence").all())
}

export function restoreStatements(snapshot: Snapshot, droppable: Droppable[]): Statement[] {
  return [
    plain("PRAGMA defer_foreign_keys = ON"),
    ...droppable.map(({ type, name }) =>
      plain(`DROP ${type.toUpperCase()} IF EXISTS ${quoteName(name)}`),
    ),
    ...snapshot.tables.map((table) => plain(table.sql)),
    ...snapshot.tables.flatMap((table) => insertStatements(snapshot, table)),
    ...sequenceStatements(snapshot),
    ...snapshot.otherObjects.map((entry) => plain(entry.sql)),
  ]
}

/** D1 allows 100 parameters per statement: each INSERT takes as many rows as fit. */
function insertStatements(snapshot: Snapshot, table: Table): Statement[] {
  const rows = [...snapshot.rows(table)]
  const perStatement = Math.max(1, Math.floor(100 / table.columns.length))
  const statements: Statement[] = []
  for (let start = 0; start < rows.length; start += perStatement) {
    const some = rows.slice(start, start + perStatement)
    const values = some.map((row) => `(${row.map(placeholder).join(", ")})`).join(", ")
    statements.push({
      sql: `${insertInto(table)} VALUES ${values}`,
      params: some.flat().map(toParameter),
    })
  }
  return statements
}

/** Parameters are sent as JSON, which represents integers up to 2^53 only. */
function isLarge(value: Value): value is bigint {
  return typeof value === "bigint" && !Number.isSafeInteger(Number(value))
}

function placeholder(value: Value): string {
  return isLarge(value) ? "CAST(? AS INTEGER)" : "?"
}

function toParameter(value: Value): unknown {
  if (isLarge(value)) return String(value)
  return typeof value === "bigint" ? Number(value) : value
}

function sequenceStatements({ sequences }: Snapshot): Statement[] {
  if (sequences.length === 0) return []
  return [
    plain("DELETE FROM sqlite_sequence"),
    ...sequences.map(({ name, seq }) => ({
      sql: "INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)",
      params: [name, Number(seq)],
    })),
  ]
}

export function insertInto({ name, columns }: Table): string {
  return `INSERT INTO ${quoteName(name)} (${columns.map(quoteName).join(", ")})`
}

function plain(text: string): Statement {
  return { sql: text, params: [] }
}

function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}
