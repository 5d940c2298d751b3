import { waitUntil } from "cloudflare:workers"
import { and, eq, gt, inArray, isNotNull, lt, sql, type SQL } from "drizzle-orm"

import { type Emails, noticed } from "../../letters.ts"
import { auditEntry } from "../admin/audit-entry.table.ts"
import { ofNoRequest } from "../database/bounded-database.ts"
import type { Database } from "../database/database.ts"
import { user } from "./auth.table.ts"

/** Milliseconds after which a letter that was owed counts as lost on its way. */
const patience = 10 * 60 * 1000
/** Milliseconds after which nobody would learn anything from it. */
const lifetime = 3 * 24 * 60 * 60 * 1000

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
        email: user.email,
      })
      .from(auditEntry)
      .innerJoin(user, eq(user.id, auditEntry.subjectId))
      // Only the version that knows an action has words for it.
      .where(and(isNotNull(auditEntry.letterDue), inArray(auditEntry.action, noticed), which))
      .limit(100)
    await Promise.all(
      owed.map(async (entry) => {
        if (!(await emails?.sendNotice(entry))) return
        const sent = database.update(auditEntry).set({ letterDue: null })
        await sent.where(eq(auditEntry.id, entry.id))
      }),
    )
  }

  return {
    /** Condition under which an entry owes one. Nobody is owed what this environment cannot send. */
    owed: (when: SQL = sql`true`) => (emails === undefined ? sql`false` : when),

    /** What an insert of entries returned: nothing waits for their letters. */
    send: (entries: { id: string; letterDue: Date | null }[]) => {
      for (const { id } of entries.filter(({ letterDue }) => letterDue !== null)) {
        // Why it failed is in the log, and it is sent again.
        waitUntil(ofNoRequest(() => send(eq(auditEntry.id, id))).catch(() => {}))
      }
    },

    /** Sends what did not arrive. */
    retry: (now: Date) =>
      send(
        and(
          lt(auditEntry.letterDue, new Date(now.getTime() - patience)),
          gt(auditEntry.letterDue, new Date(now.getTime() - lifetime)),
        ),
      ),
  }
}
