import type { ParsedStatement } from "../lint/parsed-script.ts"
import type { Place } from "../provenance/places.ts"
import type { LiveTable, LiveTables } from "../schema/live-tables.ts"
import type { StatementEffect } from "../schema/statement-effect.ts"

/** The moment at which a table of before is dropped that nothing has written, and its copy is done. */
export type Copy = {
  /** Number (from 1) of the statement that drops it. */
  statement: number
  /** Names at that moment. */
  from: string
  to: string
}

type Drop = { statement: number; table: LiveTable; from: string; names: Map<LiveTable, string> }

/** Notes what is needed to find copies. */
export function followCopies(tables: LiveTables, statements: ParsedStatement[]) {
  const drops: Drop[] = []
  const written = new Map<LiveTable, number>()
  const reshapes = statements.some(
    ({ node }) => node?.type === "AlterTableStmt" && node.body.type !== "RenameToAlterTableBody",
  )
  return {
    before: (
      statement: number,
      { drops: dropped, writes, follows, byTriggers }: StatementEffect,
    ): void => {
      for (const name of [writes?.table ?? "", ...follows, ...byTriggers]) {
        const table = tables.named(name)
        if (table !== undefined) written.set(table, statement)
      }
      for (const from of dropped) {
        const table = tables.named(from)
        if (table !== undefined) drops.push({ statement, table, from, names: tables.names() })
      }
    },
    /** @param places where the values of the table are at the end */
    copyOf(name: string, places: Place[]): Copy | undefined {
      const drop = drops.find(({ table }) => table === tables.first(name))
      const [place] = places
      const target = tables.named(place?.to ?? "")
      const to = target === undefined ? undefined : drop?.names.get(target)
      if (drop === undefined || target === undefined || to === undefined) return undefined
      const isLinked = places.length > 1 || place?.columns.some(([, { of }]) => of !== undefined)
      const isChanged = written.has(drop.table) || (written.get(target) ?? 0) >= drop.statement
      return isLinked === true || isChanged || reshapes ? undefined : { ...drop, to }
    },
  }
}
