import { DatabaseSync, backup } from "node:sqlite"

import * as z from "zod"

const SchemaObject = z.object({ type: z.string(), name: z.string(), sql: z.string() })

/** zod's own number excludes the infinities. */
const Real = z.custom<number>((value) => typeof value === "number")
const Value = z.union([z.null(), Real, z.bigint(), z.string(), z.instanceof(Uint8Array)])
export type Value = z.infer<typeof Value>

export type Table = { name: string; sql: string; columns: string[] }

export type Snapshot = ReturnType<typeof openSnapshot>

/**
 * Copies a database over another file, page by page: with its virtual tables, and whatever its foreign
 * keys say. Other processes may have either file open; they see the copy all at once or not at all.
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
    /** Names of those for full-text search. Cloudflare exports none. */
    virtualTables: entries.flatMap(({ name, sql }) =>
      /^\s*CREATE\s+VIRTUAL/i.test(sql) ? [name] : [],
    ),
    /** In the order in which they were created. */
    tables: entries
      .filter(({ type }) => type === "table")
      .map(({ name, sql }) => ({ name, sql, columns: columnsOf(name) })),
    /** Indexes, triggers and views, in this order. */
    otherObjects: ["index", "trigger", "view"].flatMap((wanted) =>
      entries.filter(({ type }) => type === wanted),
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
  const known = database.prepare("SELECT 1 FROM sqlite_master WHERE name = 'sqlite_sequence'").get()
  if (known === undefined) return []
  const Sequence = z.object({ name: z.string(), seq: z.union([z.number(), z.bigint()]) })
  return z.array(Sequence).parse(database.prepare("SELECT name, seq FROM sqlite_sequence").all())
}

export function insertInto({ name, columns }: Pick<Table, "name" | "columns">): string {
  return `INSERT INTO ${quoteName(name)} (${columns.map(quoteName).join(",")})`
}

function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}
