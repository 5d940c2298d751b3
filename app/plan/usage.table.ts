import { sql } from "drizzle-orm"
import { check, integer, primaryKey, sqliteTable } from "drizzle-orm/sqlite-core"

import { memberId } from "../service/platform/database/auth.table.ts"
import { listed, text } from "../service/platform/database/columns.ts"
import { metrics } from "./plan.ts"

/** Counts rows that a member created in a month. Deleting a row does not lower the count. */
export const usage = sqliteTable(
  "usage",
  {
    userId: memberId(),
    period: text("period", 16).notNull(),
    metric: listed("metric", metrics).notNull(),
    count: integer("count").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.userId, table.period, table.metric] }),
    check("usage_count_positive", sql`count > 0`),
  ],
)
