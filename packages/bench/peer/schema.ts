import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core"

function instant(name: string) {
  return integer(name, { mode: "timestamp_ms" })
}
function ofUser() {
  return {
    userId: text("user_id")
      .notNull()
      .references(() => user.id),
  }
}
const id = text("id").primaryKey()
const changes = {
  createdAt: instant("created_at").notNull(),
  updatedAt: instant("updated_at").notNull(),
}

export const user = sqliteTable("user", {
  id,
  name: text("name").notNull(),
  email: text("email").notNull().unique(),
  emailVerified: integer("email_verified", { mode: "boolean" }).default(false).notNull(),
  image: text("image"),
  ...changes,
})
export const session = sqliteTable("session", {
  id,
  expiresAt: instant("expires_at").notNull(),
  token: text("token").notNull().unique(),
  ...changes,
  ipAddress: text("ip_address"),
  userAgent: text("user_agent"),
  ...ofUser(),
})
export const account = sqliteTable("account", {
  id,
  accountId: text("account_id").notNull(),
  providerId: text("provider_id").notNull(),
  accessToken: text("access_token"),
  refreshToken: text("refresh_token"),
  idToken: text("id_token"),
  accessTokenExpiresAt: instant("access_token_expires_at"),
  refreshTokenExpiresAt: instant("refresh_token_expires_at"),
  scope: text("scope"),
  password: text("password"),
  ...changes,
  ...ofUser(),
})
export const verification = sqliteTable("verification", {
  id,
  identifier: text("identifier").notNull(),
  value: text("value").notNull(),
  expiresAt: instant("expires_at").notNull(),
  ...changes,
})

/** The service's own, which the peer does not have by itself. */
export const entry = sqliteTable("journal_entry", {
  id: text("id").primaryKey(),
  userId: text("user_id").notNull(),
  mood: text("mood").notNull(),
  text: text("text").notNull(),
  promptId: text("prompt_id"),
  createdAt: instant("created_at").notNull(),
})
