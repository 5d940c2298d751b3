import { index, integer, sqliteTable } from "drizzle-orm/sqlite-core"

import { text, timestamp } from "../database/columns.ts"

/**
 * Attempts at a password, and emails to an address, since `since`. The key is a kind with a slot, into which a
 * keyed hash leads: rows exist for addresses with and without an account, and name none.
 */
export const attempt = sqliteTable(
  "attempt",
  {
    key: text("key", 44).primaryKey(),
    count: integer("count").notNull(),
    since: timestamp("since").notNull(),
  },
  (table) => [index("attempt_since").on(table.since)],
)
