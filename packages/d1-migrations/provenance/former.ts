import type { HeldTable } from "./held-tables.ts"
import type { ColumnMap } from "./same-rows.ts"

/** A table of before, and what stands in its place. */
export type Former = {
  held: HeldTable
  /** Undefined when no table has its name or place. */
  home: HeldTable | undefined
  /** Positions of its columns in `home`, whatever they are called there. */
  columns: ColumnMap
  /** Whether `home` is the table itself, and not another one in its place. */
  same: boolean
}

/** And for each of its rows the position of its row in `home`. */
export type Traced = Former & { twins: (number | undefined)[] }

export type IsFresh = (table: HeldTable, row: number, position: number) => boolean

/** Whether another table may have a cell of before, or without a column a whole row. */
export type IsFree = (row: number, index?: number) => boolean

/** Positions of the columns whose values are not found yet, by row. */
export type Unfound = Map<number, Set<number>>
