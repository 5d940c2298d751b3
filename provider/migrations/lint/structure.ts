import * as z from "zod"

import { quoteName, readSchema, type Table } from "../rehearsal/schema.ts"
import type { ScratchDatabase } from "../rehearsal/scratch-database.ts"

/** What belongs to a table beside its columns. */
export type Structure = {
  tables: (Table & { uniqueKeys: UniqueKey[]; notNull: string[]; sql: string })[]
  /** Indexes and triggers that a statement made. */
  objects: { type: string; name: string; table: string }[]
}

/** Columns in their order; an expression is "?". */
type UniqueKey = { columns: string[]; index: string; partial: boolean }

const ObjectRow = z.object({ type: z.string(), name: z.string(), table: z.string() })
const TableSql = z.object({ sql: z.string().nullable() })
const IndexRow = z.object({ name: z.string(), origin: z.string(), partial: z.coerce.boolean() })
const IndexColumn = z.object({ name: z.string().nullable() })
const ColumnRow = z.object({ name: z.string() })

export function readStructure(database: ScratchDatabase): Structure {
  const objects = database
    .rows(
      `SELECT type, name, tbl_name AS "table" FROM sqlite_master
       WHERE type IN ('index', 'trigger') AND sql IS NOT NULL`,
    )
    .map((row) => ObjectRow.parse(row))
  const tables = readSchema(database).map((table) =>
    Object.assign(table, {
      uniqueKeys: uniqueKeysOf(database, table),
      notNull: database
        .rows(`SELECT name FROM pragma_table_info(?) WHERE "notnull" OR pk > 0`, table.name)
        .map((row) => ColumnRow.parse(row).name.toLowerCase()),
      sql: sqlOf(database, table.name),
    }),
  )
  return { tables, objects }
}

function sqlOf(database: ScratchDatabase, table: string): string {
  const [row] = database.rows("SELECT sql FROM sqlite_master WHERE name = ?", table)
  return row === undefined ? "" : (TableSql.parse(row).sql ?? "")
}

/** The primary key is one of them. */
function uniqueKeysOf(database: ScratchDatabase, table: Table): UniqueKey[] {
  const indexes = database
    .rows(`SELECT name, origin, partial FROM pragma_index_list(?) WHERE "unique"`, table.name)
    .map((row) => IndexRow.parse(row))
  const keys = indexes.map(({ name, partial }) => ({
    index: name,
    partial,
    columns: database
      .rows(`PRAGMA index_info(${quoteName(name)})`)
      .map((row) => (IndexColumn.parse(row).name ?? "?").toLowerCase()),
  }))
  // INTEGER PRIMARY KEY has no index.
  const primary = table.columns.filter((column) => column.inPrimaryKey)
  const columns = primary.map(({ name }) => name.toLowerCase())
  return primary.length === 0 ? keys : [...keys, { index: "", partial: false, columns }]
}
