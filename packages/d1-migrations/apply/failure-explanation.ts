import { failedQuery } from "../d1/cloudflare.ts"
import type { Database } from "../d1/database.ts"
import { type FailureFacts, messageOf } from "../failure.ts"
import type { Migration } from "../files/migration-files.ts"
import { guardMessage, otherMoment } from "../guard/refusal-statement.ts"
import type { Applied } from "../ledger/history.ts"
import { placeOf } from "../sql/statement-place.ts"
import { locateFailure } from "./locate-failure.ts"
import { adviceFor } from "./refused-request.ts"

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
  const moved = guardMessage(messageOf(error), otherMoment)
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
  const [found, advice] = bySql
    ? [
        "Nothing of it is in the database",
        "Correct the file, which is recorded nowhere yet, and run again.",
      ]
    : withoutSqlite(error.facts)
  const isMade = last === undefined && /already exists/.test(error.message)
  const adopt = isMade
    ? ` Where another tool has migrated the database, \`${file.names.command} baseline\` records what it has.`
    : ""
  return `${where} was not applied: ${error.message}. ${found}; ${stands}. ${advice}${adopt}`
}

/** Only then can the file be wrong: any other refusal came before SQLite, or nobody knows. */
function isRefusedBySqlite({ facts, message }: ApiFailure): boolean {
  const says = facts.code === failedQuery || /SQLITE_[A-Z]/.test(message)
  return !facts.lost && facts.status === 400 && says
}

function withoutSqlite({ lost, status }: FailureFacts["API_FAILED"]): [string, string] {
  if (lost) {
    const found = "The ledger does not have it, and the database undid a failed request just before"
    return [found, "Run again."]
  }
  const found = "Cloudflare refused the request before any of the file ran"
  return [found, adviceFor(status)]
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
