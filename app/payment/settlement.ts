import { and, eq, inArray, isNull, ne, sql } from "drizzle-orm"
import type { BatchItem } from "drizzle-orm/batch"

import { compatibilityResult } from "../compatibility/compatibility-result.table.ts"
import { auditEntry } from "../service/admin/audit-entry.table.ts"
import { audit } from "../service/admin/audit.ts"
import type { Database } from "../service/database/database.ts"
import { sendNamed } from "../service/database/named-batch.ts"
import { log } from "../service/http/log.ts"
import { keptCheckout, keptPayment } from "./kept-payment.table.ts"
import { payment } from "./payment.table.ts"
import type { Settlement } from "./stripe.ts"

type Options = { database: Database; now: Date; settlement: Settlement }

/**
 * Applies an outcome, in one batch with the event that brought it. Idempotent and independent of order,
 * so the webhook and verifyPayment may both bring it, repeatedly: paid wins over failed. What is paid
 * and settles nothing is logged, and listed in the audit log.
 */
export async function settle({ event, ...options }: Options & { event?: BatchItem<"sqlite"> }) {
  const { unmatched = [] } = await sendNamed(options.database, { event, ...effectsOf(options) })
  if (unmatched.length === 0) return
  const { paymentId, sessionId, amount, currency } = options.settlement
  log("warn", "payment.unmatched", {
    payment: paymentId,
    session: sessionId,
    amount: amount ?? undefined,
    currency: currency ?? undefined,
  })
}

/**
 * A buyer can give any payment's id to another checkout of the same provider account, such as a payment
 * link; so only the session that this service opened settles it, and only with the amount that was asked.
 */
function effectsOf({ database, now, settlement }: Options) {
  const { paymentId, sessionId, outcome, amount, currency } = settlement
  if (outcome === "pending") return {}
  const isAsked = (table: typeof payment | typeof keptCheckout | typeof keptPayment) =>
    and(
      eq(table.id, paymentId),
      eq(table.sessionId, sessionId),
      sql`${table.amount} is ${amount} and ${table.currency} is ${currency}`,
    )
  const own = isAsked(payment)
  const update = database.update(payment)
  if (outcome === "failed") {
    return {
      failed: update.set({ status: "failed" }).where(and(own, eq(payment.status, "pending"))),
    }
  }
  const subjectId = sql`(select ${payment.userId} from ${payment} where ${payment.id} = ${paymentId})`
  const entry = { database, actorId: null, subjectId }
  const detail = `${paymentId} ${sessionId} ${amount} ${currency}`
  return {
    entry: audit({
      ...entry,
      action: "settle_payment",
      detail: paymentId,
      when: sql`exists (select 1 from ${payment} where ${own} and ${payment.status} <> 'paid')`,
    }),
    paid: update.set({ status: "paid", paidAt: now }).where(and(own, ne(payment.status, "paid"))),
    unlocked: unlock(database, paymentId, now),
    // Its account may have been deleted meanwhile.
    kept: database
      .insert(keptPayment)
      .select(
        sql`select ${keptCheckout.id}, ${keptCheckout.accountHash}, ${keptCheckout.sessionId}, ${keptCheckout.amount}, ${keptCheckout.currency}, ${now.getTime()}
        from ${keptCheckout} where ${isAsked(keptCheckout)}`,
      )
      .onConflictDoNothing(),
    checkout: database.delete(keptCheckout).where(isAsked(keptCheckout)),
    unmatched: paymentId.startsWith("payment_")
      ? audit({
          ...entry,
          action: "payment_unmatched",
          detail,
          when: sql`not exists (select 1 from ${payment} where ${own} and ${payment.status} = 'paid')
            and not exists (select 1 from ${keptPayment} where ${isAsked(keptPayment)})
            and not exists (select 1 from ${auditEntry} where ${auditEntry.subjectId} is ${subjectId}
              and ${auditEntry.action} = 'payment_unmatched' and ${auditEntry.detail} = ${detail})`,
        })
      : undefined,
  }
}

/** Unlocks the result that the payment is for, if it is paid. */
export function unlock(database: Database, paymentId: string, now: Date) {
  const paidFor = database
    .select({ id: payment.resultId })
    .from(payment)
    .where(and(eq(payment.id, paymentId), eq(payment.status, "paid")))
  return database
    .update(compatibilityResult)
    .set({ paymentId, unlockedAt: now })
    .where(and(inArray(compatibilityResult.id, paidFor), isNull(compatibilityResult.unlockedAt)))
}
