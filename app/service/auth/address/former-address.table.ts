import { index, sqliteTable } from "drizzle-orm/sqlite-core"

import { text, timestamp } from "../../database/columns.ts"
import { user } from "../auth.table.ts"

/**
 * Where the letter about an entry of the audit log goes, if not to the account's address: to the one that
 * was changed, by which admins find the account for a month, or to that of an account that is deleted.
 */
export const formerAddress = sqliteTable(
  "former_address",
  {
    /** Of the entry. */
    id: text("id", 64).primaryKey(),
    /** Null once there is no account. */
    userId: text("user_id", 64).references(() => user.id, { onDelete: "cascade" }),
    email: text("email", 254).notNull(),
    until: timestamp("until").notNull(),
  },
  (table) => [
    index("former_address_user_id").on(table.userId),
    index("former_address_email").on(table.email),
    index("former_address_until").on(table.until),
  ],
)
