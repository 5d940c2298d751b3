import { and, eq, inArray, isNull, ne, sql } from "drizzle-orm"
import type { BatchItem } from "drizzle-orm/batch"

import { compatibilityResult } from "../compatibility/compatibility-result.table.ts"
import { auditEntry } from "../service/admin/audit-entry.table.ts"
import { audit } from "../service/admin/audit.ts"
import type { Database } from "../service/database/database.ts"
import { sendNamed } from "../service/database/named-batch.ts"
import { log, reasonOf } from "../service/http/log.ts"
import { keptCheckout, keptPayment } from "./kept-payment.table.ts"
import { payment } from "./payment.table.ts"
import type { Payments, Settlement } from "./stripe.ts"

type Options = { database: Database; payments: Payments; now: Date; settlement: Settlement }

/** Milliseconds: https://docs.stripe.com/payments/bank-debits has up to 14 days, and says when one fails. */
const longestTransfer = 14 * 24 * 60 * 60 * 1000

/**
 * Applies an outcome, in one batch with the event that brought it. Idempotent and independent of order,
 * so the webhook and verifyPayment may both bring it, repeatedly: paid wins over failed. What is paid
 * and unlocks nothing is logged, and listed in the audit log.
 */
export async function settle({ event, ...options }: Options & { event?: BatchItem<"sqlite"> }) {
  const effects = await sendNamed(options.database, { event, ...effectsOf(options) })
  const { unmatched = [], others = [] } = effects
  await Promise.all(others.map(({ sessionId }) => endCheckout(options.payments, sessionId)))
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
function effectsOf({ database, now, settlement }: Omit<Options, "payments">) {
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
  if (outcome === "processing") {
    // Without its page, which is over: no other checkout is opened, until the money comes or fails to.
    const expiresAt = new Date(now.getTime() + longestTransfer)
    const isWaiting = and(own, eq(payment.status, "pending"))
    return { processing: update.set({ checkoutUrl: null, expiresAt }).where(isWaiting) }
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
    // Nobody must pay for the same once more.
    others: update
      .set({ status: "failed" })
      .where(
        and(
          eq(payment.status, "pending"),
          sql`${payment.resultId} = (select paid.result_id from payment as paid
            where paid.id = ${paymentId} and paid.status = 'paid' and paid.refunded_at is null)`,
        ),
      )
      .returning({ sessionId: payment.sessionId }),
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
          when: sql`not exists (select 1 from ${payment} join ${compatibilityResult}
              on ${compatibilityResult.id} = ${payment.resultId} and ${compatibilityResult.paymentId} = ${payment.id}
              where ${own} and ${payment.status} = 'paid')
            and not exists (select 1 from ${payment} where ${own} and ${payment.refundedAt} is not null)
            and not exists (select 1 from ${keptPayment} where ${isAsked(keptPayment)})
            and not exists (select 1 from ${auditEntry} where ${auditEntry.subjectId} is ${subjectId}
              and ${auditEntry.action} = 'payment_unmatched' and ${auditEntry.detail} = ${detail})`,
        })
      : undefined,
  }
}

/** Where the provider does not end it now, its page ends by itself, within the hour. */
export async function endCheckout(payments: Payments, session: string | null) {
  if (session === null) return
  await payments.expireCheckout(session).catch((error: unknown) => {
    log("warn", "payment.not_expired", { session, reason: reasonOf(error) })
  })
}

/** Unlocks the result that the payment is for, if it is paid, and the condition holds. */
export function unlock(database: Database, paymentId: string, now: Date, when = sql`true`) {
  const paidFor = database
    .select({ id: payment.resultId })
    .from(payment)
    .where(and(eq(payment.id, paymentId), eq(payment.status, "paid"), isNull(payment.refundedAt)))
  return database
    .update(compatibilityResult)
    .set({ paymentId, unlockedAt: now })
    .where(
      and(inArray(compatibilityResult.id, paidFor), isNull(compatibilityResult.unlockedAt), when),
    )
}
