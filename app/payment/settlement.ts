import { and, eq, inArray, isNull, ne } from "drizzle-orm"

import { compatibilityResult } from "../compatibility/compatibility-result.table.ts"
import type { Database } from "../database.ts"
import { payment } from "./payment.table.ts"
import type { Outcome } from "./provider.ts"

type Settlement = {
  database: Database
  paymentId: string
  outcome: Outcome
  now: Date
}

/**
 * Returns the statements that apply an outcome. They are idempotent and independent of order, so the
 * webhook and verifyPayment may both bring it, repeatedly: paid wins over failed.
 */
export function settle({ database, paymentId, outcome, now }: Settlement) {
  if (outcome === "pending") return []
  const update = database.update(payment)
  if (outcome === "failed") {
    const pending = and(eq(payment.id, paymentId), eq(payment.status, "pending"))
    return [update.set({ status: "failed" }).where(pending)]
  }
  const unpaid = and(eq(payment.id, paymentId), ne(payment.status, "paid"))
  return [
    update.set({ status: "paid", paidAt: now }).where(unpaid),
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
