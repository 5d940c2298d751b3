import * as z from "zod"

import type { ScratchDatabase } from "./scratch-database.ts"

export type Table = {
  name: string
  strict: boolean
  withoutRowid: boolean
  columns: Column[]
  foreignKeys: ForeignKey[]
}

export type Column = {
  name: string
  type: string
  inPrimaryKey: boolean
  generated: boolean
  notNull: boolean
  hasDefault: boolean
  /** An SQL expression. */
  defaultValue: string
}

export type ForeignKey = {
  columns: string[]
  parent: string
  /** As long as `columns`. */
  parentColumns: string[]
  onDelete: string
  onUpdate: string
}

const TableRow = z.object({
  name: z.string(),
  strict: z.coerce.boolean(),
  wr: z.coerce.boolean(),
})
const ColumnRow = z.object({
  name: z.string(),
  type: z.string(),
  pk: z.coerce.number(),
  /** 2 and 3: a generated column. */
  hidden: z.coerce.number(),
  notnull: z.coerce.boolean(),
  dflt_value: z.string().nullable(),
})
const KeyRow = z.object({
  id: z.coerce.number(),
  table: z.string(),
  from: z.string(),
  /** Null when the key refers to the primary key without naming it. */
  to: z.string().nullable(),
  on_delete: z.string(),
  on_update: z.string(),
})

/** The tables that hold rows of their own. */
export function readSchema(database: ScratchDatabase): Table[] {
  return listTables(database).map(({ name, strict, wr }) => ({
    name,
    strict,
    withoutRowid: wr,
    columns: columnsOf(database, name),
    foreignKeys: foreignKeysOf(database, name),
  }))
}

/** Of the same tables: most of reading a schema is reading their columns and keys. */
export function tableNames(database: ScratchDatabase): string[] {
  return listTables(database).map(({ name }) => name)
}

function listTables(database: ScratchDatabase) {
  const rows = database.rows(
    `SELECT name, strict, wr FROM pragma_table_list
     WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
     ORDER BY name`,
  )
  return rows.map((row) => TableRow.parse(row))
}

function columnsOf(database: ScratchDatabase, table: string): Column[] {
  const rows = database.rows(
    `SELECT name, type, pk, hidden, "notnull", dflt_value FROM pragma_table_xinfo(?)`,
    table,
  )
  return rows
    .map((row) => ColumnRow.parse(row))
    .map(({ name, type, pk, hidden, notnull, dflt_value }) => ({
      name,
      type: type.toUpperCase(),
      inPrimaryKey: pk > 0,
      generated: hidden > 1,
      notNull: notnull,
      hasDefault: dflt_value !== null,
      defaultValue: dflt_value ?? "NULL",
    }))
}

function foreignKeysOf(database: ScratchDatabase, table: string): ForeignKey[] {
  const rows = database
    .rows("SELECT * FROM pragma_foreign_key_list(?) ORDER BY id, seq", table)
    .map((row) => KeyRow.parse(row))
  const ids = [...new Set(rows.map(({ id }) => id))]
  return ids.flatMap((id) => {
    const parts = rows.filter((row) => row.id === id)
    const [first] = parts
    if (first === undefined) return []
    const named = parts.every(({ to }) => to !== null)
    const primary = named
      ? []
      : columnsOf(database, first.table).filter((column) => column.inPrimaryKey)
    return {
      columns: parts.map(({ from }) => from),
      parent: first.table,
      parentColumns: parts.map(({ to }, index) => to ?? primary[index]?.name ?? ""),
      onDelete: first.on_delete,
      onUpdate: first.on_update,
    }
  })
}

export function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}

/** SQLite's names do not tell upper case from lower case. */
export function isSameName(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase()
}

export function findTable(schema: Table[], name: string): Table | undefined {
  return schema.find((table) => isSameName(table.name, name))
}
