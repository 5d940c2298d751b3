import { sqliteTable, text } from "drizzle-orm/sqlite-core"

import { columns } from "../columns.ts"

function ofUser() {
  return {
    userId: text("user_id")
      .notNull()
      .references(() => user.id),
  }
}

export const user = sqliteTable("user", columns.user)
export const session = sqliteTable("session", { ...columns.session, ...ofUser() })
export const account = sqliteTable("account", { ...columns.account, ...ofUser() })
export const verification = sqliteTable("verification", columns.verification)
