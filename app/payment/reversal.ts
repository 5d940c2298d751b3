import { and, eq, isNotNull, isNull, sql } from "drizzle-orm"
import type { BatchItem } from "drizzle-orm/batch"

import { compatibilityResult } from "../compatibility/compatibility-result.table.ts"
import { audit } from "../service/admin/audit.ts"
import type { Database } from "../service/database/database.ts"
import { sendNamed } from "../service/database/named-batch.ts"
import { payment } from "./payment.table.ts"
import type { Reversal } from "./stripe.ts"

type Options = { database: Database; now: Date; event: BatchItem<"sqlite">; reversal: Reversal }

/**
 * Applies what became of money that was paid, in one batch with the event that brought it. Who has all of
 * it back has bought nothing, so the result locks again; a part of it, or a dispute that goes on, locks
 * nothing. What is told again changes nothing.
 */
export function reverse({ database, now, event, reversal }: Options) {
  const { paymentId, sessionId, outcome } = reversal
  const changes = {
    refunded: { set: { refundedAt: now }, when: isNull(payment.refundedAt) },
    disputed: { set: { disputedAt: now }, when: isNull(payment.disputedAt) },
    won: { set: { disputedAt: null }, when: isNotNull(payment.disputedAt) },
  }
  const { set, when } = changes[outcome]
  const own = and(eq(payment.id, paymentId), eq(payment.sessionId, sessionId), when)
  return sendNamed(database, {
    event,
    entry: audit({
      database,
      actorId: null,
      subjectId: sql`(select ${payment.userId} from ${payment} where ${own})`,
      action: "reverse_payment",
      detail: `${paymentId} ${outcome}`,
      when: sql`exists (select 1 from ${payment} where ${own})`,
    }),
    changed: database.update(payment).set(set).where(own),
    locked:
      outcome === "refunded"
        ? database
            .update(compatibilityResult)
            .set({ paymentId: null, unlockedAt: null })
            .where(
              sql`${compatibilityResult.paymentId} = ${paymentId} and exists (select 1 from ${payment}
                where ${payment.id} = ${paymentId} and ${payment.refundedAt} = ${now.getTime()})`,
            )
        : undefined,
  })
}
