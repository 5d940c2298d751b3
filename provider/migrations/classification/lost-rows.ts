import { findHolder, type Former, readHeldRows } from "../rehearsal/held-rows.ts"
import type { LiveTables } from "../rehearsal/live-tables.ts"
import { readSchema } from "../rehearsal/schema.ts"
import type { ScratchDatabase } from "../rehearsal/scratch-database.ts"

/** Rows that a file takes for good, as far as its words say. */
export type RowLoss = {
  /** The table's name before the file. */
  table: string
  /** `all` when the table goes or is emptied, `some` when only the rows can tell how many. */
  rows: "all" | "some"
  /** Number (from 1) of the statement that takes them. */
  statement: number
}

/** A table whose rows are in another one afterwards. */
export type Move = { from: string; to: string }

type End = { database: ScratchDatabase; tables: LiveTables; former: Former[] }

type Fate = { name: string; fate: "kept" | "lost" | Move }

/** Where the rows of the former tables are when the whole file has run. */
export function fatesOf({ database, tables, former }: End): Fate[] {
  const moment = { schema: readSchema(database), rows: readHeldRows(database), tables, former }
  return former.map((one) => {
    const { name, row, table } = one
    const isThere = tables.successor(table) !== undefined
    const holder = findHolder(moment, one)
    if (row === undefined || holder?.home === true) return { name, fate: isThere ? "kept" : "lost" }
    // A table that is still there has lost its row, whatever copy of it there is.
    if (isThere || holder === undefined) return { name, fate: "lost" }
    return { name, fate: { from: name, to: holder.table } }
  })
}
