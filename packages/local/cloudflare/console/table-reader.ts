import { existsSync } from "node:fs"
import { DatabaseSync } from "node:sqlite"

import * as z from "zod"

const Table = z.object({
  name: z.string(),
  /** Only the rows of a `table` are read. */
  type: z.enum(["table", "view", "virtual"]),
  /** 1 for WITHOUT ROWID. */
  wr: z.number(),
})
const Column = z.object({
  name: z.string(),
  type: z.string(),
  notnull: z.number().transform(Boolean),
  /** Position in the primary key, from 1; 0 for other columns. */
  pk: z.number(),
})
const Row = z.array(
  z.union([z.null(), z.number(), z.bigint(), z.string(), z.instanceof(Uint8Array)]),
)

/** A value in JSON. Large integers, BLOBs and long texts become objects. */
type Cell = null | number | string | { integer: string } | { bytes: number } | Cut
type Cut = { text: string; characters: number }

/** Characters shown of one value. */
const cellLimit = 2000

/**
 * Reads a database file. It is opened read-only, so that SQLite itself rejects writes; queries use
 * names found in the schema, never text of a request. Views and virtual tables are listed without
 * rows: computing those may never end, and blocks this process.
 */
export function openTableReader(file: string) {
  if (!existsSync(file)) return { [Symbol.dispose]() {}, list: () => [], rows: () => undefined }
  const database = new DatabaseSync(file, { readOnly: true, timeout: 5000 })
  database.exec("PRAGMA query_only = ON")

  function tables() {
    return z.array(Table).parse(database.prepare(selectTables).all())
  }

  function columns(name: string) {
    const rows = database.prepare("SELECT * FROM pragma_table_xinfo(?) WHERE hidden <> 1").all(name)
    return z.array(Column).parse(rows)
  }

  function count(name: string): number {
    const row = database.prepare(`SELECT count(*) AS count FROM ${quote(name)}`).get()
    return Number(row?.["count"] ?? 0)
  }

  return {
    [Symbol.dispose]: () => database.close(),

    list: () =>
      tables().map(({ name, type }) => ({
        name,
        type,
        columns: columns(name),
        rows: type === "table" ? count(name) : null,
      })),

    /** A page of rows, newest first or else by primary key; undefined for an unknown table. */
    rows(name: string, { page, per_page }: { page: number; per_page: number }) {
      const table = tables().find((one) => one.name === name && one.type === "table")
      if (table === undefined) return undefined
      const all = columns(name)
      const key = all.filter(({ pk }) => pk > 0).toSorted((a, b) => a.pk - b.pk)
      const order =
        table.wr === 1 ? key.map((column) => quote(column.name)).join(", ") : "rowid DESC"
      const select = database.prepare(
        `SELECT ${all.map((column) => quote(column.name)).join(", ")} FROM ${quote(name)} ORDER BY ${order} LIMIT ? OFFSET ?`,
      )
      select.setReturnArrays(true)
      select.setReadBigInts(true)
      const rows = select.all(per_page, (page - 1) * per_page)
      return {
        columns: all,
        rows: z
          .array(Row)
          .parse(rows)
          .map((row) => row.map(cell)),
        total: count(name),
      }
    },
  }
}

/** Without the tables of SQLite and workerd. */
const selectTables = `SELECT name, type, wr FROM pragma_table_list WHERE schema = 'main'
  AND type IN ('table', 'view', 'virtual')
  AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND name NOT LIKE '\\_cf\\_%' ESCAPE '\\' ORDER BY name`

function cell(value: z.infer<typeof Row>[number]): Cell {
  if (typeof value === "bigint") {
    return Number.isSafeInteger(Number(value)) ? Number(value) : { integer: String(value) }
  }
  if (value instanceof Uint8Array) return { bytes: value.byteLength }
  if (typeof value === "number" && !Number.isFinite(value)) return String(value)
  if (typeof value !== "string" || value.length <= cellLimit) return value
  return { text: value.slice(0, cellLimit), characters: value.length }
}

function quote(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}
