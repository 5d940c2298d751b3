import type { LiveTable, LiveTables } from "../rehearsal/live-tables.ts"
import { findTable, isSameName, readSchema, type Table } from "../rehearsal/schema.ts"
import type { ScratchDatabase } from "../rehearsal/scratch-database.ts"
import { findRow, readRows, textOf } from "../rehearsal/table-rows.ts"

/** A table that holds the rows of another one, at the moment before that one loses them. */
export type Copy = {
  /** Number (from 1) of the statement that takes the rows of `from`. */
  statement: number
  /** Names at that moment. */
  from: string
  to: string
  /** Columns that both have, with equal values in most rows. */
  columns: string[]
  /** Those of them that are the primary key of `to`; empty when it has none, or another one. */
  key: string[]
  /** Whether both have a `rowid`, and no column of their own under that name. */
  numbered: boolean
  /** The name under which people know the rows. */
  table: string
}

/** A copy whose tables may still be renamed or dropped. */
export type LiveCopy = Omit<Copy, "table"> & {
  source: LiveTable
  target: LiveTable
  /** Columns that both have, with whatever values. */
  shared: string[]
}

type Moment = {
  database: ScratchDatabase
  tables: LiveTables
  /** Tables that were there before the file. */
  former: LiveTable[]
  statement: number
  /** Whose rows the statement takes. */
  table: string
}

export function findCopies({ database, tables, former, statement, table }: Moment): LiveCopy[] {
  const schema = readSchema(database)
  const definition = findTable(schema, table)
  const source = tables.named(table)
  if (definition === undefined || source === undefined) return []
  const others = schema.filter(({ name }) => !isSameName(name, table))
  return others.flatMap((other) => {
    const target = tables.named(other.name)
    // Two tables of before that hold the same keys are no copies of each other.
    if (target === undefined || (former.includes(source) && former.includes(target))) return []
    const columns = equalColumns(database, definition, other)
    if (columns.length === 0) return []
    const primary = keyOf(other)
    const isEqual = primary.every((name) => columns.some((one) => isSameName(one, name)))
    const key = isEqual ? primary : []
    const numbered = [definition, other].every(isNumbered)
    const [from, to] = [definition.name, other.name]
    const shared = sharedColumns(definition, other)
    return { statement, from, to, columns, key, numbered, source, target, shared }
  })
}

/** Characters of keys that only one table has. */
const shortestKey = 5

/** One row in so many is found in a copy, however it filters; a few keys may be alike by chance. */
const fewest = 7

/** Columns in which most rows of `from` are found in `to`; none unless its key is among them. */
function equalColumns(database: ScratchDatabase, from: Table, to: Table): string[] {
  const names = sharedColumns(from, to)
  if (names.length === 0) return []
  const keys = [keyOf(from), keyOf(to)].find(
    (key) => key.length > 0 && key.every((name) => names.some((one) => isSameName(one, name))),
  )
  const definition = keys === undefined ? from : withKey(from, keys)
  // NULL is no key, and short ones are made up for every table.
  const rows = [...readRows(database, from).values()].filter((row) =>
    (keys ?? names).every((name) => String(row[name] ?? "").length >= shortestKey),
  )
  const equal = rows.flatMap((row) => {
    const found = findRow(database, { table: to, row, definition })
    if (found === undefined) return []
    const values = Object.entries(found)
    return [
      names.filter((name) => {
        const value = values.find(([other]) => isSameName(other, name))
        return value !== undefined && textOf(value[1]) === textOf(row[name])
      }),
    ]
  })
  // Some values may be lost: that is what the columns are compared for.
  const most = (name: string) => equal.filter((columns) => columns.includes(name)).length * 2
  const isCopy = equal.length * fewest > rows.length
  return isCopy ? names.filter((name) => most(name) > equal.length) : []
}

function sharedColumns(from: Table, to: Table): string[] {
  const names = to.columns.filter(({ generated }) => !generated).map(({ name }) => name)
  return from.columns
    .filter(({ name, generated }) => !generated && names.some((one) => isSameName(one, name)))
    .map(({ name }) => name)
}

function keyOf({ columns }: Table): string[] {
  return columns.filter(({ inPrimaryKey }) => inPrimaryKey).map(({ name }) => name)
}

function isNumbered({ withoutRowid, columns }: Table): boolean {
  return !withoutRowid && !columns.some(({ name }) => isSameName(name, "rowid"))
}

function withKey(table: Table, key: string[]): Table {
  const columns = table.columns.map((column) => ({
    ...column,
    inPrimaryKey: key.some((name) => isSameName(name, column.name)),
  }))
  return { ...table, columns }
}

/** Those of tables that the file drops: what it takes from others, it takes in words. */
export function copiesOf(found: LiveCopy[], former: Map<LiveTable, string>): Copy[] {
  return found
    .filter(({ source }) => source.dropped)
    .map(({ source, target, shared, ...copy }) => {
      const kept = target.dropped ? source : target
      // A rebuilt table has its former name again, a moved one has not.
      const rebuilt = [...former.values()].find((name) => isSameName(name, kept.name))
      const table = former.get(kept) ?? rebuilt ?? former.get(source) ?? kept.name
      // A table that is rebuilt has all of its columns again.
      const columns = rebuilt === undefined ? copy.columns : shared
      return Object.assign(copy, { columns, table })
    })
}
