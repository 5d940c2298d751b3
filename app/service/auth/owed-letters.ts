import { and, eq, inArray, isNotNull, lt, sql, type SQL } from "drizzle-orm"

import type { Emails } from "../../letters.ts"
import { auditEntry, noticed } from "../admin/audit-entry.table.ts"
import { auditOwn, type OwnAction } from "../admin/audit.ts"
import { afterAnswer } from "../database/bounded-database.ts"
import type { Database } from "../database/database.ts"
import { formerAddress, user } from "./auth.table.ts"

/** Milliseconds after which a letter that was owed counts as lost on its way. */
const patience = 10 * 60 * 1000
/** Milliseconds after which nobody would learn anything from it. */
export const letterLifetime = 3 * 24 * 60 * 60 * 1000
/** Letters of one run. */
const most = 100

/** An entry that owes no email any more. */
const gone = { letterDue: null }

/** Of an entry that says so a former one, of all others that of the account. */
const address = sql<string>`coalesce(${formerAddress.email}, ${user.email})`

export type Letters = ReturnType<typeof createLetters>

/**
 * Letters about what happened to an account. The audit entry of it says that one is owed, in the batch
 * that makes the change, so that no failure between the two leaves the owner without it.
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
      // Only the version that knows an action has words for it. Behind a `+` a column has no index.
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
        // One that is refused goes behind all others, which it must not keep waiting.
        const left = isSent ? gone : { letterDue: new Date() }
        await database.update(auditEntry).set(left).where(eq(auditEntry.id, entry.id))
      }),
    )
  }

  /** Condition under which an entry owes an email. Nobody is owed what this environment cannot send. */
  const owed = (when: SQL = sql`true`) => (emails === undefined ? sql`false` : when)

  return {
    owed,

    /** Statement of an entry about the own account, which owes a letter, in the batch that makes the change. */
    note: (headers: Headers | undefined, own: Omit<OwnAction, "database" | "letter">) =>
      auditOwn({ database, ...own, headers, letter: owed() }),

    /** What an insert of entries returned: nothing waits for their letters. */
    send: (entries: { id: string; letterDue: Date | null }[]) => {
      for (const { id } of entries.filter(({ letterDue }) => letterDue !== null)) {
        // One that fails is sent again.
        afterAnswer(() => send(eq(auditEntry.id, id)))
      }
    },

    /** Sends what did not arrive, and forgets what is too old. */
    retry: async (now: Date) => {
      const before = (time: number) => new Date(now.getTime() - time)
      const isDue = lt(auditEntry.letterDue, before(patience))
      const forget = database.update(auditEntry).set(gone)
      await forget.where(
        and(isDue, sql`+${auditEntry.createdAt} < ${before(letterLifetime).getTime()}`),
      )
      await send(isDue)
    },
  }
}
