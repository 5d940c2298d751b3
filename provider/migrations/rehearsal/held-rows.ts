import type { LiveTable, LiveTables } from "./live-tables.ts"
import { isSameName, quoteName, readSchema, type Table, tableNames } from "./schema.ts"
import type { Row, ScratchDatabase } from "./scratch-database.ts"
import { readRows } from "./table-rows.ts"

/** Numbers that `seedRows` writes; they are found again in texts that were made of them. */
const token = /900\d{6}/g

/** A row that came, wholly or in part, from before a file. */
export type HeldRow = { table: string; tokens: Set<string> }

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

export function readHeldRows(database: ScratchDatabase): HeldRow[] {
  return tableNames(database).flatMap((name) =>
    database
      .rows(`SELECT * FROM ${quoteName(name)}`)
      .map((row) => ({ table: name, tokens: tokensOf(Object.values(row)) }))
      .filter(({ tokens }) => tokens.size > 0),
  )
}

function tokensOf(values: (Row[string] | undefined)[]): Set<string> {
  const texts = values.map((value) =>
    value instanceof Uint8Array ? Buffer.from(value).toString("latin1") : String(value),
  )
  return new Set(texts.flatMap((text) => text.match(token) ?? []))
}

/** What a schema holds at one moment. */
type Moment = {
  schema: Table[]
  tables: LiveTables
  former: Former[]
  rows: HeldRow[]
}

/**
 * Where the row of a former table is: in that table or the one rebuilt in its place (`home`), or in
 * another one. By its key, however that is written, or by all that it said beside key and references.
 */
export function findHolder(
  moment: Moment,
  one: Former,
): { table: string; home: boolean } | undefined {
  const { schema, tables } = moment
  const home = tables.successor(one.table)?.name
  const now = home === undefined ? undefined : schema.find(({ name }) => isSameName(name, home))
  if (now !== undefined && isHeldBy(rowsOf(moment, now.name), identityOf(one, now))) {
    return { table: now.name, home: true }
  }
  const identity = identityOf(one)
  const others = schema.filter(({ name }) => name !== now?.name)
  const fresh = others.map(({ name }) => ({ name, rows: freshRowsOf(moment, name) }))
  const holder = fresh.find(({ rows }) => isHeldBy(rows, identity))
  if (holder !== undefined) return { table: holder.name, home: false }
  // Without a key its parts may be in several tables.
  const parts = new Set(fresh.flatMap(({ rows }) => rows.flatMap((tokens) => [...tokens])))
  const first = fresh.find(({ rows }) => rows.some((tokens) => has(tokens, identity.own, "some")))
  const whole = identity.key.size === 0 && identity.own.size > 0 && has(parts, identity.own)
  return whole && first !== undefined ? { table: first.name, home: false } : undefined
}

/** What a row is known by. */
type Identity = { key: Set<string>; own: Set<string>; all: Set<string> }

/** @param within only columns that this table has, too */
function identityOf({ definition, row = {} }: Former, within?: Table): Identity {
  const references = new Set(definition.foreignKeys.flatMap(({ columns }) => columns))
  const key = definition.columns.filter(({ inPrimaryKey }) => inPrimaryKey)
  const own = definition.columns
    .filter(({ name, inPrimaryKey }) => !inPrimaryKey && !references.has(name))
    .filter(({ name }) => within?.columns.some((column) => isSameName(column.name, name)) ?? true)
  const tokens = (columns: { name: string }[]) => tokensOf(columns.map(({ name }) => row[name]))
  return { key: tokens(key), own: tokens(own), all: tokensOf(Object.values(row)) }
}

function isHeldBy(rows: Set<string>[], { key, own, all }: Identity): boolean {
  if (key.size > 0 && rows.some((tokens) => has(tokens, key))) return true
  if (own.size > 0) return rows.some((tokens) => has(tokens, own))
  // A row of nothing but references.
  return key.size === 0 && all.size > 0 && rows.some((tokens) => has(tokens, all))
}

function has(tokens: Set<string>, wanted: Set<string>, how: "every" | "some" = "every"): boolean {
  return [...wanted][how]((one) => tokens.has(one))
}

function rowsOf({ rows }: Moment, table: string): Set<string>[] {
  return rows.filter((row) => row.table === table).map(({ tokens }) => tokens)
}

/** Without what the table held before the file: a key that refers to a row is not the row. */
function freshRowsOf(moment: Moment, table: string): Set<string>[] {
  const before = moment.former.find((one) => !one.table.dropped && one.table.name === table)
  const known = tokensOf(Object.values(before?.row ?? {}))
  return rowsOf(moment, table).map(
    (tokens) => new Set([...tokens].filter((one) => !known.has(one))),
  )
}
