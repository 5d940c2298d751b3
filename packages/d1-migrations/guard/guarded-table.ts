import type { Copy } from "../classification/copies.ts"
import type { Place } from "../provenance/places.ts"
import type { Table } from "../schema/schema.ts"
import type { KeptRows } from "./kept-rows.ts"
import type { NamedRows } from "./named-rows.ts"
import type { NumberColumn } from "./number-references.ts"

/** A table of before of which rows or values may go, and what must be left of it. */
export type GuardedTable = {
  table: Table
  /** Where its rows are when the file has run. */
  targets: string[]
  /** Whether the file drops it, so that it makes a copy of it. */
  dropped: boolean
  copy: Copy | undefined
  /** Rows that are declared to go. */
  bound: number
  /** And to be there once more. */
  repeats: number
  /** Columns by the names that a snapshot has for them. */
  columns: Map<string, string>
  /** What finds its rows by their numbers. */
  numbered: boolean
  parts: Part[]
  /** Columns that get other values as declared, where they are, and the literals of the file: what it names. */
  changed: { name: string; column: string; targets: KeptRows["targets"]; said: string[] }[]
  /** Rows that statements name by their keys. */
  named: NamedRows | undefined
  places: Place[]
  /** Whether an INSERT adds rows to it. */
  isAddedTo: boolean
  /** The targets that have its rows, and not values of them alone. */
  own: string[]
  /** Columns of other tables that may hold the numbers of its rows, where a copy gives new ones. */
  numberColumns: NumberColumn[]
  /** Rows of before that earlier files have put there: conditions on the snapshot. */
  literalRows: string[]
}

/** Columns that are together somewhere. */
export type Part = Omit<KeptRows, "snapshot" | "rows" | "isShared"> & {
  /** Their names, and those of the tables. */
  names: string[]
  places: string[]
  /** How many values are declared to go, beside the rows. */
  bound: number
  /** What tells a row from others, where a join or an INSERT of its own rows may have made more of them. */
  counted: string[]
  /** Whether rows that hold nothing in some columns need not be there. */
  filled: string[]
}
