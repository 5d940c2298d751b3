import type { Migration } from "../files/migration-files.ts"
import { parseScript } from "../lint/parsed-script.ts"
import { isOwnTable } from "../names.ts"
import type { Watched } from "../provenance/moment.ts"
import { type Provenance, traceFile } from "../provenance/provenance.ts"
import { runFile } from "../provenance/run.ts"
import { classOf } from "../provenance/wording.ts"
import { readSchema, type Table, tableNames } from "../schema/schema.ts"
import type { ScratchDatabase } from "../schema/scratch-database.ts"
import type { StatementEffect } from "../schema/statement-effect.ts"
import { definitionOf } from "./checks.ts"
import { type Copy, followCopies } from "./copies.ts"
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
  /** Tables of before, by their name of then, that the file drops or whose rows it writes. */
  touched: string[]
  /** Those of them of which the file may take rows or values: what only adds takes none. */
  taken: string[]
  /** The tables when the file has run. */
  after: Table[]
  /** Names of the tables of before when the file has run; without those that go. */
  names: Map<string, string>
  /** Tables of before that can be compared with a copy before they are dropped, by their names. */
  copies: Map<string, Copy>
}

/** @param before the schema that the file finds; it is not changed */
export function classify(before: ScratchDatabase, file: Migration): Classification {
  const touched = new Set<string>()
  const taken = new Set<string>()
  let watched: Watched | undefined
  let copies: ReturnType<typeof followCopies> | undefined
  const statements = parseScript(file.sql)
  const provenance = traceFile(before, statements, {
    names: file.names,
    start(started) {
      watched = started
      copies = followCopies(started.tables, statements)
    },
    before(statement, effect) {
      copies?.before(statement, effect)
      const isAdding = adds(before, file.statements[statement - 1]?.sql ?? "", effect)
      for (const name of namesOf(effect)) {
        const live = watched?.tables.named(name)
        const known = watched?.known.find((one) => one.live === live)?.held.name
        if (known === undefined) continue
        touched.add(known)
        if (!isAdding || name !== effect.writes?.table) taken.add(known)
      }
    },
  })
  const known = watched?.known ?? []
  using after = before.copy()
  runFile(after, file.statements, { goOn: true })
  const change = compareSchemas(before, after)
  const narrows = change.breaks.length > 0 || change.tightens.length > 0
  const takes = provenance.losses.some((loss) => loss.kind !== "part" && classOf(loss) === "loses")
  const names = known.flatMap(({ held: { name } }): [string, string][] => {
    const now = provenance.names.get(name.toLowerCase())
    return now === undefined ? [] : [[name, now]]
  })
  return {
    provenance,
    class: takes ? "destructive" : narrows ? "contract" : "expand",
    ...change,
    touched: [...touched],
    // What cannot be tried here may take anything.
    taken: (provenance.blocked === undefined ? [...taken] : tableNames(before)).filter(
      (name) => !isOwnTable(name, file.names),
    ),
    after: readSchema(after),
    names: new Map(names),
    copies: new Map(
      known.flatMap(({ held: { name }, live }) => {
        const places = provenance.places.filter(({ from }) => from === name)
        const copy = copies?.copyOf(live, places)
        return copy === undefined ? [] : [[name, copy] as const]
      }),
    ),
  }
}

/** An INSERT that leaves alone what is there, whatever the table does on a conflict. */
function adds(before: ScratchDatabase, sql: string, { writes }: StatementEffect): boolean {
  const isMet = /\b(?:replace|conflict)\b/i.test(sql)
  return (
    writes?.by === "insert" && !isMet && !definitionOf(before, writes.table).includes("replace")
  )
}

function namesOf({ drops, writes, follows, byTriggers }: StatementEffect): string[] {
  return [...drops, ...(writes === undefined ? [] : [writes.table]), ...follows, ...byTriggers]
}
