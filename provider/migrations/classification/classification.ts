import type { Migration } from "../migration-files.ts"
import { type Former, readFormer } from "../rehearsal/held-rows.ts"
import { followTables, type LiveTable, type LiveTables } from "../rehearsal/live-tables.ts"
import { isSameName, readSchema, type Table } from "../rehearsal/schema.ts"
import type { ScratchDatabase } from "../rehearsal/scratch-database.ts"
import { seedRows } from "../rehearsal/seed-rows.ts"
import type { StatementEffect } from "../rehearsal/statement-effect.ts"
import { type Copy, copiesOf, findCopies, type LiveCopy } from "./copies.ts"
import { findLostObjects, type LostObject, readObjectNames } from "./lost-objects.ts"
import { fatesOf, type Move, type RowLoss } from "./lost-rows.ts"
import { type Break, compareSchemas, type Tightening } from "./schema-change.ts"

/**
 * What a file does to a schema, from the schemas before and after it and from a row in every table,
 * in a real SQLite. Nothing is recognised by its words.
 */
export type Classification = {
  /**
   * `destructive`: rows go for good (`loses`). `contract`: else, a name, a view or a freedom that a
   * version may rely on goes (`breaks`, `tightens`). `expand`: all that ran before still runs.
   */
  class: "expand" | "contract" | "destructive"
  /** Fails every version that uses the table or column, whatever the rows are. */
  breaks: Break[]
  /** New rules, which rows of before or writes of former versions may violate. */
  tightens: Tightening[]
  /** Rows that the file takes in words; what foreign keys take besides is in `findRefusals`. */
  loses: RowLoss[]
  /** Tables that go, but whose rows are in another table afterwards. */
  moves: Move[]
  /** Triggers and unique indexes that went along with their table, and were not made again. */
  lostObjects: LostObject[]
  /** Tables of before, by their name of then, that the file drops or whose rows it writes. */
  touched: string[]
  /** The tables when the file has run. */
  after: Table[]
  /** Names of the tables of before when the file has run; without those that go. */
  names: Map<string, string>
  /** Tables that hold the rows of others, right before those lose them. */
  copies: Copy[]
}

/** @param before the schema that the file finds; it is not changed */
export function classify(before: ScratchDatabase, file: Migration): Classification {
  using database = before.copy()
  seedRows(database)
  // A new reference finds no made-up row to refer to: that is not judged here.
  database.exec("BEGIN; PRAGMA defer_foreign_keys = ON;")
  const tables = followTables(database)
  const former = readFormer(database, tables)
  const objects = readObjectNames(database)
  const { touches, copies, droppedObjects } = follow({ database, tables, former, file })

  const fates = fatesOf({ database, tables, former })
  const loses = fates.flatMap(({ name, fate }): RowLoss[] => {
    const own = touches.filter((touch) => isSameName(touch.name, name))
    const last = own.findLast(({ effect }) => takesRows(effect, name)) ?? own.at(-1)
    if (fate === "lost" && last !== undefined) {
      const rows = tables.named(name) === undefined ? "all" : "some"
      return [{ table: name, rows, statement: last.statement }]
    }
    const deletion = own.find(({ effect }) => deletesInWords(effect, name))
    // The row of the rehearsal is there: the condition spared it, or it was put back.
    const putBack = copies.some(({ from }) => isSameName(from, name))
    if (fate !== "kept" || deletion === undefined || putBack) return []
    return [{ table: name, rows: "some", statement: deletion.statement }]
  })
  const change = compareSchemas(before, database)
  const narrows = change.breaks.length > 0 || change.tightens.length > 0
  return {
    class: loses.length > 0 ? "destructive" : narrows ? "contract" : "expand",
    ...change,
    loses,
    moves: fates.flatMap(({ fate }) => (typeof fate === "string" ? [] : fate)),
    lostObjects: findLostObjects({ database, objects, dropped: droppedObjects }),
    touched: [...new Set(touches.map(({ name }) => name))],
    after: readSchema(database),
    names: new Map(former.flatMap(({ name, table }) => namedNow(tables, name, table))),
    copies: copiesOf(copies, new Map(former.map(({ table, name }) => [table, name]))),
  }
}

function namedNow(tables: LiveTables, name: string, table: LiveTable): [string, string][] {
  const now = tables.successor(table)
  return now === undefined ? [] : [[name, now.name]]
}

type Run = { database: ScratchDatabase; tables: LiveTables; former: Former[]; file: Migration }

type Touch = { name: string; statement: number; effect: StatementEffect }

/** Runs the file, and notes which tables of before it touches and which hold the rows of others. */
function follow({ database, tables, former, file }: Run) {
  const touches: Touch[] = []
  const copies: LiveCopy[] = []
  const droppedObjects: string[] = []
  for (const [index, { sql }] of file.statements.entries()) {
    const statement = index + 1
    try {
      const { effect, run } = database.prepare(sql)
      const table = takenFrom(effect)
      if (table !== undefined) {
        const known = former.map((one) => one.table)
        copies.push(...findCopies({ database, tables, former: known, statement, table }))
      }
      for (const touched of namesOf(effect)) {
        const known = former.find((one) => one.table === tables.named(touched))
        if (known !== undefined) touches.push({ name: known.name, statement, effect })
      }
      droppedObjects.push(...effect.dropsObjects)
      run()
      if (effect.changesSchema) tables.look()
    } catch {
      // A statement that fails on made-up rows, or at all, is for the database to judge.
    }
  }
  return { touches, copies, droppedObjects }
}

function takenFrom({ drops, writes }: StatementEffect): string | undefined {
  return drops[0] ?? (writes !== undefined && writes.by !== "insert" ? writes.table : undefined)
}

function namesOf({ drops, writes, follows, byTriggers }: StatementEffect): string[] {
  return [...drops, ...(writes === undefined ? [] : [writes.table]), ...follows, ...byTriggers]
}

function takesRows(effect: StatementEffect, table: string): boolean {
  return deletesInWords(effect, table) || effect.drops.some((name) => isSameName(name, table))
}

/** What a drop takes along is seen in the rehearsal; how far a DELETE goes, its condition decides. */
function deletesInWords({ writes, cascades }: StatementEffect, table: string): boolean {
  if (writes?.by !== "delete") return false
  return [writes.table, ...cascades].some((name) => isSameName(name, table))
}
