import { DatabaseSync, backup } from "node:sqlite"

import * as z from "zod"

const SchemaObject = z.object({ type: z.string(), name: z.string(), sql: z.string() })

/** Allows the infinities, which zod's number excludes. */
const Real = z.custom<number>((value) => typeof value === "number")
const Value = z.union([z.null(), Real, z.bigint(), z.string(), z.instanceof(Uint8Array)])
type Value = z.infer<typeof Value>

export type Table = { name: string; sql: string; columns: string[] }

export type Snapshot = ReturnType<typeof openSnapshot>

/**
 * Copies a database over another file, page by page, including virtual tables and without checking foreign keys. Other
 * processes may have either file open; they see the copy as a whole or not at all.
 */
export async function copyDatabase(source: string, target: string) {
  const database = new DatabaseSync(source, { readOnly: true, timeout: 5000 })
  try {
    await backup(database, target)
  } finally {
    database.close()
  }
}

export function openSnapshot(file: string) {
  const database = new DatabaseSync(file, { readOnly: true })
  const entries = z.array(SchemaObject).parse(database.prepare(selectEntries).all())

  function columnsOf(name: string): string[] {
    // Generated columns have hidden > 1: they can't be inserted.
    const select = "SELECT name FROM pragma_table_xinfo(?) WHERE hidden <= 1 ORDER BY cid"
    return database
      .prepare(select)
      .all(name)
      .map((row) => String(row["name"]))
  }

  return {
    /** Names of virtual tables. Cloudflare exports no database that has any. */
    virtualTables: entries.flatMap(({ name, sql }) =>
      /^\s*CREATE\s+VIRTUAL/i.test(sql) ? [name] : [],
    ),
    /** Tables in the order of their creation. */
    tables: entries
      .filter(({ type }) => type === "table")
      .map(({ name, sql }) => ({ name, sql, columns: columnsOf(name) })),
    /** Indexes, triggers and views, in this order. */
    otherObjects: ["index", "trigger", "view"].flatMap((objectType) =>
      entries.filter(({ type }) => type === objectType),
    ),
    /** Values of AUTOINCREMENT. */
    sequences: readSequences(database),
    *rows({ name, columns }: Table) {
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

function readSequences(database: DatabaseSync): { name: string; seq: number | bigint }[] {
  const sequenceTable = database
    .prepare("SELECT 1 FROM sqlite_master WHERE name = 'sqlite_sequence'")
    .get()
  if (sequenceTable === undefined) return []
  const Sequence = z.object({ name: z.string(), seq: z.union([z.number(), z.bigint()]) })
  return z.array(Sequence).parse(database.prepare("SELECT name, seq FROM sqlite_sequence").all())
}

function insertInto({ name, columns }: Pick<Table, "name" | "columns">): string {
  return `INSERT INTO ${quoteName(name)} (${columns.map(quoteName).join(",")})`
}

function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}

export type DumpOptions = {
  no_schema?: boolean | undefined
  no_data?: boolean | undefined
  /** Absent or empty means all tables. */
  tables?: string[] | undefined
}

/**
 * Dumps a database in Cloudflare's order: each table with its rows, in order of creation, then indexes, triggers and
 * views (Miniflare's `dumpSql`, which Cloudflare took from its service). Rows may therefore precede the table that
 * they refer to; such a file can be imported only with `PRAGMA foreign_keys=OFF` (cloudflare/workers-sdk#5683).
 */
export function dumpSql(
  snapshot: Snapshot,
  { no_schema = false, no_data = false, tables = [] }: DumpOptions,
): string {
  const isWanted = ({ name }: { name: string }) => tables.length === 0 || tables.includes(name)
  const lines = ["PRAGMA defer_foreign_keys=TRUE;"]
  for (const table of snapshot.tables.filter(isWanted)) {
    if (!no_schema) lines.push(`${creation(table)};`)
    if (no_data) continue
    for (const row of snapshot.rows(table)) lines.push(insertion(table, row))
  }
  const counters = { name: "sqlite_sequence", columns: ["name", "seq"] }
  if (snapshot.sequences.length > 0 && isWanted(counters)) {
    if (!no_schema) lines.push("DELETE FROM sqlite_sequence;")
    for (const { name, seq } of no_data ? [] : snapshot.sequences) {
      lines.push(insertion(counters, [name, seq]))
    }
  }
  if (!no_schema) {
    lines.push(...snapshot.otherObjects.filter(isWanted).map(({ sql }) => `${sql};`))
  }
  return `${lines.join("\n")}\n`
}

function creation({ sql }: Pick<Table, "sql">): string {
  return sql.replace(/^CREATE TABLE (?=['"])/, "CREATE TABLE IF NOT EXISTS ")
}

function insertion(table: Pick<Table, "name" | "columns">, row: Value[]): string {
  return `${insertInto(table)} VALUES(${row.map(literal).join(",")});`
}

function literal(value: Value): string {
  if (value === null) return "NULL"
  if (typeof value === "number") return number(value)
  if (typeof value === "bigint") return String(value)
  if (value instanceof Uint8Array) return `X'${Buffer.from(value).toString("hex")}'`
  const quoted = `'${value.replaceAll("'", "''").replaceAll("\n", "\\n").replaceAll("\r", "\\r")}'`
  const carriage = value.includes("\r") ? `replace(${quoted},'\\r',char(13))` : quoted
  return value.includes("\n") ? `replace(${carriage},'\\n',char(10))` : carriage
}

/** SQLite has no literal for infinity, but parses a number that is too large as infinity. */
function number(value: number): string {
  if (Number.isFinite(value)) return String(value)
  return value > 0 ? "9e999" : "-9e999"
}
