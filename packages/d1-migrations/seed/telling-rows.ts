import type { Table } from "../schema/schema.ts"
import type { ScratchDatabase } from "../schema/scratch-database.ts"
import { insertion, openTable } from "./open-table.ts"
import type { Cells } from "./references.ts"
import type { Slot } from "./slots.ts"

/** A row, and what is special about it: nothing about an ordinary one. */
export type TellingRow = { table: string; sql: string; features: string[] }

type Telling = {
  database: ScratchDatabase
  table: Table
  slots: Slot[]
  mixed: number
}

/** More in one table say nothing new, and cost time. */
const mostRows = 400
const ordinaryRows = 4
/** Of the values of rows with several special ones. */
const emptyShare = 0.25

/**
 * Rows each of which shows one thing: ordinary ones, one for each value of `boundaries`, one that
 * repeats another but for its keys, and `mixed` ones with several. They are in the database.
 */
export function tellingRows({ database, table, slots, mixed }: Telling) {
  const { columns, valuesOf, insert, search, random } = openTable({ database, table, slots })
  let number = 0
  const rowOf = (cells: Cells | undefined, features: string[]) => {
    number += 1
    if (cells === undefined) return []
    const sql = insertion(table, columns, [valuesOf(cells)])
    return [{ table: table.name, sql, features, cells }]
  }
  const rowWith = (cells: Cells, features = [featureOf(table, cells)]) =>
    rowOf(search(number, insert, { cells, listed: false }), features)
  const ordinary = Array.from({ length: ordinaryRows }, () => rowOf(search(number, insert), []))
  const [first, ...others] = ordinary.flat()
  if (first === undefined) return { rows: [], rowWith }
  const rows: TellingRow[] = [first, ...others]
  for (const { cells } of slots.flatMap((slot) => slot.boundaries)) {
    if (rows.length >= mostRows) break
    rows.push(...rowWith(cells))
  }
  rows.push(...rowWith(withoutKeys(table, first.cells), [`${table.name} repeated`]))
  for (let row = 0; row < mixed && rows.length < mostRows; row += 1) {
    // At first all that may be empty, since a condition may ask for that together.
    const some = slots.flatMap(({ columns: [name = ""], boundaries, compared }) => {
      // Each of its values is in a row already.
      if (table.uniques.some((key) => key.length === 1 && key[0] === name)) return []
      const empty = boundaries.find(({ cells }) => isEmpty(cells))
      const drawn = boundaries[Math.floor(random() * boundaries.length * (compared ? 1 : 1.5))]
      const boundary = row === 0 || random() < emptyShare ? (empty ?? drawn) : drawn
      return boundary === undefined || (row === 0 && empty === undefined) ? [] : [boundary.cells]
    })
    const said = some.map((one) => featureOf(table, one))
    rows.push(...rowWith(Object.assign({}, ...some), said))
  }
  return { rows, rowWith }
}

function featureOf({ name }: Table, cells: Cells): string {
  const values = Object.entries(cells).map(([column, value]) => `${column} = ${value.slice(0, 60)}`)
  return `${name}: ${values.join(", ")}`
}

function isEmpty(cells: Cells): boolean {
  return Object.values(cells).every((value) => value === "NULL")
}

function withoutKeys({ columns }: Table, cells: Cells): Cells {
  const keys = new Set(columns.flatMap((one) => (one.inPrimaryKey ? one.name : [])))
  return Object.fromEntries(Object.entries(cells).filter(([name]) => !keys.has(name)))
}
