import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core"

import { timestamp } from "../timestamp-column.ts"

/* What must still be shown after an account is deleted. They refer to no table, and of the account hold only the hash of its id. */

export const keptPayment = sqliteTable("kept_payment", {
  /** Of the payment. */
  id: text("id").primaryKey(),
  accountHash: text("account_hash").notNull(),
  /** Id of the checkout session at the payment provider. */
  sessionId: text("session_id"),
  /** In the currency's smallest unit. */
  amount: integer("amount").notNull(),
  currency: text("currency").notNull(),
  paidAt: timestamp("paid_at").notNull(),
})

export const keptConsent = sqliteTable("kept_consent", {
  /** Of the consent. */
  id: text("id").primaryKey(),
  accountHash: text("account_hash").notNull(),
  purpose: text("purpose").notNull(),
  version: text("version").notNull(),
  grantedAt: timestamp("granted_at").notNull(),
  withdrawnAt: timestamp("withdrawn_at"),
})
