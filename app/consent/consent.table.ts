import { sql } from "drizzle-orm"
import { sqliteTable, uniqueIndex, index } from "drizzle-orm/sqlite-core"

import { memberId } from "../service/auth/auth.table.ts"
import { listed } from "../service/database/listed-column.ts"
import { text } from "../service/database/text-column.ts"
import { timestamp } from "../service/database/timestamp-column.ts"

export const purposes = ["terms", "privacy", "marketing", "analytics"] as const

/** Consents that a member may have recorded: each stays for years after the account. */
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
