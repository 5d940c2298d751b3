import type { Names } from "../names.ts"
import { type Provenance, traceFile } from "../provenance/provenance.ts"
import { readSchema, type Table } from "../schema/schema.ts"
import type { ScratchDatabase } from "../schema/scratch-database.ts"
import { type ParsedStatement, parseScript } from "./parsed-script.ts"

export type Step = ParsedStatement & {
  /** SQLite's or D1's reason when it fails on no rows, or on all that were made up. */
  failure: string | undefined
}

/** What a file does to a schema with rows in it. */
export type Trial = Provenance & {
  script: string
  own: Names
  steps: Step[]
  /** The tables that it finds. */
  before: Table[]
}

export function tryFile(database: ScratchDatabase, script: string, own: Names): Trial {
  const statements = parseScript(script)
  const before = readSchema(database)
  const traced = traceFile(database, statements, { names: own })
  const { onNothing, blocked } = traced
  return {
    ...traced,
    script,
    own,
    before,
    steps: statements.map((statement, index) => {
      const onRows = blocked?.statement === index + 1 ? blocked.message : undefined
      return Object.assign(statement, { failure: onNothing[index]?.failure ?? onRows })
    }),
  }
}
