import { ofReferences, runFile } from "../analysis/run.ts"
import { failedQuery } from "../d1/d1.ts"
import type { Database } from "../d1/database.ts"
import { type FailureFacts, messageOf } from "../failure.ts"
import type { Migration } from "../files/migration-files.ts"
import { guardMessage, momentMark } from "../guard/refusal-statement.ts"
import type { Applied } from "../ledger/migration-status.ts"
import { isSameName } from "../schema/schema.ts"
import { scratchDatabaseOf } from "../schema/scratch-database.ts"
import { placeOf } from "../sql/statement-place.ts"

export type ApiFailure = Error & { facts: FailureFacts["API_FAILED"] }

type FailedMigration = {
  database: Database
  file: Migration
  error: ApiFailure
  applied: Applied[]
}

/** Explains why a file was not applied, if known, and how to proceed. */
export async function explainFailure(failed: FailedMigration): Promise<string> {
  const { file, error, applied } = failed
  const { lost, status, code } = error.facts
  const last = applied.at(-1)?.name
  const head = last === undefined ? "it has no migration yet" : `its newest file is ${last}`
  const moved = guardMessage(error.message, momentMark)
  if (moved !== undefined) {
    return `${file.name} was not applied: ${moved}. Another run or a hand changed the database, and nothing of the file is in it. Run again: the file is then judged again.`
  }
  const findings = guardMessage(error.message)
  if (findings !== undefined) {
    return `${file.name} was not applied: the row guard failed it. Nothing of it is in the database; ${head}. What it found, each with the line that says it is meant:\n${findings.trimEnd()}`
  }
  // Only SQLite's errors can be the file's fault. Other errors occurred before SQLite, or their cause is unknown.
  const isRefusedBySqlite =
    !lost && status === 400 && (code === failedQuery || /SQLITE_[A-Z]/.test(error.message))
  const number = isRefusedBySqlite ? await locateFailure(failed).catch(() => undefined) : undefined
  const where = number === undefined ? file.name : placeOf(file, number)
  const [state, advice] = isRefusedBySqlite
    ? [
        "Nothing of it is in the database",
        "Correct the file, which is recorded nowhere yet, and run again.",
      ]
    : lost
      ? [
          "The ledger does not have it, and the database undid a failed request just before",
          "Run again.",
        ]
      : ["Cloudflare refused the request before any of the file ran", adviceFor(status)]
  const isMade = last === undefined && /already exists/.test(error.message)
  const adopt = isMade
    ? ` If another tool has migrated the database, \`${file.names.command} baseline\` records what it has.`
    : ""
  return `${where} was not applied: ${error.message}. ${state}; ${head}. ${advice}${adopt}`
}

const permission = "Give the token the permission D1:Edit for this account, and run again."

const advices = new Map([
  [401, permission],
  [403, permission],
  [404, "See whether the account and the database still exist, and run again."],
  [413, "The request is larger than the API takes: split the file in two, and run again."],
  [429, "Too many requests reach Cloudflare: wait, and run again."],
])

/** Returns advice for a response that has no information about the SQL. */
export function adviceFor(status: number | undefined): string {
  return advices.get(status ?? 0) ?? "No file is at fault: run again when the reason is gone."
}

/** D1's texts for statements that its authorizer rejects. */
const refused = /not authorized|To execute a transaction/

/**
 * Returns the number (from 1) of the statement that failed, which D1 does not report. Runs the file in memory on the
 * database's schema. If the failure depends on rows, returns the only statement that writes the named table; undefined
 * if there is not exactly one.
 */
async function locateFailure({ database, file, error }: FailedMigration) {
  const reason = messageOf(error)
  using scratch = scratchDatabaseOf(await database.objects())
  const { steps } = runFile(scratch, file.statements, { goOn: true })
  const at = steps.findIndex(({ failure = ofReferences }) => {
    // Foreign-key failures depend on rows, which are missing here.
    if (failure === ofReferences) return false
    return reason.includes(failure) || (refused.test(failure) && refused.test(reason))
  })
  if (at >= 0) return at + 1
  // Matches, for example, `UNIQUE constraint failed: user.email, user.name`.
  const [, table] = /(?:UNIQUE|NOT NULL) constraint failed: (.+?)\.[^.]+/.exec(reason) ?? []
  if (table === undefined) return undefined
  const writers = steps.flatMap(({ effect }, index) => {
    const touched = [...(effect?.indexes ?? []), effect?.writes?.table ?? ""]
    return touched.some((name) => isSameName(name, table)) ? [index + 1] : []
  })
  return writers.length === 1 ? writers[0] : undefined
}
