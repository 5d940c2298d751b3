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
    for (const [rowid, table] of byRow) {
      if (entries.some((entry) => entry.rowid === rowid)) continue
      table.dropped = true
      byRow.delete(rowid)
    }
    for (const { rowid, name } of entries) {
      const liveTable = byRow.get(rowid)
      if (liveTable !== undefined) {
        liveTable.name = name
        continue
      }
      const table = { name, dropped: false }
      byRow.set(rowid, table)
      liveTables.push(table)
    }
  }
  refresh()
  const at = new Map(liveTables.map((table) => [folded(table.name), table]))

  const findByName = (name: string) =>
    liveTables.find((table) => !table.dropped && isSameName(table.name, name))
  return {
    refresh,
    findByName: findByName,
    /** The table that had a name at first. */
    findByOriginalName: (name: string) => at.get(folded(name)),
    /** What the tables are called now. */
    currentNames: () =>
      new Map(
        liveTables.flatMap((liveTable) =>
          liveTable.dropped ? [] : [[liveTable, liveTable.name] as const],
        ),
      ),
  }
}
