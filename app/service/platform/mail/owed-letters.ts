import { and, eq, inArray, isNotNull, lt, sql, type SQL } from "drizzle-orm"

import type { Emails } from "../../../letters.ts"
import { auditEntry, noticed } from "../audit/audit-entry.table.ts"
import { auditOwn, type OwnAction } from "../audit/audit.ts"
import { formerAddress, user } from "../database/auth.table.ts"
import { afterAnswer } from "../database/bounded-database.ts"
import type { Database } from "../database/database.ts"

/** Milliseconds after which an unsent notice counts as lost and is sent again. */
const patience = 10 * 60 * 1000
/** Milliseconds after which a notice is too old to be useful. */
export const letterLifetime = 3 * 24 * 60 * 60 * 1000
/** Limit of emails for one run. */
const most = 100

/** Marks an entry as owing no email. */
const notOwed = { letterDue: null }

/** The previous address if the entry has one, otherwise the account's address. */
const address = sql<string>`coalesce(${formerAddress.email}, ${user.email})`

export type Letters = ReturnType<typeof createLetters>

/**
 * Sends notices about changes of an account. The batch that makes the change also marks its audit entry, so that a
 * failure in between does not lose the notice.
 */
export function createLetters(database: Database, emails: Emails | undefined) {
  const send = async (which: SQL | undefined) => {
    const owed = await database
      .select({
        id: auditEntry.id,
        action: auditEntry.action,
        detail: auditEntry.detail,
        at: auditEntry.createdAt,
        device: auditEntry.device,
        email: address,
        language: user.language,
      })
      .from(auditEntry)
      .leftJoin(formerAddress, eq(formerAddress.id, auditEntry.id))
      .leftJoin(user, eq(user.id, auditEntry.subjectId))
      // Only versions that know an action have its texts. A `+` keeps SQLite from using the column's index.
      .where(
        and(
          isNotNull(auditEntry.letterDue),
          inArray(sql`+${auditEntry.action}`, noticed),
          isNotNull(address),
          which,
        ),
      )
      .orderBy(auditEntry.letterDue)
      .limit(most)
    await Promise.all(
      owed.map(async (entry) => {
        const isSent = await emails?.sendNotice(entry)
        // A rejected email moves to the end of the queue, so that it does not block the rest.
        const change = isSent ? notOwed : { letterDue: new Date() }
        await database.update(auditEntry).set(change).where(eq(auditEntry.id, entry.id))
      }),
    )
  }

  /** Returns the condition under which an entry gets a notice; without a mail service none does. */
  const owed = (when: SQL = sql`true`) => (emails === undefined ? sql`false` : when)

  return {
    owed,

    /**
     * Returns the audit statement, with a notice, for an action on the user's own account. It belongs in the batch
     * that makes the change.
     */
    note: (headers: Headers | undefined, action: Omit<OwnAction, "database" | "letter">) =>
      auditOwn({ database, ...action, headers, letter: owed() }),

    /** Sends the notices of inserted entries. The response does not wait for the emails. */
    send: (entries: { id: string; letterDue: Date | null }[]) => {
      for (const { id } of entries.filter(({ letterDue }) => letterDue !== null)) {
        // A failed notice is sent again later.
        afterAnswer(() => send(eq(auditEntry.id, id)))
      }
    },

    /** Sends overdue notices again, and drops notices that are too old. */
    retry: async (now: Date) => {
      const before = (time: number) => new Date(now.getTime() - time)
      const isDue = lt(auditEntry.letterDue, before(patience))
      const forget = database.update(auditEntry).set(notOwed)
      await forget.where(
        and(isDue, sql`+${auditEntry.createdAt} < ${before(letterLifetime).getTime()}`),
      )
      await send(isDue)
    },
  }
}
