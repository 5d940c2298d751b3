import { and, eq, isNotNull, lte, sql } from "drizzle-orm"

import type { Services } from "../../services.ts"
import { audit } from "../admin/audit.ts"
import { formerAddress, user } from "../auth/auth.table.ts"
import { deletionStatements, leavesAnOwner } from "../auth/deletion-statements.ts"
import { letterLifetime } from "../auth/owed-letters.ts"
import { createId, sendNamed } from "../database/database.ts"
import { log, reasonOf } from "../http/log.ts"

/** Of one run: each is a batch, and D1 takes so many statements of a run. */
const most = 20

/**
 * Deletes the accounts whose time has come, each by itself: one that fails waits for the next run, and keeps
 * no other waiting.
 */
export async function deleteScheduled(services: Services, now: Date) {
  const due = await services.database
    .select({ id: user.id })
    .from(user)
    .where(and(isNotNull(user.deleteAt), lte(user.deleteAt, now), isNotNull(user.suspendedAt)))
    .orderBy(user.deleteAt)
    .limit(most)
  let deleted = 0
  for (const { id } of due) {
    try {
      if (await deleteAccount(services, id, now)) deleted += 1
    } catch (error) {
      log("error", "deletion.failed", { reason: reasonOf(error) })
    }
  }
  if (due.length > 0) log("info", "deletion.done", { due: due.length, deleted })
}

/** Whether it is: an admin may have taken it back by now. */
async function deleteAccount(
  { database, configuration, letters }: Services,
  id: string,
  now: Date,
) {
  const isDue = sql`exists (select 1 from user where id = ${id} and delete_at <= ${now.getTime()}
    and suspended_at is not null) and ${leavesAnOwner(id)}`
  const { statements, finish } = deletionStatements(database, id, isDue)
  const entryId = createId("audit_entry")
  const until = new Date(now.getTime() + letterLifetime)
  const owed = letters.owed()
  const { entry, deleted, ...results } = await sendNamed(database, {
    entry: audit({
      database,
      id: entryId,
      action: "delete_account",
      actorId: null,
      subjectId: id,
      detail: "scheduled",
      when: isDue,
      letter: owed,
    }),
    // The account's own address is gone by the time of the letter.
    address: database.insert(formerAddress).select(
      sql`select ${entryId}, null, ${user.email}, ${until.getTime()} from ${user}
        where ${eq(user.id, id)} and ${isDue} and ${owed}`,
    ),
    ...statements,
  })
  if (deleted[0] === undefined) return false
  letters.send(entry)
  await finish(results, configuration)
  return true
}
