import { and, eq, isNotNull, isNull, sql } from "drizzle-orm"
import type { BatchItem } from "drizzle-orm/batch"

import { compatibilityResult } from "../compatibility/compatibility-result.table.ts"
import { auditEntry } from "../service/admin/audit-entry.table.ts"
import { audit } from "../service/admin/audit.ts"
import type { Database } from "../service/database/database.ts"
import { sendNamed } from "../service/database/named-batch.ts"
import { keptPayment } from "./kept-payment.table.ts"
import { payment } from "./payment.table.ts"
import type { Reversal } from "./stripe.ts"

type Options = { database: Database; now: Date; event: BatchItem<"sqlite">; reversal: Reversal }

/**
 * Applies what became of money that was paid, in one batch with the event that brought it. Who has all of
 * it back has bought nothing, so the result locks again, unless another payment has paid for it, too; a
 * part of it, or a dispute that goes on, locks nothing. What is told again changes nothing. Money of an
 * account that is deleted has an entry alone, for the operator.
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
  const kept = and(eq(keptPayment.id, paymentId), eq(keptPayment.sessionId, sessionId))
  const detail = `${paymentId} ${outcome}`
  const isListed = sql`exists (select 1 from ${auditEntry} where ${auditEntry.action} = 'reverse_payment'
    and +${auditEntry.subjectId} is null and ${auditEntry.detail} = ${detail})`
  const other = sql`(select other.id from payment as other where other.result_id = compatibility_result.id
    and other.status = 'paid' and other.refunded_at is null limit 1)`
  return sendNamed(database, {
    event,
    entry: audit({
      database,
      actorId: null,
      subjectId: sql`(select ${payment.userId} from ${payment} where ${own})`,
      action: "reverse_payment",
      detail,
      when: sql`(exists (select 1 from ${payment} where ${own})
        or (exists (select 1 from ${keptPayment} where ${kept}) and not ${isListed}))`,
    }),
    changed: database.update(payment).set(set).where(own),
    locked:
      outcome === "refunded"
        ? database
            .update(compatibilityResult)
            .set({
              paymentId: other,
              unlockedAt: sql`case when ${other} is not null then ${compatibilityResult.unlockedAt} end`,
            })
            .where(
              sql`${compatibilityResult.paymentId} = ${paymentId} and exists (select 1 from ${payment}
                where ${payment.id} = ${paymentId} and ${payment.refundedAt} = ${now.getTime()})`,
            )
        : undefined,
  })
}
