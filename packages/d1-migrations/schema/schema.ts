import * as z from "zod"

import { folded } from "../sql/folded.ts"
import {
  bySchema,
  type SchemaObject,
  type ScratchDatabase,
  scratchDatabaseOf,
} from "./scratch-database.ts"

const Column = z.object({
  name: z.string(),
  type: z.string(),
  inPrimaryKey: z.coerce.boolean(),
  generated: z.coerce.boolean(),
  notNull: z.coerce.boolean(),
  hasDefault: z.coerce.boolean(),
  /** An SQL expression. */
  defaultValue: z.string(),
})
export type Column = z.infer<typeof Column>

const ForeignKey = z.object({
  columns: z.array(z.string()),
  parent: z.string(),
  /** The referenced columns, in the order of `columns`. */
  parentColumns: z.array(z.string()),
  onDelete: z.string(),
  onUpdate: z.string(),
})
export type ForeignKey = z.infer<typeof ForeignKey>

const Index = z.object({
  name: z.string(),
  /** SQLite's code: `c` for CREATE INDEX, `u` for UNIQUE, `pk` for a primary key. */
  origin: z.string(),
  unique: z.coerce.boolean(),
  partial: z.coerce.boolean(),
  /** The indexed columns. `name` is null for an expression. */
  columns: z.array(z.object({ name: z.string().nullable(), collation: z.string() })),
})

const Table = z.object({
  name: z.string(),
  /** Whether a module such as FTS5 stores the rows. */
  virtual: z.coerce.boolean(),
  strict: z.coerce.boolean(),
  withoutRowid: z.coerce.boolean(),
  columns: z.array(Column),
  primaryKey: z.array(z.string()),
  foreignKeys: z.array(ForeignKey),
  indexes: z.array(Index),
})
export type Table = z.infer<typeof Table> & {
  /** The columns of the primary key and of each unique index that has no condition and no expressions. */
  uniques: string[][]
}

/** A row of `sqlite_master` with its SQL statement. */
const Definition = z.object({
  type: z.string(),
  name: z.string(),
  table: z.string(),
  sql: z.string(),
})

/** Selects each table as JSON. Columns of virtual tables get the type TEXT, because modules report none. */
const tables = `SELECT json_object('name', name, 'virtual', type = 'virtual', 'strict', strict, 'withoutRowid', wr,
  'columns', (SELECT json_group_array(json_object('name', name, 'type', iif(list.type = 'virtual', 'TEXT', upper(type)),
      'inPrimaryKey', pk > 0, 'generated', hidden > 1, 'notNull', "notnull",
      'hasDefault', dflt_value IS NOT NULL, 'defaultValue', coalesce(dflt_value, 'NULL')) ORDER BY cid)
    FROM temp.pragma_table_xinfo(list.name) WHERE hidden <> 1),
  'primaryKey', (SELECT json_group_array(name ORDER BY pk) FROM temp.pragma_table_xinfo(list.name) WHERE pk > 0),
  'foreignKeys', (SELECT json_group_array(json(key) ORDER BY id) FROM (SELECT id, json_object('parent', "table",
      'onDelete', on_delete, 'onUpdate', on_update, 'columns', json_group_array("from" ORDER BY seq),
      'parentColumns', json_group_array(coalesce("to",
        (SELECT name FROM temp.pragma_table_info(own."table") WHERE pk = seq + 1), '') ORDER BY seq)) AS key
    FROM temp.pragma_foreign_key_list(list.name) AS own GROUP BY id)),
  'indexes', (SELECT json_group_array(json_object('name', name, 'origin', origin, 'unique', "unique", 'partial', partial,
      'columns', (SELECT json_group_array(json_object('name', name, 'collation', coll) ORDER BY seqno)
        FROM temp.pragma_index_xinfo(own.name) WHERE key)) ORDER BY seq)
    FROM temp.pragma_index_list(list.name) AS own))
FROM temp.pragma_table_list AS list
WHERE schema = 'main' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND (type = 'table' OR type = 'virtual' AND
  (SELECT holds_rows(sql) FROM sqlite_master AS master WHERE master.name = list.name)) ORDER BY name`

/** The tables that hold rows of their own. */
export const readSchema = bySchema((database) =>
  database.texts(tables).map((text): Table => {
    const table = Table.parse(JSON.parse(text))
    const { primaryKey, indexes } = table
    const uniqueIndexes = indexes.filter(
      (index) => index.unique && !index.partial && index.origin !== "pk",
    )
    const uniques = uniqueIndexes.map(({ columns }) => columns.map(({ name }) => name))
    const plain = uniques.filter((names) => names.every((name) => name !== null))
    const keys = [primaryKey, ...plain].filter(({ length }) => length > 0)
    return Object.assign(table, { uniques: keys })
  }),
)

/** The tables of a schema without virtual tables. @throws Error naming a table that SQLite does not take */
export function tablesOf(objects: SchemaObject[]): Table[] {
  using scratch = scratchDatabaseOf(objects)
  return readSchema(scratch).filter(({ virtual }) => !virtual)
}

export const readDefinitions = bySchema((database) =>
  database
    .rows(`SELECT type, name, tbl_name AS "table", sql FROM sqlite_master WHERE sql IS NOT NULL`)
    .map((row) => Definition.parse(row)),
)

export function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}

/** Compares names like SQLite, which ignores case. */
export function isSameName(a: string, b: string): boolean {
  return a === b || (a.length === b.length && folded(a) === folded(b))
}

export function findTable(schema: Table[], name: string): Table | undefined {
  return schema.find((table) => isSameName(table.name, name))
}

/** Returns whether a column is an alias of the rowid (sqlite.org/lang_createtable.html#rowid). */
export function isRowid({ columns, primaryKey, indexes }: Table, name: string): boolean {
  const [key] = primaryKey
  // A primary key with an index is not the rowid; INTEGER PRIMARY KEY DESC has an index.
  const isIndexed = indexes.some(({ origin }) => origin === "pk")
  const isWhole = columns.some((column) => column.name === name && column.type === "INTEGER")
  return primaryKey.length === 1 && key === name && isWhole && !isIndexed
}

export function isNumbered({ withoutRowid, columns }: Table): boolean {
  return !withoutRowid && !columns.some(({ name }) => isSameName(name, "rowid"))
}

/** Names of the rowid, unless a column has the name. */
const numberNames = new Set(["rowid", "oid", "_rowid_"])

/** Returns the column that a name means, in lower case. A name of the rowid means the column that is its alias. */
export function columnNamed(table: Table, name: string): string {
  const isOwn = table.columns.some((column) => isSameName(column.name, name))
  const alias = table.columns.find((column) => isRowid(table, column.name))
  const isNumber = !isOwn && alias !== undefined && numberNames.has(folded(name))
  return folded(isNumber ? alias.name : name)
}

/** Returns statements to compile, not to run: SQLite then also compiles the triggers of the table or view. */
export function firingStatements(database: ScratchDatabase, table: string): string[] {
  const name = quoteName(table)
  const columns = database.texts("SELECT name FROM temp.pragma_table_info(?)", table)
  const assignments = columns.map(quoteName).map((column) => `${column} = ${column}`)
  return [
    `UPDATE ${name} SET ${assignments.join(", ")}`,
    `DELETE FROM ${name}`,
    `INSERT INTO ${name} DEFAULT VALUES`,
  ]
}
