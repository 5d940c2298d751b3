import { failureOf } from "../failure.ts"
import { quoteName, type Table } from "../schema/schema.ts"
import type { ScratchDatabase } from "../schema/scratch-database.ts"
import type { Cells } from "./references.ts"
import { seededRandom } from "./seeded-random.ts"
import type { Boundary, Slot } from "./slots.ts"

/** Combinations that are tried for one row: of the columns that rules speak of, then of all. */
type Patience = { ruled: number; all: number }
const thorough: Patience = { ruled: 1500, all: 300 }
/** For a value that the table need not take at all. */
const brief: Patience = { ruled: 20, all: 0 }

type Opened = { database: ScratchDatabase; table: Table; slots: Slot[] }

/** Finds rows that a table takes, with foreign keys, checks, triggers and unique indexes at work. */
export function openTable({ database, table, slots }: Opened) {
  const columns = slots.flatMap((slot) => slot.columns)
  const random = seededRandom(table.name.length)
  let choice = slots.map(() => 0)
  let reason = ""

  const valuesOf = (cells: Cells) => columns.map((name) => cells[name] ?? "NULL")
  const insert = (cells: Cells): boolean => {
    const failure = failureOf(() => database.exec(insertion(table, columns, [valuesOf(cells)])))
    reason = failure ?? reason
    return failure === undefined
  }
  const takes = (cells: Cells): boolean => {
    database.exec("SAVEPOINT attempt")
    const taken = insert(cells)
    database.exec("ROLLBACK TO attempt; RELEASE attempt")
    return taken
  }
  const cellsOf = (row: number, chosen: number[], fixed: Cells = {}): Cells | undefined => {
    const cells: Cells = { ...fixed }
    for (const [index, slot] of slots.entries()) {
      if (slot.columns.every((name) => name in cells)) continue
      const way = slot.ordinary[chosen[index] ?? 0]?.(row, cells)
      if (way === undefined) return undefined
      Object.assign(cells, { ...way, ...fixed })
    }
    return cells
  }
  return {
    columns,
    random,
    valuesOf,
    insert,
    takes,
    /** Why the last row was not taken. */
    reason: () => reason,
    /** Values that the table takes: ordinary ones, together with some that are fixed. */
    search: (row: number, take: (cells: Cells) => boolean, fixed?: Boundary): Cells | undefined => {
      const patience = fixed?.listed === false ? brief : thorough
      for (const chosen of choices({ slots, last: choice, random, patience })) {
        const cells = cellsOf(row, chosen, fixed?.cells)
        if (cells === undefined || !take(cells)) continue
        if (fixed === undefined) choice = chosen
        return cells
      }
      return undefined
    },
  }
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
