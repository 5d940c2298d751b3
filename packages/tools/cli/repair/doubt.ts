import * as z from "zod"

import type { Account } from "../../deploy/api.ts"
import { openDatabase } from "../../environment/own-names.ts"
import { workerPath } from "./find-worker.ts"
import type { Namesake } from "./namesakes.ts"

/**
 * Between what Cloudflare says of a creation and what the run last saved of its state: the request, the
 * three minutes for which Cloudflare's provider sends it again, Cloudflare's rate limit of five minutes,
 * and two clocks.
 */
const longestMinutes = 15

const Versions = z.array(z.unknown())

/**
 * Why a run that failed or was killed may not have made it; undefined if nothing speaks against it.
 * Tables and versions come only after the creation of the database and of the Worker has ended, and what
 * leads to the stack's own Worker is nobody else's.
 * @param run.savedAt when that run last saved the stack's state
 */
export async function doubtAbout(
  { kind, id, created }: Namesake,
  { api, accountId, savedAt }: Account & { savedAt: string | undefined },
): Promise<string | undefined> {
  if (kind === "database") {
    const objects = await openDatabase({ api, accountId, databaseId: id }).allObjects()
    const table = objects.find(({ type }) => type === "table")
    if (table) return `it has tables already, such as ${table.name}`
  } else if (kind === "Worker") {
    const versions = await api.get(`${workerPath(accountId, id)}/versions?per_page=1`, Versions)
    if (versions.length > 0) return "it has a version already"
  } else return undefined
  const minutes = Math.abs(Date.parse(created ?? "") - Date.parse(savedAt ?? "")) / 60_000
  if (minutes <= longestMinutes) return undefined
  return `it was created at ${created ?? "an unknown time"}, and the stack was deployed at ${savedAt ?? "an unknown time"}`
}
