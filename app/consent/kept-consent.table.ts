import { sql } from "drizzle-orm"
import { index, sqliteTable } from "drizzle-orm/sqlite-core"

import { text } from "../service/database/text-column.ts"
import { timestamp } from "../service/database/timestamp-column.ts"

/** Days for which somebody may still ask for proof that they had agreed. */
export const keptDays = 3 * 365

/** What must still be shown after the account is deleted. It refers to no table. */
export const keptConsent = sqliteTable(
  "kept_consent",
  {
    /** The consent's id. */
    id: text("id", 64).primaryKey(),
    accountHash: text("account_hash", 64).notNull(),
    purpose: text("purpose", 40).notNull(),
    version: text("version", 40).notNull(),
    grantedAt: timestamp("granted_at").notNull(),
    withdrawnAt: timestamp("withdrawn_at"),
    /** When the account was deleted. The version before does not say it: then when this column came. */
    keptAt: timestamp("kept_at")
      .notNull()
      .default(sql`1795651200000`),
  },
  (table) => [index("kept_consent_kept_at").on(table.keptAt)],
)
