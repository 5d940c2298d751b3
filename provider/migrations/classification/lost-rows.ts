import type { LiveTable, LiveTables } from "../rehearsal/live-tables.ts"
import { findTable, quoteName, readSchema, type Table } from "../rehearsal/schema.ts"
import type { Row, ScratchDatabase } from "../rehearsal/scratch-database.ts"
import { findRow, readRows, textOf } from "../rehearsal/table-rows.ts"

/** Rows that a file takes for good, as far as its words say. */
export type RowLoss = {
  /** The table's name before the file. */
  table: string
  /** `all` when the table goes or is emptied, `some` when only the rows can tell how many. */
  rows: "all" | "some"
  /** Number (from 1) of the statement that takes them. */
  statement: number
}

/** A table whose rows are in another one afterwards. */
export type Move = { from: string; to: string }

/** A table of before, with its row of then. */
export type Former = { name: string; table: LiveTable; definition: Table; row: Row | undefined }

export function readFormer(database: ScratchDatabase, tables: LiveTables): Former[] {
  return readSchema(database).flatMap((definition) => {
    const table = tables.named(definition.name)
    if (table === undefined) return []
    const [row] = readRows(database, definition).values()
    return { name: definition.name, table, definition, row }
  })
}

type End = { database: ScratchDatabase; tables: LiveTables; former: Former[] }

/** Where the row of a former table is when the whole file has run. */
export function fateOf({ database, tables, former }: End, one: Former): "kept" | "lost" | Move {
  const schema = readSchema(database)
  const successor = tables.successor(one.table)
  const now = successor === undefined ? undefined : findTable(schema, successor.name)
  const { row, definition, name } = one
  if (row === undefined) return now === undefined ? "lost" : "kept"
  if (now !== undefined) {
    return findRow(database, { table: now, row, definition }) === undefined ? "lost" : "kept"
  }
  const elsewhere = schema.find((table) => holds({ database, former, table, definition, row }))
  return elsewhere === undefined ? "lost" : { from: name, to: elsewhere.name }
}

type Sought = {
  database: ScratchDatabase
  former: Former[]
  table: Table
  definition: Table
  row: Row
}

/**
 * Whether a row that was not in `table` before has the values of `row`: those of its key, or all
 * others but references. Every column of the rehearsal has values of its own.
 */
function holds({ database, former, table, definition, row }: Sought): boolean {
  const before = former.find(({ table: one }) => !one.dropped && one.name === table.name)?.row
  const references = new Set(definition.foreignKeys.flatMap(({ columns }) => columns))
  const key = definition.columns.filter((column) => column.inPrimaryKey).map(({ name }) => name)
  const own = Object.keys(row).filter((name) => !key.includes(name) && !references.has(name))
  const rows = database.rows(`SELECT * FROM ${quoteName(table.name)}`)
  return rows.some((candidate) => {
    const values = new Set(Object.values(candidate).map(looseText))
    if (before !== undefined && isSameRow(before, candidate)) return false
    const has = (names: string[]) =>
      names.length > 0 && names.every((name) => values.has(looseText(row[name])))
    return has(key) || has(own)
  })
}

function isSameRow(one: Row, other: Row): boolean {
  return Object.keys(one).every((name) => textOf(one[name]) === textOf(other[name]))
}

/** A value may have changed its type on its way. */
function looseText(value: Row[string] | undefined): string {
  return value instanceof Uint8Array ? Buffer.from(value).toString("hex") : String(value)
}
