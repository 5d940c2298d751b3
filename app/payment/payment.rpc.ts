import { and, eq, getTableColumns, isNull, lte, sql } from "drizzle-orm"
import * as z from "zod"

import { compatibilityResult } from "../compatibility/compatibility-result.table.ts"
import { isWithinLimit } from "../service/guard/rate-limit.ts"
import { createId, rowIf, sendNamed } from "../service/platform/database/database.ts"
import type { Collections } from "../service/platform/database/records.ts"
import { failing } from "../service/platform/http/failure.ts"
import { log, reasonOf } from "../service/platform/http/log.ts"
import { pageOf, pageOfRows, Paging, valuesOf } from "../service/platform/rpc/pagination.ts"
import { ownRows } from "../service/session/own-rows.ts"
import { member, nearReader } from "../service/session/procedures.ts"
import type { Services } from "../services.ts"
import { keepCheckout } from "./payment-records.ts"
import { PaymentStatus, statusOf } from "./payment-status.ts"
import { dailyPayments, payment } from "./payment.table.ts"
import { settle } from "./settlement.ts"

const day = 24 * 60 * 60 * 1000
const price = { amount: 499, currency: "eur" }
/** Milliseconds that a checkout stays open. */
const checkoutLifetime = 60 * 60 * 1000
/** Milliseconds. The provider rejects a checkout that expires earlier; this includes time for the request. */
const shortestLifetime = 35 * 60 * 1000

const Payment = z.object({
  id: z.string(),
  resultId: z.string(),
  status: PaymentStatus,
  amount: z.int(),
  currency: z.string(),
  createdAt: z.date(),
  paidAt: z.date().nullable(),
})

const columns = { ...getTableColumns(payment), status: statusOf(payment) }

/** Returns null and logs the error if the provider cannot be reached. */
export async function reached<Value>(promise: Promise<Value>) {
  try {
    return await promise
  } catch (error) {
    log("error", "payment.unavailable", { reason: reasonOf(error) })
    return null
  }
}

const createCheckout = member
  .errors({
    ...failing("PAYMENT_NOT_CONFIGURED", "PAYMENT_UNAVAILABLE"),
    NOT_FOUND: { status: 404, message: "Compatibility result not found" },
    PAYMENT_PROCESSING: { status: 409, message: "A payment for these insights is on its way" },
    ALREADY_UNLOCKED: { status: 409, message: "These deep insights have already been paid for" },
  })
  .input(z.strictObject({ resultId: z.string().max(64) }))
  .output(z.object({ paymentId: z.string(), url: z.url(), expiresAt: z.date() }))
  .handler(async ({ context, input, errors }) => {
    const { configuration, database, payments } = context.services
    if (payments === undefined) throw errors.PAYMENT_NOT_CONFIGURED()
    const now = new Date()
    const expiresAt = new Date(now.getTime() + checkoutLifetime)
    const userId = context.member.id
    const pending = and(
      eq(payment.resultId, input.resultId),
      eq(payment.userId, userId),
      eq(payment.status, "pending"),
      context.isSignedIn,
    )
    const owned = sql`id = ${input.resultId} and user_id = ${userId}`
    const soon = new Date(now.getTime() + shortestLifetime)
    const {
      result: [result],
      open: [open],
    } = await sendNamed(database, {
      expired: database
        .update(payment)
        .set({ status: "failed" })
        .where(and(pending, lte(payment.expiresAt, now))),
      made: database
        .insert(payment)
        .select(
          rowIf(
            payment,
            {
              ...price,
              id: createId("payment"),
              userId,
              resultId: input.resultId,
              status: "pending",
              expiresAt,
              createdAt: now,
            },
            sql`exists (select 1 from ${compatibilityResult}
              where ${owned} and unlocked_at is null) and ${context.isSignedIn}
              and (select count(*) from ${payment} where ${payment.userId} = ${userId}
                and ${payment.createdAt} > ${now.getTime() - day}) < ${dailyPayments}`,
          ),
        )
        .onConflictDoNothing(),
      // Renews a checkout that could not be opened when it was created.
      renewed: database
        .update(payment)
        .set({ expiresAt })
        .where(and(pending, isNull(payment.sessionId), lte(payment.expiresAt, soon))),
      result: database
        .select({ unlockedAt: compatibilityResult.unlockedAt })
        .from(compatibilityResult)
        .where(owned),
      open: database.select().from(payment).where(pending),
    })
    if (result === undefined) throw errors.NOT_FOUND()
    if (result.unlockedAt !== null) throw errors.ALREADY_UNLOCKED()
    if (open === undefined) throw errors.TOO_MANY_REQUESTS()
    const openPayment = { paymentId: open.id, expiresAt: open.expiresAt }
    if (open.checkoutUrl !== null) return { ...openPayment, url: open.checkoutUrl }
    if (open.sessionId !== null) throw errors.PAYMENT_PROCESSING()
    const page = `${configuration.siteUrl}/payments/${open.id}`
    const order = {
      ...openPayment,
      amount: open.amount,
      currency: open.currency,
      title: "Deep insights",
      successUrl: page,
      cancelUrl: `${page}?cancelled`,
    }
    const session = await reached(payments.openCheckout(order))
    if (session === null) throw errors.PAYMENT_UNAVAILABLE()
    const { sessionId, url: checkoutUrl } = session
    const { opened } = await sendNamed(database, {
      opened: database
        .update(payment)
        .set({ sessionId, checkoutUrl })
        .where(eq(payment.id, open.id))
        .returning({ id: payment.id }),
      kept: keepCheckout(database, { ...open, sessionId }),
    })
    if (opened.length === 0) {
      await reached(payments.expireCheckout(sessionId))
      throw errors.UNAUTHORIZED()
    }
    return { ...openPayment, url: session.url }
  })

const verifyPayment = member
  .errors({
    ...failing("PAYMENT_NOT_CONFIGURED", "PAYMENT_UNAVAILABLE"),
    NOT_FOUND: { status: 404, message: "Payment not found" },
  })
  .input(z.strictObject({ paymentId: z.string().max(64) }))
  .output(Payment)
  .handler(async ({ context, input, errors }) => {
    const { database, payments, emailLimit } = context.services
    const owned = and(eq(payment.id, input.paymentId), eq(payment.userId, context.member.id))
    const select = () => database.select(columns).from(payment).where(owned)
    const [stored] = await select()
    if (stored === undefined) throw errors.NOT_FOUND()
    if (stored.paidAt !== null || stored.sessionId === null) return stored
    if (payments === undefined) throw errors.PAYMENT_NOT_CONFIGURED()
    // The provider limits the service's requests. The webhook reports the same outcome.
    if (!(await isWithinLimit(emailLimit, `payment ${stored.id}`))) return stored
    const answer = await reached(payments.outcomeOf(stored.sessionId))
    if (answer === null || answer.paymentId !== stored.id) throw errors.PAYMENT_UNAVAILABLE()
    if (answer.outcome === "pending") return stored
    await settle({ database, payments, now: new Date(), settlement: answer })
    const [settled] = await select()
    return settled ?? stored
  })

const newestPayments = ownRows({
  table: payment,
  owner: payment.userId,
  columns,
  newest: payment,
})

const listPayments = nearReader
  .route({ method: "GET" })
  .input(Paging)
  .output(pageOf(Payment))
  .handler(async ({ context, input }) =>
    pageOfRows(await context.askOnce(newestPayments, valuesOf(input)), input.limit),
  )

export const paymentExport: Collections = {
  payments: {
    table: payment,
    owner: payment.userId,
    item: Payment,
    computed: { status: columns.status },
    order: [payment.createdAt, sql`rowid`],
  },
}

export function paymentPrices({ payments: here }: Services): Record<string, typeof price> {
  return here === undefined ? {} : { deepInsights: price }
}

export const payments = { createCheckout, verifyPayment, listPayments }
