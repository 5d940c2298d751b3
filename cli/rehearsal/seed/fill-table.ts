import { messageOf } from "../../../failure.ts"
import { quoteName, type Table } from "../../../provider/migrations/rehearsal/schema.ts"
import type { ScratchDatabase } from "../../../provider/migrations/rehearsal/scratch-database.ts"
import type { Cells } from "./references.ts"
import { seededRandom } from "./seeded-random.ts"
import type { Boundary, Slot } from "./slots.ts"

export type FilledTable = {
  table: Table
  columns: string[]
  /** SQL of the values in the order of `columns`. */
  rows: string[][]
  /** Why there are fewer rows than asked for. */
  shortage: string | undefined
}

type Filling = { database: ScratchDatabase; table: Table; slots: Slot[]; count: number }

/** Combinations that are tried for one row: of the columns that rules speak of, then of all. */
type Patience = { ruled: number; all: number }
const thorough: Patience = { ruled: 1500, all: 300 }
/** For a value that the table need not take at all. */
const brief: Patience = { ruled: 20, all: 0 }

/**
 * Rows that the table takes, with foreign keys, checks, triggers and unique indexes at work: SQLite
 * decides about each. They are in the database afterwards.
 */
export function fillTable({ database, table, slots, count }: Filling): FilledTable {
  const columns = slots.flatMap((slot) => slot.columns)
  const pending = slots.map((slot) => [...slot.boundaries])
  const rows: string[][] = []
  const random = seededRandom(table.name.length)
  let choice = slots.map(() => 0)
  let reason = ""

  const valuesOf = (cells: Cells) => columns.map((name) => cells[name] ?? "NULL")
  const insert = (cells: Cells): boolean => {
    try {
      database.exec(insertion(table, columns, [valuesOf(cells)]))
      return true
    } catch (error) {
      reason = messageOf(error)
      return false
    }
  }
  const takes = (cells: Cells): boolean => {
    database.exec("SAVEPOINT attempt")
    const taken = insert(cells)
    database.exec("ROLLBACK TO attempt; RELEASE attempt")
    return taken
  }
  const cellsOf = (chosen: number[], fixed: Cells = {}): Cells | undefined => {
    const cells: Cells = { ...fixed }
    for (const [index, slot] of slots.entries()) {
      if (slot.columns.every((name) => name in cells)) continue
      const way = slot.ordinary[chosen[index] ?? 0]?.(rows.length, cells)
      if (way === undefined) return undefined
      Object.assign(cells, { ...way, ...fixed })
    }
    return cells
  }
  /** Ordinary values that the table takes, together with some that are fixed. */
  const search = (take: (cells: Cells) => boolean): Cells | undefined => {
    for (const chosen of choices({ slots, last: choice, random, patience: thorough })) {
      const cells = cellsOf(chosen)
      if (cells === undefined || !take(cells)) continue
      choice = chosen
      return cells
    }
    return undefined
  }
  const searchWith = ({ cells: fixed, listed }: Boundary): Cells | undefined => {
    const patience = listed ? thorough : brief
    for (const chosen of choices({ slots, last: choice, random, patience })) {
      const cells = cellsOf(chosen, fixed)
      if (cells !== undefined && takes(cells)) return cells
    }
    return undefined
  }
  /** As many of the values at the ends as one row takes. */
  const withBoundaries = (ordinary: Cells): Cells => {
    let cells = ordinary
    for (const list of pending) {
      const [boundary] = list
      if (boundary === undefined) continue
      const changed = { ...cells, ...boundary.cells }
      const first = cells === ordinary
      const taken = takes(changed) ? changed : first ? searchWith(boundary) : undefined
      // What did not go together with the others is tried again as the first of a row.
      if (taken === undefined && !first) continue
      list.shift()
      cells = taken ?? cells
    }
    return cells
  }

  while (rows.length < count) {
    const waiting = pending.some((list) => list.length > 0)
    const ordinary = search(waiting ? takes : insert)
    if (ordinary === undefined) break
    const cells = waiting ? withBoundaries(ordinary) : ordinary
    if (waiting && !insert(cells)) break
    rows.push(valuesOf(cells))
    // Another column is the first of the next row.
    const [first] = pending.splice(0, 1)
    if (first !== undefined) pending.push(first)
  }
  return { table, columns, rows, shortage: rows.length < count ? reason : undefined }
}

type Choosing = { slots: Slot[]; last: number[]; random: () => number; patience: Patience }

/** The choice of the last row first, then others. */
function* choices({ slots, last, random, patience }: Choosing): Generator<number[]> {
  yield last
  if (patience === thorough) {
    for (const [index, slot] of slots.entries()) {
      for (const way of slot.ordinary.keys()) yield last.with(index, way)
    }
  }
  const drawn = (slot: Slot) => Math.floor(random() * slot.ordinary.length)
  const ruled = slots.some((slot) => slot.ruled) ? patience.ruled : 0
  for (let attempt = 0; attempt < ruled; attempt += 1) {
    yield slots.map((slot, index) => (slot.ruled ? drawn(slot) : (last[index] ?? 0)))
  }
  for (let attempt = 0; attempt < patience.all; attempt += 1) yield slots.map(drawn)
}

export function insertion(table: Table, columns: string[], rows: string[][]): string {
  const names = columns.map(quoteName).join(", ")
  const values = rows.map((row) => `(${row.join(", ")})`).join(",\n")
  return `INSERT INTO ${quoteName(table.name)} (${names}) VALUES\n${values};`
}
