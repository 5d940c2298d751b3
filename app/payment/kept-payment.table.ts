import { index, integer, sqliteTable } from "drizzle-orm/sqlite-core"

import { text, timestamp } from "../service/database/columns.ts"

/*
 * What must still be shown after an account is deleted. They refer to no table, and hold nothing of the
 * account but the hash of its id, which the audit log names in clear for two years.
 */

/** Days: as long as books are kept. */
export const paymentDays = 10 * 365
/** Days in which money may still arrive: bank transfers take days, disputes weeks. */
export const checkoutDays = 90

export const keptPayment = sqliteTable(
  "kept_payment",
  {
    /** The payment's id. */
    id: text("id", 64).primaryKey(),
    accountHash: text("account_hash", 64).notNull(),
    /** Id of the checkout session at the payment provider. */
    sessionId: text("session_id", 255),
    /** In the currency's smallest unit. */
    amount: integer("amount").notNull(),
    currency: text("currency", 16).notNull(),
    paidAt: timestamp("paid_at").notNull(),
  },
  (table) => [index("kept_payment_paid_at").on(table.paidAt)],
)

/** A checkout that was not paid when its account was deleted, and may still be. */
export const keptCheckout = sqliteTable(
  "kept_checkout",
  {
    /** The payment's id. */
    id: text("id", 64).primaryKey(),
    accountHash: text("account_hash", 64).notNull(),
    /** Id of the checkout session at the payment provider. */
    sessionId: text("session_id", 255).notNull(),
    /** In the currency's smallest unit. */
    amount: integer("amount").notNull(),
    currency: text("currency", 16).notNull(),
    createdAt: timestamp("created_at").notNull(),
  },
  (table) => [index("kept_checkout_created_at").on(table.createdAt)],
)
