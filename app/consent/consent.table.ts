import { sql } from "drizzle-orm"
import { sqliteTable, text, uniqueIndex, index } from "drizzle-orm/sqlite-core"

import { memberId } from "../service/auth/auth.table.ts"
import { listed } from "../service/database/listed-column.ts"
import { timestamp } from "../service/database/timestamp-column.ts"

export const purposes = ["terms", "privacy", "marketing", "analytics"] as const

/** A member's consent to a version of a document. Withdrawing it sets a date and keeps the row. */
export const consent = sqliteTable(
  "consent",
  {
    id: text("id").primaryKey(),
    userId: memberId(),
    purpose: listed("purpose", purposes).notNull(),
    version: text("version").notNull(),
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
