import { parseScript } from "../lint/parsed-script.ts"
import type { Migration } from "../migration-files.ts"
import type { Move } from "../provenance/fates.ts"
import { type Provenance, traceFile } from "../provenance/provenance.ts"
import { classOf } from "../provenance/wording.ts"
import { followTables, type LiveTable, type LiveTables } from "../rehearsal/live-tables.ts"
import { isSameName, readSchema, type Table, tableNames } from "../rehearsal/schema.ts"
import type { ScratchDatabase } from "../rehearsal/scratch-database.ts"
import type { StatementEffect } from "../rehearsal/statement-effect.ts"
import { type Copy, copiesOf, findCopies, type LiveCopy } from "./copies.ts"
import { type Break, compareSchemas, type Tightening } from "./schema-change.ts"

/**
 * What a file does to a schema, from the schemas before and after it and from a row in every table,
 * in a real SQLite. Nothing is recognised by its words.
 */
export type Classification = {
  provenance: Provenance
  /**
   * `destructive`: rows, values or references go for good. `contract`: else, a name, a view or a freedom that a
   * version may rely on goes (`breaks`, `tightens`). `expand`: all that ran before still runs.
   */
  class: "expand" | "contract" | "destructive"
  /** Fails every version that uses the table or column, whatever the rows are. */
  breaks: Break[]
  /** New rules, which rows of before or writes of former versions may violate. */
  tightens: Tightening[]
  /** Tables that go, but whose rows are in another table afterwards. */
  moves: Move[]
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
  const copies: LiveCopy[] = []
  const touched = new Set<string>()
  let database: ScratchDatabase | undefined
  let tables: LiveTables | undefined
  let former: { name: string; table: LiveTable }[] = []
  const provenance = traceFile(before, parseScript(file.sql), {
    start(opened) {
      database = opened
      const followed = followTables(opened)
      tables = followed
      former = tableNames(opened).flatMap((name) => {
        const table = followed.named(name)
        return table === undefined ? [] : [{ name, table }]
      })
    },
    before(statement, effect) {
      if (database === undefined || tables === undefined) return
      const table = takenFrom(effect)
      if (table !== undefined) {
        const known = former.map((one) => one.table)
        copies.push(...findCopies({ database, tables, former: known, statement, table }))
      }
      for (const name of namesOf(effect)) {
        const live = tables.named(name)
        const known = former.find((one) => one.table === live)
        if (known !== undefined) touched.add(known.name)
      }
    },
    after(_, effect) {
      if (effect.changesSchema) tables?.look()
    },
  })
  using after = before.copy()
  for (const { sql } of file.statements) tryStatement(after, sql)
  const change = compareSchemas(before, after)
  const narrows = change.breaks.length > 0 || change.tightens.length > 0
  const takes = provenance.losses.some((loss) => loss.kind !== "part" && classOf(loss) === "loses")
  const names = [...provenance.names].flatMap(([name, now]): [string, string][] => {
    const own = former.find((one) => isSameName(one.name, name))
    return now === undefined || own === undefined ? [] : [[own.name, now]]
  })
  return {
    provenance,
    class: takes ? "destructive" : narrows ? "contract" : "expand",
    ...change,
    moves: provenance.moves,
    touched: [...touched],
    after: readSchema(after),
    names: new Map(names),
    copies: copiesOf(copies, new Map(former.map(({ table, name }) => [table, name]))).map((copy) =>
      withoutTidied(copy, provenance),
    ),
  }
}

/** Columns whose values are trimmed, or filled where they were NULL, are not the same afterwards. */
function withoutTidied(copy: Copy, { losses }: Provenance): Copy {
  const isTidied = (name: string) =>
    losses.some(
      (loss) =>
        loss.kind === "tidied" &&
        isSameName(loss.table, copy.table) &&
        isSameName(loss.column ?? "", name),
    )
  const columns = copy.columns.filter((name) => !isTidied(name))
  return { ...copy, columns, key: copy.key.some(isTidied) ? [] : copy.key }
}

/** A statement that fails on no rows, or at all, is for the database to judge. */
function tryStatement(database: ScratchDatabase, sql: string): void {
  try {
    database.prepare(sql).run()
  } catch {
    // SQLite says so.
  }
}

function takenFrom({ drops, writes }: StatementEffect): string | undefined {
  return drops[0] ?? (writes !== undefined && writes.by !== "insert" ? writes.table : undefined)
}

function namesOf({ drops, writes, follows, byTriggers }: StatementEffect): string[] {
  return [...drops, ...(writes === undefined ? [] : [writes.table]), ...follows, ...byTriggers]
}
