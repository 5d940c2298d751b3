import type { Table } from "../schema/schema.ts"
import type { ScratchDatabase } from "../schema/scratch-database.ts"
import { openTable } from "./open-table.ts"
import type { Cells } from "./references.ts"
import type { Slot } from "./slots.ts"

export type FilledTable = {
  table: Table
  columns: string[]
  /** SQL of the values in the order of `columns`. */
  rows: string[][]
  /** Why there are fewer rows than asked for. */
  shortage: string | undefined
}

type Filling = { database: ScratchDatabase; table: Table; slots: Slot[]; count: number }

/** Rows that the table takes: SQLite decides about each. They are in the database afterwards. */
export function fillTable({ database, table, slots, count }: Filling): FilledTable {
  const { columns, valuesOf, insert, takes, reason, search } = openTable({
    database,
    table,
    slots,
  })
  const pending = slots.map((slot) => [...slot.boundaries])
  const rows: string[][] = []

  /** As many of the values at the ends as one row takes. */
  const withBoundaries = (ordinary: Cells): Cells => {
    let cells = ordinary
    for (const list of pending) {
      const [boundary] = list
      if (boundary === undefined) continue
      const changed = { ...cells, ...boundary.cells }
      const first = cells === ordinary
      const taken = takes(changed)
        ? changed
        : first
          ? search(rows.length, takes, boundary)
          : undefined
      // What did not go together with the others is tried again as the first of a row.
      if (taken === undefined && !first) continue
      list.shift()
      cells = taken ?? cells
    }
    return cells
  }

  while (rows.length < count) {
    const waiting = pending.some((list) => list.length > 0)
    const ordinary = search(rows.length, waiting ? takes : insert)
    if (ordinary === undefined) break
    const cells = waiting ? withBoundaries(ordinary) : ordinary
    if (waiting && !insert(cells)) break
    rows.push(valuesOf(cells))
    // Another column is the first of the next row.
    const [first] = pending.splice(0, 1)
    if (first !== undefined) pending.push(first)
  }
  return { table, columns, rows, shortage: rows.length < count ? reason() : undefined }
}
