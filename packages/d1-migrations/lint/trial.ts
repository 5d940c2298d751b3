import type { Names } from "../names.ts"
import { type Provenance, traceFile } from "../provenance/provenance.ts"
import { runFile } from "../provenance/run.ts"
import { readSchema, type Table } from "../schema/schema.ts"
import {
  type SchemaObject,
  type ScratchDatabase,
  scratchDatabaseOf,
} from "../schema/scratch-database.ts"
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
  /** And those that it leaves, as far as that is known without the rows. */
  after: Table[]
  /** The objects of the schema that it finds. */
  objects: SchemaObject[]
}

export function tryFile(database: ScratchDatabase, script: string, own: Names): Trial {
  const statements = parseScript(script)
  const before = readSchema(database)
  const traced = traceFile(database, statements, { names: own })
  using left = scratchDatabaseOf(database.objects())
  runFile(left, statements, { goOn: true })
  const { onNothing, blocked } = traced
  return {
    ...traced,
    script,
    own,
    before,
    after: readSchema(left),
    objects: database.objects(),
    steps: statements.map((statement, index) => {
      const onRows = blocked?.statement === index + 1 ? blocked.message : undefined
      return Object.assign(statement, { failure: onNothing[index]?.failure ?? onRows })
    }),
  }
}
