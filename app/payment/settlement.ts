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

/** Milliseconds. Bank debits take up to 14 days to succeed or fail: https://docs.stripe.com/payments/bank-debits */
const longestTransfer = 14 * 24 * 60 * 60 * 1000

/**
 * Applies a payment's outcome, in one batch with its event. It is idempotent and order-independent, so the webhook and
 * verifyPayment may both apply it repeatedly: paid overrides failed. A payment that unlocks nothing is logged, and
 * gets an audit entry.
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
 * Settles only the session that this service opened, and only with the expected amount. A buyer can send any payment's
 * id in another checkout of the same provider account, such as a payment link.
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
    // Clears the URL of the finished checkout. No new checkout is opened until the transfer succeeds or fails.
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
      // Prevents a second payment for the same result.
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
      // The payment's account may have been deleted since.
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

/** Ends a checkout at the provider. If that fails, the checkout expires within the hour. */
export async function endCheckout(payments: Payments, session: string | null) {
  if (session === null) return
  await payments.expireCheckout(session).catch((error: unknown) => {
    log("warn", "payment.not_expired", { session, reason: reasonOf(error) })
  })
}

/** Unlocks the result of the payment, if it is paid and the condition is true. */
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
 * Applies a refund or dispute of a paid payment, in one batch with its event. A full refund locks the result again,
 * unless another payment has paid for it. A partial refund or an open dispute locks nothing. Repeated events change
 * nothing. For a deleted account there is only an audit entry, for the operator.
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
