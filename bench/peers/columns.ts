import { integer, text } from "drizzle-orm/sqlite-core"

function instant(name: string) {
  return integer(name, { mode: "timestamp_ms" })
}
const id = text("id").primaryKey()
const changes = {
  createdAt: instant("created_at").notNull(),
  updatedAt: instant("updated_at").notNull(),
}

/** Columns that better-auth has in both peers' tables. */
export const columns = {
  user: {
    id,
    name: text("name").notNull(),
    email: text("email").notNull().unique(),
    emailVerified: integer("email_verified", { mode: "boolean" }).default(false).notNull(),
    image: text("image"),
    ...changes,
  },
  session: {
    id,
    expiresAt: instant("expires_at").notNull(),
    token: text("token").notNull().unique(),
    ...changes,
    ipAddress: text("ip_address"),
    userAgent: text("user_agent"),
  },
  account: {
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
  },
  verification: {
    id,
    identifier: text("identifier").notNull(),
    value: text("value").notNull(),
    expiresAt: instant("expires_at").notNull(),
    ...changes,
  },
}
