import type { Migration } from "../files/migration-files.ts"
import { parseScript } from "../lint/parsed-script.ts"
import { isOwnTable } from "../names.ts"
import { type Trial, tryFile } from "../provenance/trial.ts"
import { classOf } from "../provenance/wording.ts"
import { findTable, quoteName, readSchema, type Table } from "../schema/schema.ts"
import {
  type SchemaObject,
  type ScratchDatabase,
  scratchDatabaseOf,
} from "../schema/scratch-database.ts"
import { type Copy, followCopies } from "./copies.ts"
import { type Reach, reachOf } from "./reach.ts"
import { type Break, compareSchemas, type Tightening } from "./schema-change.ts"

/**
 * What a file does to a schema, from the schemas before and after it and from a row in every table,
 * in a real SQLite. Nothing is recognised by its words.
 */
export type Classification = {
  trial: Trial
  /**
   * `destructive`: rows, values or references go for good. `contract`: else, a name, a view or a freedom that a
   * version may rely on goes (`breaks`, `tightens`). `expand`: all that ran before still runs.
   */
  class: "expand" | "contract" | "destructive"
  /** Fails every version that uses the table or column, whatever the rows are. */
  breaks: Break[]
  /** New rules, which rows of before or writes of former versions may violate. */
  tightens: Tightening[]
  /** What it reaches, without the tables that record migrations. */
  reach: Reach
  /** The tables when the file has run. */
  after: Table[]
  /** Tables of before that can be compared with a copy before they are dropped, by their names. */
  copies: Map<string, Copy>
  /** Rows of before that earlier files have put there, by table: SQL by column. */
  literalRows: Map<string, Record<string, string>[]>
  /** What it finds. */
  objects: SchemaObject[]
}

/**
 * @param before the schema that the file finds; it is not changed
 * @param isEmpty whether the database has no rows but those of earlier files
 */
export function classify(
  before: ScratchDatabase,
  file: Migration,
  isEmpty = false,
): Classification {
  const statements = parseScript(file.sql)
  let copies: ReturnType<typeof followCopies> | undefined
  const trial = tryFile(before, statements, {
    names: file.names,
    isEmpty,
    observe({ tables }) {
      copies = followCopies(tables, statements)
      return copies.before
    },
  })
  using after = scratchDatabaseOf(before.objects())
  const { touched, taken, ...reached } = reachOf(after, file, statements)
  const isForeign = (name: string) => !isOwnTable(name, file.names)
  const change = compareSchemas(before, after)
  const narrows = change.breaks.length > 0 || change.tightens.length > 0
  const takes = trial.losses.some((loss) => loss.kind !== "part" && classOf(loss) === "loses")
  const known = readSchema(before)
  return {
    trial,
    class: takes ? "destructive" : narrows ? "contract" : "expand",
    ...change,
    reach: { touched: touched.filter(isForeign), taken: taken.filter(isForeign), ...reached },
    after: readSchema(after),
    copies: new Map(
      known.flatMap(({ name }) => {
        const places = trial.places.filter(({ from }) => from === name)
        const copy = copies?.copyOf(name, places)
        return copy === undefined ? [] : [[name, copy] as const]
      }),
    ),
    literalRows: literalRowsOf(before, taken.filter(isForeign)),
    objects: before.objects(),
  }
}

function literalRowsOf(database: ScratchDatabase, tables: string[]) {
  const schema = readSchema(database)
  return new Map(
    tables.flatMap((name) => {
      const columns = findTable(schema, name)?.columns.filter(({ generated }) => !generated) ?? []
      const list = columns.map((one) => `quote(${quoteName(one.name)}) AS ${quoteName(one.name)}`)
      if (list.length === 0) return []
      const rows = database.rows(`SELECT ${list.join(", ")} FROM ${quoteName(name)}`)
      const cells = rows.map((row) =>
        Object.fromEntries(Object.entries(row).map(([column, sql]) => [column, String(sql)])),
      )
      return cells.length === 0 ? [] : [[name, cells] as const]
    }),
  )
}
