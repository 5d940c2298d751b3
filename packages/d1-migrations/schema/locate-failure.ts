import { messageOf } from "../failure.ts"
import type { Migration } from "../files/migration-files.ts"
import { isSameName } from "./schema.ts"
import { type SchemaObject, scratchDatabaseOf } from "./scratch-database.ts"

/** D1's own words for what its authorizer refuses. */
const refused = /not authorized|To execute a transaction/

/** Needs rows that are not here, so failing here says nothing. */
const ofReferences = "FOREIGN KEY constraint failed"

/**
 * Number (from 1) of the statement that D1 failed with `reason`, which it does not say. Nothing runs
 * on the database again: the file runs in memory, on its schema. Undefined when rows decide and more
 * than one statement, or none, writes the table that the reason names.
 */
export function locateFailure(failed: {
  objects: SchemaObject[]
  file: Migration
  reason: string
}): number | undefined {
  const { objects, file, reason } = failed
  using database = scratchDatabaseOf(objects)
  database.exec("BEGIN")
  const table = constrainedTable(reason)
  const writers: number[] = []
  for (const [index, { sql }] of file.statements.entries()) {
    try {
      const { effect, run } = database.prepare(sql)
      const touched = [...effect.indexes, ...(effect.writes ? [effect.writes.table] : [])]
      if (table !== undefined && touched.some((name) => isSameName(name, table))) {
        writers.push(index + 1)
      }
      run()
    } catch (error) {
      const message = messageOf(error)
      const same = reason.includes(message) || (refused.test(message) && refused.test(reason))
      if (same && message !== ofReferences) return index + 1
    }
  }
  return writers.length === 1 ? writers[0] : undefined
}

/** As in `UNIQUE constraint failed: user.email, user.name`. */
function constrainedTable(reason: string): string | undefined {
  return /(?:UNIQUE|NOT NULL) constraint failed: (.+?)\.[^.]+/.exec(reason)?.[1]
}
