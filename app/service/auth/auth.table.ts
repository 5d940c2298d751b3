import { relations, sql } from "drizzle-orm"
import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core"

import { plans } from "../../plan/plan.ts"
import { listed } from "../database/listed-column.ts"
import { timestamp } from "../database/timestamp-column.ts"
import { roles } from "./role.ts"

export const user = sqliteTable(
  "user",
  {
    id: text("id").primaryKey(),
    email: text("email").notNull().unique(),
    emailVerified: integer("email_verified", { mode: "boolean" }).notNull().default(false),
    name: text("name").notNull(),
    image: text("image"),
    /** Triggers of the database refuse other values, too; drizzle-kit knows nothing about them. */
    role: listed("role", roles).notNull().default("member"),
    plan: listed("plan", plans).notNull().default("free"),
    /** End of a plan other than free; null: no end. */
    planUntil: timestamp("plan_until"),
    /* Written by the version before; the table `attempt` counts now. */
    signInFailures: integer("sign_in_failures").notNull().default(0),
    signInFailuresSince: timestamp("sign_in_failures_since"),
    /**
     * When the account signed up, where an address must be verified before it can be used: until
     * then nobody has proven anything, so a new sign-up or the proof of the owner replaces it. Versions
     * before this one also set it where a provider opened an account without being the authority.
     */
    unprovenSince: timestamp("unproven_since"),
    createdAt: timestamp("created_at").notNull(),
    updatedAt: timestamp("updated_at").notNull(),
  },
  (table) => [
    // Whom the sweep may delete: not the many whom a provider opened that is not the authority.
    index("user_unproven")
      .on(table.unprovenSince)
      .where(sql`unproven_since is not null and email_verified = 0`),
    index("user_created_at").on(table.createdAt, table.id),
    // Few users are not members: the index finds them and shows whether an owner is left.
    index("user_role")
      .on(table.role)
      .where(sql`role <> 'member'`),
  ],
)

/** Whose the row is: it goes with the account. */
export function memberId() {
  return text("user_id")
    .notNull()
    .references(() => user.id, { onDelete: "cascade" })
}

export const session = sqliteTable(
  "session",
  {
    id: text("id").primaryKey(),
    userId: memberId(),
    token: text("token").notNull().unique(),
    ipAddress: text("ip_address"),
    userAgent: text("user_agent"),
    expiresAt: timestamp("expires_at").notNull(),
    createdAt: timestamp("created_at").notNull(),
    updatedAt: timestamp("updated_at").notNull(),
  },
  (table) => [
    index("session_user_id").on(table.userId),
    index("session_expires_at").on(table.expiresAt),
  ],
)

export const account = sqliteTable(
  "account",
  {
    id: text("id").primaryKey(),
    userId: memberId(),
    providerId: text("provider_id").notNull(),
    accountId: text("account_id").notNull(),
    /**
     * Who says that it is this subject. Null for a password, and for an identity of before this column
     * until its owner comes with it (`provider/identity.ts`).
     */
    issuer: text("issuer"),
    password: text("password"),
    accessToken: text("access_token"),
    accessTokenExpiresAt: timestamp("access_token_expires_at"),
    refreshToken: text("refresh_token"),
    refreshTokenExpiresAt: timestamp("refresh_token_expires_at"),
    idToken: text("id_token"),
    scope: text("scope"),
    createdAt: timestamp("created_at").notNull(),
    updatedAt: timestamp("updated_at").notNull(),
  },
  (table) => [
    index("account_user_id").on(table.userId),
    uniqueIndex("account_provider").on(table.providerId, table.accountId),
    index("account_without_issuer")
      .on(table.providerId)
      .where(sql`issuer is null and provider_id <> 'credential'`),
  ],
)

/**
 * The owner of an account has removed an identity of these providers and issuers: none of them opens it
 * by its address.
 */
export const removedIdentity = sqliteTable(
  "removed_identity",
  {
    userId: memberId(),
    providerId: text("provider_id").notNull(),
    /** Null for a password, and for one of before this column. */
    issuer: text("issuer"),
    removedAt: timestamp("removed_at").notNull(),
  },
  (table) => [primaryKey({ columns: [table.userId, table.providerId] })],
)

export const verification = sqliteTable(
  "verification",
  {
    id: text("id").primaryKey(),
    identifier: text("identifier").notNull(),
    value: text("value").notNull(),
    expiresAt: timestamp("expires_at").notNull(),
    createdAt: timestamp("created_at").notNull(),
    updatedAt: timestamp("updated_at").notNull(),
  },
  (table) => [
    index("verification_identifier").on(table.identifier),
    index("verification_value").on(table.value),
    index("verification_expires_at").on(table.expiresAt),
  ],
)

/* Through these the authentication library joins two queries into one. */

export const userRelations = relations(user, ({ many }) => ({
  sessions: many(session),
  accounts: many(account),
}))

export const sessionRelations = relations(session, ({ one }) => ({
  user: one(user, { fields: [session.userId], references: [user.id] }),
}))

export const accountRelations = relations(account, ({ one }) => ({
  user: one(user, { fields: [account.userId], references: [user.id] }),
}))
