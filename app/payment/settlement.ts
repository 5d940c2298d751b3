import { and, eq, inArray, isNotNull, isNull, ne, sql } from "drizzle-orm"
import type { BatchItem } from "drizzle-orm/batch"

import { compatibilityResult } from "../compatibility/compatibility-result.table.ts"
import { auditEntry } from "../service/platform/audit/audit-entry.table.ts"
import { audit } from "../service/platform/audit/audit.ts"
import { type Database, sendChange } from "../service/platform/database/database.ts"
import { log, reasonOf } from "../service/platform/http/log.ts"
import { keptCheckout, keptPayment, payment } from "./payment.table.ts"
import type { Payments, Reversal, Settlement } from "./stripe.ts"

type Options = { database: Database; payments: Payments; now: Date; settlement: Settlement }

/** Milliseconds: https://docs.stripe.com/payments/bank-debits has up to 14 days, and says when one fails. */
const longestTransfer = 14 * 24 * 60 * 60 * 1000

/**
 * Applies an outcome, in one batch with the event that brought it. Idempotent and independent of order,
 * so the webhook and verifyPayment may both bring it, repeatedly: paid wins over failed. What is paid
 * and unlocks nothing is logged, and listed in the audit log.
 */
export async function settle({ event, ...options }: Options & { event?: BatchItem<"sqlite"> }) {
  const { entry, change, after } = effectsOf(options)
  const effects = await sendChange(options.database, {
    before: { event, entry },
    change: { ...change },
    after: { ...after },
  })
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
  const isPayment = isAsked(payment)
  const update = database.update(payment)
  if (outcome === "failed") {
    const failed = update
      .set({ status: "failed" })
      .where(and(isPayment, eq(payment.status, "pending")))
    return { change: { failed } }
  }
  if (outcome === "processing") {
    // Without its page, which is over: no other checkout is opened, until the money comes or fails to.
    const expiresAt = new Date(now.getTime() + longestTransfer)
    const isWaiting = and(isPayment, eq(payment.status, "pending"))
    return { change: { processing: update.set({ checkoutUrl: null, expiresAt }).where(isWaiting) } }
  }
  const subjectId = sql`(select ${payment.userId} from ${payment} where ${payment.id} = ${paymentId})`
  const entry = { database, actorId: null, subjectId }
  const detail = `${paymentId} ${sessionId} ${amount} ${currency}`
  return {
    entry: audit({
      ...entry,
      action: "settle_payment",
      detail: paymentId,
      when: sql`exists (select 1 from ${payment} where ${isPayment} and ${payment.status} <> 'paid')`,
    }),
    change: {
      paid: update
        .set({ status: "paid", paidAt: now })
        .where(and(isPayment, ne(payment.status, "paid"))),
    },
    after: {
      unlocked: unlock(database, paymentId, now),
      // A result must not be paid for twice.
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
              where ${isPayment} and ${payment.status} = 'paid')
            and not exists (select 1 from ${payment} where ${isPayment} and ${payment.refundedAt} is not null)
            and not exists (select 1 from ${keptPayment} where ${isAsked(keptPayment)})
            and not exists (select 1 from ${auditEntry} where ${auditEntry.subjectId} is ${subjectId}
              and ${auditEntry.action} = 'payment_unmatched' and ${auditEntry.detail} = ${detail})`,
          })
        : undefined,
    },
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

type Reversing = { database: Database; now: Date; event: BatchItem<"sqlite">; reversal: Reversal }

/**
 * Applies what became of money that was paid, in one batch with the event that brought it. Who has all of
 * it back has bought nothing, so the result locks again, unless another payment has paid for it, too; a
 * part of it, or a dispute that goes on, locks nothing. What is told again changes nothing. Money of an
 * account that is deleted has an entry alone, for the operator.
 */
export function reverse({ database, now, event, reversal }: Reversing) {
  const { paymentId, sessionId, outcome } = reversal
  const changes = {
    refunded: { set: { refundedAt: now }, when: isNull(payment.refundedAt) },
    disputed: { set: { disputedAt: now }, when: isNull(payment.disputedAt) },
    won: { set: { disputedAt: null }, when: isNotNull(payment.disputedAt) },
  }
  const { set, when } = changes[outcome]
  const reversible = and(eq(payment.id, paymentId), eq(payment.sessionId, sessionId), when)
  const keptRow = and(eq(keptPayment.id, paymentId), eq(keptPayment.sessionId, sessionId))
  const detail = `${paymentId} ${outcome}`
  const isListed = sql`exists (select 1 from ${auditEntry} where ${auditEntry.action} = 'reverse_payment'
    and +${auditEntry.subjectId} is null and ${auditEntry.detail} = ${detail})`
  const otherPayment = sql`(select other.id from payment as other where other.result_id = compatibility_result.id
    and other.status = 'paid' and other.refunded_at is null limit 1)`
  return sendChange(database, {
    before: {
      event,
      entry: audit({
        database,
        actorId: null,
        subjectId: sql`(select ${payment.userId} from ${payment} where ${reversible})`,
        action: "reverse_payment",
        detail,
        when: sql`(exists (select 1 from ${payment} where ${reversible})
        or (exists (select 1 from ${keptPayment} where ${keptRow}) and not ${isListed}))`,
      }),
    },
    change: { changed: database.update(payment).set(set).where(reversible) },
    after: {
      locked:
        outcome === "refunded"
          ? database
              .update(compatibilityResult)
              .set({
                paymentId: otherPayment,
                unlockedAt: sql`case when ${otherPayment} is not null then ${compatibilityResult.unlockedAt} end`,
              })
              .where(
                sql`${compatibilityResult.paymentId} = ${paymentId} and exists (select 1 from ${payment}
                where ${payment.id} = ${paymentId} and ${payment.refundedAt} = ${now.getTime()})`,
              )
          : undefined,
    },
  })
}
