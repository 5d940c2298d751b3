import * as z from "zod"

import { folded } from "../sql/folded.ts"
import { bySchema } from "./by-schema.ts"
import { type ScratchDatabase, scratchDatabaseOf, type SchemaObject } from "./scratch-database.ts"

export type Table = {
  name: string
  /** One of a module, such as FTS5, that holds rows of its own. */
  virtual: boolean
  strict: boolean
  withoutRowid: boolean
  /** Whether its primary key has an index, and so is not the number of the row: INTEGER PRIMARY KEY DESC, too. */
  hasKeyIndex: boolean
  columns: Column[]
  foreignKeys: ForeignKey[]
  /** Columns of the primary key, if it has one, and of each unique index of all rows without expressions. */
  uniques: string[][]
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

/** A row of `sqlite_master` that a statement made. */
const Definition = z.object({
  type: z.string(),
  name: z.string(),
  table: z.string(),
  sql: z.string(),
})
export type Definition = z.infer<typeof Definition>

const TableRow = z.object({
  name: z.string(),
  type: z.string(),
  strict: z.coerce.boolean(),
  wr: z.coerce.boolean(),
})
const ColumnRow = z.object({
  owner: z.string(),
  name: z.string(),
  type: z.string(),
  pk: z.coerce.number(),
  /** 1: no column of rows; 2 and 3: a generated one. */
  hidden: z.coerce.number(),
  notnull: z.coerce.boolean(),
  dflt_value: z.string().nullable(),
})
const KeyRow = z.object({
  owner: z.string(),
  id: z.coerce.number(),
  table: z.string(),
  from: z.string(),
  /** Null when the key refers to the primary key without naming it. */
  to: z.string().nullable(),
  on_delete: z.string(),
  on_update: z.string(),
})
const UniqueRow = z.object({
  owner: z.string(),
  index: z.string(),
  origin: z.string(),
  /** Null for an expression. */
  name: z.string().nullable(),
})

const tables = `temp.pragma_table_list AS list
  WHERE schema = 'main' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND (type = 'table' OR type = 'virtual' AND
    (SELECT holds_rows(sql) FROM sqlite_master AS master WHERE master.name = list.name))`
/** Of all tables at once: asked table by table this is most of what a judgement costs. */
const owners = `WITH owners AS MATERIALIZED (SELECT name AS owner FROM ${tables})`

/** The tables that hold rows of their own. */
export const readSchema = bySchema(tablesIn)

function tablesIn(database: ScratchDatabase): Table[] {
  const read = <Row extends { owner: string }>(shape: z.ZodType<Row>, sql: string) => {
    const rows = database.rows(`${owners} ${sql}`).map((row) => shape.parse(row))
    return Map.groupBy(rows, ({ owner }) => folded(owner))
  }
  const columns = read(
    ColumnRow,
    `SELECT owner, name, type, pk, hidden, "notnull", dflt_value
     FROM owners, temp.pragma_table_xinfo(owner) WHERE hidden <> 1 ORDER BY owner, cid`,
  )
  const keys = read(
    KeyRow,
    "SELECT * FROM owners, temp.pragma_foreign_key_list(owner) ORDER BY owner, id, seq",
  )
  const uniques = read(
    UniqueRow,
    `SELECT owner, list.name AS "index", list.origin, info.name FROM owners,
     temp.pragma_index_list(owner) AS list, temp.pragma_index_info(list.name) AS info
     WHERE list."unique" AND NOT list.partial ORDER BY owner, list.seq, info.seqno`,
  )
  const primary = (table: string) =>
    (columns.get(folded(table)) ?? [])
      .filter(({ pk }) => pk > 0)
      .toSorted((one, other) => one.pk - other.pk)
      .map(({ name }) => name)
  return database
    .rows(`SELECT name, type, strict, wr FROM ${tables} ORDER BY name`)
    .map((row) => TableRow.parse(row))
    .map(({ name, type, strict, wr }) => {
      const indexed = uniques.get(folded(name)) ?? []
      const others = indexed.filter(({ origin }) => origin !== "pk")
      const indexes = Map.groupBy(others, ({ index }) => index)
      const parts = Map.groupBy(keys.get(folded(name)) ?? [], ({ id }) => id)
      return {
        name,
        virtual: type === "virtual",
        strict,
        withoutRowid: wr,
        hasKeyIndex: others.length < indexed.length,
        columns: (columns.get(folded(name)) ?? []).map((column) => ({
          name: column.name,
          // Modules say no types, and what people put into those for full text is text.
          type: type === "virtual" ? "TEXT" : column.type.toUpperCase(),
          inPrimaryKey: column.pk > 0,
          generated: column.hidden > 1,
          notNull: column.notnull,
          hasDefault: column.dflt_value !== null,
          defaultValue: column.dflt_value ?? "NULL",
        })),
        foreignKeys: [...parts.values()].flatMap((some) => foreignKeyOf(some, primary)),
        uniques: [primary(name), ...[...indexes.values()].map(namesOf)].filter(
          (names) => names.length > 0,
        ),
      }
    })
}

/** The ordinary ones of objects that were read. @throws Error naming a table that SQLite does not take */
export function tablesOf(objects: SchemaObject[]): Table[] {
  using scratch = scratchDatabaseOf(objects)
  return readSchema(scratch).filter(({ virtual }) => !virtual)
}

/** None when an expression is among them. */
function namesOf(index: z.infer<typeof UniqueRow>[]): string[] {
  const names = index.flatMap(({ name }) => name ?? [])
  return names.length === index.length ? names : []
}

function foreignKeyOf(
  parts: z.infer<typeof KeyRow>[],
  primary: (table: string) => string[],
): ForeignKey[] {
  const [first] = parts
  if (first === undefined) return []
  const keys = primary(first.table)
  return [
    {
      columns: parts.map(({ from }) => from),
      parent: first.table,
      parentColumns: parts.map(({ to }, index) => to ?? keys[index] ?? ""),
      onDelete: first.on_delete,
      onUpdate: first.on_update,
    },
  ]
}

export const readDefinitions = bySchema((database) =>
  database
    .rows(`SELECT type, name, tbl_name AS "table", sql FROM sqlite_master WHERE sql IS NOT NULL`)
    .map((row) => Definition.parse(row)),
)

/** Of the same tables. */
export function tableNames(database: ScratchDatabase): string[] {
  const rows = database.rows(`SELECT name FROM ${tables} ORDER BY name`)
  return rows.map(({ name }) => String(name))
}

export function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}

/** SQLite's names do not tell upper case from lower case. */
export function isSameName(one: string, other: string): boolean {
  return one === other || (one.length === other.length && folded(one) === folded(other))
}

export function findTable(schema: Table[], name: string): Table | undefined {
  return schema.find((table) => isSameName(table.name, name))
}

/** Whether a column is another name of the row id (sqlite.org/lang_createtable.html#rowid). */
export function isRowid({ columns, hasKeyIndex }: Table, name: string): boolean {
  const keys = columns.filter(({ inPrimaryKey }) => inPrimaryKey)
  const [key] = keys
  return keys.length === 1 && key?.name === name && key.type === "INTEGER" && !hasKeyIndex
}

export function isNumbered({ withoutRowid, columns }: Table): boolean {
  return !withoutRowid && !columns.some(({ name }) => isSameName(name, "rowid"))
}

/** Other names of the row id, where no column has them. */
export const numberNames = ["rowid", "oid", "_rowid_"]

/** The column that a name means, in lower case: of the row id the one that is its alias. */
export function columnNamed(table: Table, name: string): string {
  const isOwn = table.columns.some((one) => isSameName(one.name, name))
  const alias = table.columns.find((one) => isRowid(table, one.name))
  const isNumber = !isOwn && alias !== undefined && numberNames.includes(folded(name))
  return folded(isNumber ? alias.name : name)
}
