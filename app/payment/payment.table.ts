import { sql } from "drizzle-orm"
import { check, index, integer, sqliteTable, uniqueIndex } from "drizzle-orm/sqlite-core"

import { compatibilityResult } from "../compatibility/compatibility-result.table.ts"
import { memberId } from "../service/platform/database/auth.table.ts"
import { listed, text, timestamp } from "../service/platform/database/columns.ts"

export const paymentStatuses = ["pending", "paid", "failed"] as const

/** Limit for each member in a day, including checkouts that are never paid. */
export const dailyPayments = 20

/** A one-time purchase of the deep insights of one result. */
export const payment = sqliteTable(
  "payment",
  {
    id: text("id", 64).primaryKey(),
    userId: memberId(),
    resultId: text("result_id", 64)
      .notNull()
      .references(() => compatibilityResult.id, { onDelete: "cascade" }),
    status: listed("status", paymentStatuses).notNull(),
    /** Amount in the currency's smallest unit. */
    amount: integer("amount").notNull(),
    currency: text("currency", 16).notNull(),
    sessionId: text("session_id", 255).unique(),
    /** Page at the payment provider where the member pays. */
    checkoutUrl: text("checkout_url", 5000),
    expiresAt: timestamp("expires_at").notNull(),
    createdAt: timestamp("created_at").notNull(),
    paidAt: timestamp("paid_at"),
    /** When the whole amount was refunded, or a dispute was lost. */
    refundedAt: timestamp("refunded_at"),
    /** When the buyer's bank opened a dispute that is not closed. */
    disputedAt: timestamp("disputed_at"),
  },
  (table) => [
    index("payment_user_id").on(table.userId, table.createdAt),
    // Merges concurrent checkouts of a result. Unlike pending rows, paid ones may repeat.
    uniqueIndex("payment_pending")
      .on(table.resultId)
      .where(sql`status = 'pending'`),
    index("payment_result_id").on(table.resultId),
    // The constraints ignore statuses that later versions may add.
    check("payment_paid_at", sql`status <> 'paid' or paid_at is not null`),
    check("payment_unpaid", sql`status not in ('pending', 'failed') or paid_at is null`),
  ],
)

/** Days for which a repeated event is recognized. */
export const eventDays = 90

/** Events received from the payment provider, which repeats each until it is acknowledged. */
export const paymentEvent = sqliteTable(
  "payment_event",
  {
    id: text("id", 255).primaryKey(),
    type: text("type", 255).notNull(),
    receivedAt: timestamp("received_at").notNull(),
  },
  (table) => [index("payment_event_received_at").on(table.receivedAt)],
)

/* Records that outlive an account. They reference no table, and contain nothing of the account except the hash of its id, which the audit log keeps in clear for two years. */

/** Days for which accounting records must be kept. */
export const paymentDays = 10 * 365
/** Days in which a payment may still arrive: bank transfers take days, disputes weeks. */
export const checkoutDays = 90

export const keptPayment = sqliteTable(
  "kept_payment",
  {
    id: text("id", 64).primaryKey(),
    accountHash: text("account_hash", 64).notNull(),
    sessionId: text("session_id", 255),
    /** Amount in the currency's smallest unit. */
    amount: integer("amount").notNull(),
    currency: text("currency", 16).notNull(),
    paidAt: timestamp("paid_at").notNull(),
  },
  (table) => [index("kept_payment_paid_at").on(table.paidAt)],
)

/** A checkout that was unpaid when its account was deleted, and may still be paid. */
export const keptCheckout = sqliteTable(
  "kept_checkout",
  {
    id: text("id", 64).primaryKey(),
    accountHash: text("account_hash", 64).notNull(),
    sessionId: text("session_id", 255).notNull(),
    /** Amount in the currency's smallest unit. */
    amount: integer("amount").notNull(),
    currency: text("currency", 16).notNull(),
    createdAt: timestamp("created_at").notNull(),
  },
  (table) => [index("kept_checkout_created_at").on(table.createdAt)],
)
