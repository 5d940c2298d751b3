import { randomBytes } from "node:crypto"
import { join } from "node:path"
import { setTimeout as delay } from "node:timers/promises"

import { type Database, countRows } from "@accounts-stack/d1-migrations/d1"
import * as z from "zod"

import { counted } from "../../../base/counted.ts"
import { Failure, isFailure, messageOf } from "../../../base/failure.ts"
import type { DatabasePlace } from "../../../deploy/api.ts"
import { createPrivateFolder } from "../../process/local-process.ts"
import { uploadOf, writePrivately } from "../backup/backup.ts"
import { type Dump, writeOrdered } from "../backup/dump.ts"
import { beginTimeout, pathOf, importDump } from "../d1-account.ts"
import { dropStatements } from "../fresh.ts"
import type { Site } from "./maintenance-worker.ts"

type Place = DatabasePlace & { database: Database }

type Options = {
  /** Milliseconds to wait for a restore whose response was lost. */
  patience: number
  say: (line: string) => void
}

/** `message` is text for the user. The local D1 names the restore point in it. */
const Restored = z.object({ bookmark: z.string(), message: z.string().optional() })

const pollInterval = 1000

const prefix = "_accounts_restore_"

/**
 * Restores a database by Time Travel. The request is never repeated: a second restore might still run when
 * the service writes again. If the response is lost, a mark shows the result: a table that is created right before the
 * request, and that a restore removes.
 * @throws Failure API_FAILED with `lost` if the result is unknown
 */
export async function restoreBookmark(
  place: Place,
  bookmark: string,
  options: Options,
): Promise<void> {
  const { api, database } = place
  const mark = await makeMark(database, options)
  const query = new URLSearchParams({ bookmark })
  const path = `${pathOf(place)}/time_travel/restore?${query.toString()}`
  try {
    const { message } = await api.post(path, undefined, Restored, beginTimeout)
    if (message) options.say(message)
  } catch (error) {
    const lost = isFailure(error, "API_FAILED") && error.facts.lost
    if (lost) await expectDone(database, { ...options, mark, error })
    else {
      await removeMarks(database)
      throw error
    }
  }
  await removeMarks(database)
}

type Lost = Options & { mark: string | undefined; error: unknown }

/** Waits until the mark is gone. @throws Failure API_FAILED if it is not gone in time */
async function expectDone(database: Database, { mark, error, patience, say }: Lost): Promise<void> {
  say(`${messageOf(error)}. It is not sent again: the database is asked what became of it`)
  const deadline = Date.now() + patience
  let marker = "nothing in it tells"
  if (mark !== undefined) {
    do {
      try {
        if (!(await marksOf(database)).includes(mark)) return
        marker = "the database is as it was before it"
      } catch (unanswered) {
        marker = messageOf(unanswered)
      }
      await delay(pollInterval)
    } while (Date.now() < deadline)
  }
  const message = `Whether D1 has restored the database, or still will, is not known: ${marker} (${messageOf(error)}). Nothing was sent again or put back. Traffic stays stopped. Run the same command again to repeat it, or with --undo to return to the state before it.`
  throw new Failure("API_FAILED", message, { facts: { lost: true }, cause: error })
}

/** Creates the mark. Returns undefined if D1 refuses a table, for example if full: a restore must still work. */
async function makeMark(database: Database, { say }: Options): Promise<string | undefined> {
  const mark = prefix + randomBytes(8).toString("hex")
  try {
    await database.ask(`CREATE TABLE IF NOT EXISTS ${mark} (at TEXT)`)
    return mark
  } catch (error) {
    say(`a lost answer could not be made good: ${messageOf(error)}`)
    return undefined
  }
}

async function marksOf(database: Database): Promise<string[]> {
  const objects = await database.objects()
  return objects.map(({ name }) => name).filter((name) => name.startsWith(prefix))
}

/**
 * Removes all marks, including marks of killed runs. If this fails, the next restore removes them.
 */
async function removeMarks(database: Database): Promise<void> {
  const remove = async () => {
    for (const mark of await marksOf(database)) await database.ask(`DROP TABLE IF EXISTS ${mark}`)
  }
  await remove().catch(() => undefined)
}

/** Replaces all content of a database by the content of a file, in one import: all or nothing. */
export async function importFile(
  site: DatabasePlace & Pick<Site, "database">,
  { file, dump }: { file: string; dump: Dump },
): Promise<void> {
  await using folder = await createPrivateFolder()
  const script = join(folder.path, "restore.sql")
  const before = dropStatements(await site.database.allObjects())
  const header = dump.header || "restored"
  await writePrivately(script, (output) => writeOrdered({ file, dump, output, header, before }))
  // An import that has begun must not be interrupted.
  await importDump(site, await uploadOf(script), { signal: new AbortController().signal })
}

/** Finds problems after a restore. `rows` are the expected row counts by table, if they are known. */
export async function findProblems(
  { database }: Pick<Site, "database">,
  rows: Map<string, number> | undefined,
): Promise<string[]> {
  const { orphans } = await database.recorded()
  const problems = orphans.map(
    ({ name }) => `the ledger lacks ${name}, which is recorded beside it`,
  )
  const rowCounts = await countRows(database, await database.allObjects())
  for (const [table, expected] of rows ?? []) {
    if (table.startsWith("sqlite_") || rowCounts.get(table) === expected) continue
    problems.push(
      `${table} has ${counted(rowCounts.get(table) ?? 0, "row")} instead of ${expected}`,
    )
  }
  // Cloudflare has refused this pragma before (cloudflare/workers-sdk#5598).
  const dangling = await database.ask("PRAGMA foreign_key_check").catch((error: unknown) => {
    problems.push(...(/not authorized/i.test(messageOf(error)) ? [] : [messageOf(error)]))
    return []
  })
  const { length } = dangling
  if (length > 0) problems.push(`${counted(length, "row")} with a reference to what is not there`)
  return problems
}
