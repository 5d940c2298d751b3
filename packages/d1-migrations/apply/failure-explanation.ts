import { ofReferences, runFile } from "../analysis/run.ts"
import { failedQuery } from "../d1/cloudflare.ts"
import type { Database } from "../d1/database.ts"
import { type FailureFacts, messageOf } from "../failure.ts"
import type { Migration } from "../files/migration-files.ts"
import { guardMessage, momentMark } from "../guard/refusal-statement.ts"
import type { Applied } from "../ledger/migration-status.ts"
import { isSameName } from "../schema/schema.ts"
import { type SchemaObject, scratchDatabaseOf } from "../schema/scratch-database.ts"
import { placeOf } from "../sql/statement-place.ts"

export type ApiFailure = Error & { facts: FailureFacts["API_FAILED"] }

type FailedMigration = {
  database: Database
  file: Migration
  error: ApiFailure
  applied: Applied[]
}

/** Why a file was not applied, where that can be known, and what to do about it. */
export async function explainFailure({ database, file, error, applied }: FailedMigration) {
  const last = applied.at(-1)?.name
  const stands = last === undefined ? "the database has no migration yet" : `it stands at ${last}`
  const moved = guardMessage(messageOf(error), momentMark)
  if (moved !== undefined) {
    return (
      `${file.name} was not applied: ${moved}. Somebody else changed the database meanwhile, and ` +
      `nothing of the file is in it. Run again: the file is then judged anew.`
    )
  }
  const guarded = guardMessage(messageOf(error))
  if (guarded !== undefined) {
    return (
      `${file.name} was not applied: the row guard failed it. Nothing of it is in the database; ${stands}. ` +
      `What it found, each with the line that says it is meant:\n${guarded.trimEnd()}`
    )
  }
  const bySql = isRefusedBySqlite(error)
  const number = bySql ? await locate({ database, file, error }) : undefined
  const where = number === undefined ? file.name : placeOf(file, number)
  const [state, advice] = bySql
    ? [
        "Nothing of it is in the database",
        "Correct the file, which is recorded nowhere yet, and run again.",
      ]
    : withoutSqlite(error.facts)
  const isMade = last === undefined && /already exists/.test(error.message)
  const adopt = isMade
    ? ` Where another tool has migrated the database, \`${file.names.command} baseline\` records what it has.`
    : ""
  return `${where} was not applied: ${error.message}. ${state}; ${stands}. ${advice}${adopt}`
}

/** Only then can the file be wrong: any other refusal came before SQLite, or its cause is unknown. */
function isRefusedBySqlite({ facts, message }: ApiFailure): boolean {
  const says = facts.code === failedQuery || /SQLITE_[A-Z]/.test(message)
  return !facts.lost && facts.status === 400 && says
}

function withoutSqlite({ lost, status }: FailureFacts["API_FAILED"]): [string, string] {
  if (lost) {
    const state = "The ledger does not have it, and the database undid a failed request just before"
    return [state, "Run again."]
  }
  const state = "Cloudflare refused the request before any of the file ran"
  return [state, adviceFor(status)]
}

/** The file has failed and will be said to have: if the schema cannot be read, without a place. */
async function locate(failed: Omit<FailedMigration, "applied">): Promise<number | undefined> {
  const { database, file, error } = failed
  try {
    return locateFailure({ objects: await database.objects(), file, reason: messageOf(error) })
  } catch {
    return undefined
  }
}

const permission = "Give the token the permission D1:Edit for this account, and run again."

const advices = new Map([
  [401, permission],
  [403, permission],
  [404, "See whether the account and the database still exist, and run again."],
  [413, "The request is larger than the API takes: split the file in two, and run again."],
  [429, "Too many requests reach Cloudflare at the moment: wait, and run again."],
])

/** What to do about an answer that says nothing about the SQL. */
export function adviceFor(status: number | undefined): string {
  return advices.get(status ?? 0) ?? "No file is at fault: run again when the reason is gone."
}

/** D1's own words for what its authorizer refuses. */
const refused = /not authorized|To execute a transaction/

/**
 * Number (from 1) of the statement that D1 failed with `reason`, which it does not say. Nothing runs
 * on the database again: the file runs in memory, on its schema. Undefined when rows decide and more
 * than one statement, or none, writes the table that the reason names.
 */
function locateFailure(failed: {
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
