import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core"

import { timestamp } from "../service/database/timestamp-column.ts"

/*
 * What must still be shown after an account is deleted. They refer to no table, and hold nothing of the
 * account but the hash of its id, which the audit log names in clear for two years.
 */

export const keptPayment = sqliteTable("kept_payment", {
  /** The payment's id. */
  id: text("id").primaryKey(),
  accountHash: text("account_hash").notNull(),
  /** Id of the checkout session at the payment provider. */
  sessionId: text("session_id"),
  /** In the currency's smallest unit. */
  amount: integer("amount").notNull(),
  currency: text("currency").notNull(),
  paidAt: timestamp("paid_at").notNull(),
})

/** A checkout that was not paid when its account was deleted, and may still be. */
export const keptCheckout = sqliteTable(
  "kept_checkout",
  {
    /** The payment's id. */
    id: text("id").primaryKey(),
    accountHash: text("account_hash").notNull(),
    /** Id of the checkout session at the payment provider. */
    sessionId: text("session_id").notNull(),
    /** In the currency's smallest unit. */
    amount: integer("amount").notNull(),
    currency: text("currency").notNull(),
    createdAt: timestamp("created_at").notNull(),
  },
  (table) => [index("kept_checkout_created_at").on(table.createdAt)],
)
