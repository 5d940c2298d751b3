import { and, eq, inArray, isNull, ne } from "drizzle-orm"

import { compatibilityResult } from "../compatibility/compatibility-result.table.ts"
import type { Database } from "../database.ts"
import { payment } from "./payment.table.ts"
import type { Settlement } from "./provider.ts"

type Options = { database: Database; now: Date; settlement: Settlement }

/**
 * Returns the statements that apply an outcome. They are idempotent and independent of order, so the
 * webhook and verifyPayment may both bring it, repeatedly: paid wins over failed. A buyer can give any
 * payment's id to another checkout of the same provider account, such as a payment link; so only the
 * session that this service opened settles it, and only with the amount that was asked.
 */
export function settle({ database, now, settlement }: Options) {
  const { paymentId, sessionId, outcome, amount, currency } = settlement
  if (outcome === "pending" || amount === null || currency === null) return []
  const own = and(
    eq(payment.id, paymentId),
    eq(payment.sessionId, sessionId),
    eq(payment.amount, amount),
    eq(payment.currency, currency),
  )
  const update = database.update(payment)
  if (outcome === "failed") {
    return [update.set({ status: "failed" }).where(and(own, eq(payment.status, "pending")))]
  }
  return [
    update.set({ status: "paid", paidAt: now }).where(and(own, ne(payment.status, "paid"))),
    unlock(database, paymentId, now),
  ]
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
