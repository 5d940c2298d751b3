import { type Column, isNumbered, isSameName, quoteName, type Table } from "../schema/schema.ts"
import type { Row, ScratchDatabase } from "../schema/scratch-database.ts"

/** What a table holds at one moment. Values are texts that tell 1 from '1'. */
export type HeldTable = {
  name: string
  columns: string[]
  /** Positions of its primary key. */
  key: number[]
  /** Positions of the columns that refer to other rows. */
  references: Set<number>
  /** Positions of the columns that are made of others. */
  generated: Set<number>
  rows: HeldRow[]
  /** For each column the rows that have a value. */
  index: Map<string, number[]>[]
  /** Positions of the columns of each unique key. */
  uniques: number[][]
}

type HeldRow = { rowid: string | undefined; cells: string[] }

export const empty = textOf(null)

export function holdTable(database: ScratchDatabase, table: Table): HeldTable {
  const columns = table.columns.map(({ name }) => name)
  const list = columns.map(quoteName)
  const numbered = isNumbered(table)
  const all = numbered ? ["rowid", ...list] : list
  const read = (names: string[]) => {
    const named = names.map((name, index) => `${name} AS v${index}`).join(", ")
    return database.rows(`SELECT ${named} FROM ${quoteName(table.name)}`)
  }
  const rows = readable(read, all, table).map((row) => {
    const values = Object.values(row).map(textOf)
    return numbered
      ? { rowid: values[0], cells: values.slice(1) }
      : { rowid: undefined, cells: values }
  })
  const at = (is: (column: Column) => boolean) =>
    table.columns.flatMap((column, index) => (is(column) ? [index] : []))
  const referring = table.foreignKeys.flatMap((one) => one.columns)
  return {
    name: table.name,
    columns,
    key: at(({ inPrimaryKey }) => inPrimaryKey),
    references: new Set(at(({ name }) => referring.some((one) => isSameName(one, name)))),
    generated: new Set(at(({ generated }) => generated)),
    rows,
    index: columns.map((_, position) => indexOf(rows, position)),
    uniques: table.uniques.map((names) =>
      names.flatMap((name) => at((one) => isSameName(one.name, name))),
    ),
  }
}

/** What a column is made of may be such that SQLite fails to make it: such a column holds nothing. */
function readable(read: (names: string[]) => Row[], names: string[], { columns }: Table): Row[] {
  const generated = new Set(columns.flatMap((one) => (one.generated ? quoteName(one.name) : [])))
  try {
    return read(names)
  } catch (error) {
    if (generated.size === 0) throw error
    return read(names.map((name) => (generated.has(name) ? "NULL" : name)))
  }
}

function indexOf(rows: HeldRow[], position: number): Map<string, number[]> {
  const index = new Map<string, number[]>()
  for (const [row, { cells }] of rows.entries()) {
    const value = cells[position] ?? empty
    const known = index.get(value)
    if (known === undefined) index.set(value, [row])
    else known.push(row)
  }
  return index
}

/** Distinguishes 1 from '1', and not from 1.0. */
function textOf(value: Row[string] | undefined): string {
  if (typeof value === "number" && Number.isInteger(value)) return `bigint ${BigInt(value)}`
  if (value instanceof Uint8Array) return `x${Buffer.from(value).toString("hex")}`
  return `${typeof value} ${String(value)}`
}
