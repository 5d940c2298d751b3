import { sql } from "drizzle-orm"
import { check, index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core"

import { user } from "../auth/auth.table.ts"
import { instant } from "../timestamp-column.ts"

/** What the client's engines computed about two people: a free part and one that is paid for. */
export const compatibilityResult = sqliteTable(
  "compatibility_result",
  {
    id: text("id").primaryKey(),
    userId: text("user_id")
      .notNull()
      .references(() => user.id, { onDelete: "cascade" }),
    partnerName: text("partner_name").notNull(),
    /** Of the two JSON columns. */
    schemaVersion: integer("schema_version").notNull(),
    lite: text("lite").notNull(),
    deepInsights: text("deep_insights").notNull(),
    /**
     * The payment that unlocked the deep insights. Payments refer to results, so a foreign key back
     * would tie a knot; a payment is never removed before its result.
     */
    paymentId: text("payment_id"),
    unlockedAt: instant("unlocked_at"),
    createdAt: instant("created_at").notNull(),
  },
  (table) => [
    index("compatibility_result_list").on(table.userId, table.createdAt, table.id),
    check("compatibility_result_lite_json", sql`json_valid(lite)`),
    check("compatibility_result_deep_insights_json", sql`json_valid(deep_insights)`),
  ],
)
