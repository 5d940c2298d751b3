import { sqliteTable, text } from "drizzle-orm/sqlite-core"

import { timestamp } from "../service/database/timestamp-column.ts"

/** What must still be shown after the account is deleted. It refers to no table. */
export const keptConsent = sqliteTable("kept_consent", {
  /** The consent's id. */
  id: text("id").primaryKey(),
  accountHash: text("account_hash").notNull(),
  purpose: text("purpose").notNull(),
  version: text("version").notNull(),
  grantedAt: timestamp("granted_at").notNull(),
  withdrawnAt: timestamp("withdrawn_at"),
})
