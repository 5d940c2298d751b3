import * as z from "zod"

import { folded } from "../sql/folded.ts"
import { isSameName } from "./schema.ts"
import type { ScratchDatabase } from "./scratch-database.ts"

/** A table under the names that it has had while a file ran. */
export type LiveTable = { name: string; dropped: boolean }

export type LiveTables = ReturnType<typeof followTables>

const Entry = z.object({ rowid: z.bigint(), name: z.string() })

/** Follows tables through renames: `sqlite_master` keeps the row of a table that is renamed. */
export function followTables(database: ScratchDatabase) {
  const byRow = new Map<bigint, LiveTable>()
  const liveTables: LiveTable[] = []

  /** To be called after each statement that changes the schema. */
  const refresh = (): void => {
    const entries = database
      .rows("SELECT rowid, name FROM sqlite_master WHERE type = 'table'")
      .map((row) => Entry.parse(row))
    const rowids = new Set(entries.map(({ rowid }) => rowid))
    for (const [rowid, table] of byRow) {
      if (rowids.has(rowid)) continue
      table.dropped = true
      byRow.delete(rowid)
    }
    for (const { rowid, name } of entries) {
      const table = byRow.get(rowid) ?? { name, dropped: false }
      table.name = name
      if (!byRow.has(rowid)) liveTables.push(table)
      byRow.set(rowid, table)
    }
  }
  refresh()
  const original = new Map(liveTables.map((table) => [folded(table.name), table]))
  return {
    refresh,
    findByName: (name: string) =>
      liveTables.find((table) => !table.dropped && isSameName(table.name, name)),
    /** The table that had a name at first. */
    findByOriginalName: (name: string) => original.get(folded(name)),
    /** The present names of the tables. */
    currentNames: () => {
      const existing = liveTables.filter(({ dropped }) => !dropped)
      return new Map(existing.map((table) => [table, table.name] as const))
    },
  }
}
