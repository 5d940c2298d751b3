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
  const rows: TellingRow[] = []
  const { columns, valuesOf, insert, search, searchWith, random } = openTable({
    database,
    table,
    slots,
  })
  let number = 0
  const add = (found: Cells | undefined, features: string[]): Cells | undefined => {
    number += 1
    if (found !== undefined) {
      const sql = insertion(table, columns, [valuesOf(found)])
      rows.push({ table: table.name, sql, features })
    }
    return found
  }
  const addWith = (cells: Cells, features: string[]) =>
    add(searchWith(number, { cells, listed: false }, insert), features)
  let first: Cells | undefined
  for (let row = 0; row < ordinaryRows; row += 1) {
    first ??= add(search(number, insert), [])
    if (row > 0) add(search(number, insert), [])
  }
  const rowWith = (values: Cells): (TellingRow & { cells: Cells }) | undefined => {
    number += 1
    const found = searchWith(number, { cells: values, listed: false }, insert)
    if (found === undefined) return undefined
    const sql = insertion(table, columns, [valuesOf(found)])
    return { table: table.name, sql, features: [featureOf(table, values)], cells: found }
  }
  if (rows.length === 0) return { rows, rowWith }
  const features = slots.flatMap((slot) => slot.boundaries.map(({ cells }) => ({ slot, cells })))
  for (const { cells } of features) {
    if (rows.length >= mostRows) break
    addWith(cells, [featureOf(table, cells)])
  }
  addWith(withoutKeys(table, first ?? {}), [`${table.name} repeated`])
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
    addWith(
      Object.assign({}, ...some),
      some.map((one) => featureOf(table, one)),
    )
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
