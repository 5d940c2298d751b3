import { sql } from "drizzle-orm"
import { check, index, integer, sqliteTable } from "drizzle-orm/sqlite-core"

import { memberId } from "../service/platform/database/auth.table.ts"
import { text, timestamp } from "../service/platform/database/columns.ts"

/** Computed by the client for two people: a free part and a paid part. */
export const compatibilityResult = sqliteTable(
  "compatibility_result",
  {
    id: text("id", 64).primaryKey(),
    userId: memberId(),
    partnerName: text("partner_name", 100).notNull(),
    /** Version of both JSON columns. */
    schemaVersion: integer("schema_version").notNull(),
    lite: text("lite", 30_000).notNull(),
    deepInsights: text("deep_insights", 131_072).notNull(),
    /**
     * The payment that unlocked the deep insights. No foreign key: payments already refer to results,
     * and a payment is never deleted before its result.
     */
    paymentId: text("payment_id", 64),
    unlockedAt: timestamp("unlocked_at"),
    createdAt: timestamp("created_at").notNull(),
  },
  (table) => [
    index("compatibility_result_list").on(table.userId, table.createdAt, table.id),
    check("compatibility_result_lite_json", sql`json_valid(lite)`),
    check("compatibility_result_deep_insights_json", sql`json_valid(deep_insights)`),
  ],
)
