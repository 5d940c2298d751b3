import type { Migration } from "../files/migration-files.ts"
import { ofReferences, runFile } from "../reading/run.ts"
import { isSameName } from "../schema/schema.ts"
import { type SchemaObject, scratchDatabaseOf } from "../schema/scratch-database.ts"

/** D1's own words for what its authorizer refuses. */
const refused = /not authorized|To execute a transaction/

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
  const { steps } = runFile(database, file.statements, { goOn: true })
  const at = steps.findIndex(({ failure = ofReferences }) => {
    // Of references the rows decide, which are not here.
    if (failure === ofReferences) return false
    return reason.includes(failure) || (refused.test(failure) && refused.test(reason))
  })
  if (at >= 0) return at + 1
  const table = constrainedTable(reason)
  if (table === undefined) return undefined
  const writers = steps.flatMap(({ effect }, index) => {
    const touched = [...(effect?.indexes ?? []), effect?.writes?.table ?? ""]
    return touched.some((name) => isSameName(name, table)) ? [index + 1] : []
  })
  return writers.length === 1 ? writers[0] : undefined
}

/** As in `UNIQUE constraint failed: user.email, user.name`. */
function constrainedTable(reason: string): string | undefined {
  return /(?:UNIQUE|NOT NULL) constraint failed: (.+?)\.[^.]+/.exec(reason)?.[1]
}
