import { and, eq, sql } from "drizzle-orm"
import * as z from "zod"

import { type Database, rowIf } from "../service/platform/database/database.ts"
import { accountHash, type Records } from "../service/platform/database/records.ts"
import {
  checkoutDays,
  eventDays,
  keptCheckout,
  keptPayment,
  payment,
  paymentDays,
} from "./payment.table.ts"
import { endCheckout } from "./settlement.ts"
import { createStripe } from "./stripe.ts"

const day = 24 * 60 * 60 * 1000

/** Keeps records of payments that were made or may still arrive. Columns have the order of the tables. */
export const paymentRecords: Records = {
  leave: ({ database, userId, hash, when }) => ({
    open: database
      .select({ sessionId: payment.sessionId })
      .from(payment)
      .where(and(eq(payment.userId, userId), eq(payment.status, "pending"))),
    payments: database.insert(keptPayment).select(
      sql`select ${payment.id}, ${hash}, ${payment.sessionId}, ${payment.amount}, ${payment.currency}, ${payment.paidAt}
        from ${payment} where ${payment.userId} = ${userId} and ${payment.status} = 'paid' and ${when}`,
    ),
    checkouts: database.insert(keptCheckout).select(
      sql`select ${payment.id}, ${hash}, ${payment.sessionId}, ${payment.amount}, ${payment.currency}, ${payment.createdAt}
        from ${payment} where ${payment.userId} = ${userId}
        and ${payment.createdAt} > ${Date.now() - checkoutDays * day}
        and ${payment.status} <> 'paid' and ${payment.sessionId} is not null and ${when}`,
    ),
  }),
  finish: async ({ open }, { payment: account }) => {
    if (account === undefined) return
    const payments = createStripe(account)
    await Promise.all(Open.parse(open).map(({ sessionId }) => endCheckout(payments, sessionId)))
  },
  ownerOf: (id) => sql`(select ${payment.userId} from ${payment} where ${payment.id} = ${id})`,
  expired: (now) => ({
    checkouts: {
      table: "kept_checkout",
      where: "created_at < ?1",
      values: [now - checkoutDays * day],
    },
    payments: { table: "kept_payment", where: "paid_at < ?1", values: [now - paymentDays * day] },
    events: { table: "payment_event", where: "received_at < ?1", values: [now - eventDays * day] },
  }),
}

const Open = z.array(z.object({ sessionId: z.string().nullable() }))

type Opened = Omit<typeof keptCheckout.$inferInsert, "accountHash"> & { userId: string }

/** Returns the statement that keeps a checkout whose account was deleted while the provider opened it. */
export function keepCheckout(database: Database, { userId, ...opened }: Opened) {
  const { id, sessionId, amount, currency, createdAt } = opened
  const row = { id, accountHash: accountHash(userId), sessionId, amount, currency, createdAt }
  const isGone = sql`not exists (select 1 from ${payment} where ${payment.id} = ${id})`
  return database
    .insert(keptCheckout)
    .select(rowIf(keptCheckout, row, isGone))
    .onConflictDoNothing()
}
