import { sql } from "drizzle-orm"
import { index, sqliteTable, uniqueIndex } from "drizzle-orm/sqlite-core"

import { memberId } from "../service/platform/database/auth.table.ts"
import { listed, text, timestamp } from "../service/platform/database/columns.ts"

export const purposes = ["terms", "privacy", "marketing", "analytics"] as const

/** Limit of consents for each member, because each is kept for years after the account. */
export const capacity = 100

/** A member's consent to a version of a document. Withdrawing it sets a date and keeps the row. */
export const consent = sqliteTable(
  "consent",
  {
    id: text("id", 64).primaryKey(),
    userId: memberId(),
    purpose: listed("purpose", purposes).notNull(),
    version: text("version", 40).notNull(),
    grantedAt: timestamp("granted_at").notNull(),
    withdrawnAt: timestamp("withdrawn_at"),
  },
  (table) => [
    index("consent_list").on(table.userId, table.grantedAt, table.id),
    uniqueIndex("consent_standing")
      .on(table.userId, table.purpose, table.version)
      .where(sql`withdrawn_at is null`),
  ],
)

/** Days for which proof of a consent may be needed. */
export const keptDays = 3 * 365

/** Records that outlive the account. They reference no table. */
export const keptConsent = sqliteTable(
  "kept_consent",
  {
    id: text("id", 64).primaryKey(),
    accountHash: text("account_hash", 64).notNull(),
    purpose: text("purpose", 40).notNull(),
    version: text("version", 40).notNull(),
    grantedAt: timestamp("granted_at").notNull(),
    withdrawnAt: timestamp("withdrawn_at"),
    /** When the account was deleted. Default for the previous version: when this column was added. */
    keptAt: timestamp("kept_at")
      .notNull()
      .default(sql`1795651200000`),
  },
  (table) => [index("kept_consent_kept_at").on(table.keptAt)],
)
