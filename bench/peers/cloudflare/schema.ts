import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core"

import { columns } from "../columns.ts"

function ofUser() {
  return {
    userId: text("user_id")
      .notNull()
      .references(() => users.id),
  }
}

export const users = sqliteTable("users", {
  ...columns.user,
  isAnonymous: integer("is_anonymous", { mode: "boolean" }),
})
export const sessions = sqliteTable("sessions", {
  ...columns.session,
  timezone: text("timezone"),
  city: text("city"),
  country: text("country"),
  region: text("region"),
  regionCode: text("region_code"),
  colo: text("colo"),
  latitude: text("latitude"),
  longitude: text("longitude"),
  ...ofUser(),
})
export const accounts = sqliteTable("accounts", { ...columns.account, ...ofUser() })
export const verifications = sqliteTable("verifications", columns.verification)
