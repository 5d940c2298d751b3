import { relations, sql, type SQLWrapper } from "drizzle-orm"
import { index, integer, primaryKey, sqliteTable, uniqueIndex } from "drizzle-orm/sqlite-core"

import { languages } from "../mail/language.ts"
import { listed, text, timestamp } from "./columns.ts"

/**
 * Second factors that a session can have used in addition to a password or a provider: a code of an app, a
 * recovery code, a passkey, or a trusted browser that has used one before.
 */
export const factors = ["totp", "recovery", "passkey", "trusted"] as const

export type Factor = (typeof factors)[number]

export const codesAtOnce = 10

/** Limit for each member: trusting another browser removes the oldest. */
export const maxBrowsers = 20

export const roles = ["member", "admin", "owner"] as const

export type Role = (typeof roles)[number]

export const plans = ["free", "premium"] as const

export type Plan = (typeof plans)[number]

/** Why an account is suspended: a list, since the audit log holds nothing personal. */
export const suspensionReasons = ["abuse", "security", "payment", "request", "other"] as const

export type SuspensionReason = (typeof suspensionReasons)[number]

/** Returns a name's last word. SQLite uses the index only if the query contains the same SQL text. */
export function lastWord(name: SQLWrapper) {
  return sql`replace(${name}, rtrim(${name}, replace(${name}, ' ', '')), '')`
}

export const user = sqliteTable(
  "user",
  {
    id: text("id", 64).primaryKey(),
    email: text("email", 254).notNull().unique(),
    emailVerified: integer("email_verified", { mode: "boolean" }).notNull().default(false),
    name: text("name", 100).notNull(),
    image: text("image", 2048),
    /** Database triggers reject other values as well; drizzle-kit does not know these triggers. */
    role: listed("role", roles).notNull().default("member"),
    plan: listed("plan", plans).notNull().default("free"),
    /** Language of emails. Null: the language of the request, otherwise the operator's first one. */
    language: listed("language", languages),
    /** End of a plan other than free; null: no end. */
    planUntil: timestamp("plan_until"),
    /* No longer read: the table `attempt` counts. They stay, because otherwise the `npm run migration` of an adopter who merges a release would drop them under a version that still writes them. */
    signInFailures: integer("sign_in_failures").notNull().default(0),
    signInFailuresSince: timestamp("sign_in_failures_since"),
    /**
     * Sign-up time of an account whose address must be verified before use. While it is set, a new sign-up or the
     * verified owner replaces the account. Earlier versions also set it for accounts that a provider created without
     * being authoritative.
     */
    unprovenSince: timestamp("unproven_since"),
    /** While it is set, no session begins. A trigger enforces this for older versions as well. */
    suspendedAt: timestamp("suspended_at"),
    suspendedFor: listed("suspended_for", suspensionReasons),
    deleteAt: timestamp("delete_at"),
    /**
     * While it is set, no session begins without a second factor. A trigger enforces this for older versions as well.
     */
    secondFactorSince: timestamp("second_factor_since"),
    createdAt: timestamp("created_at").notNull(),
    updatedAt: timestamp("updated_at").notNull(),
  },
  (table) => [
    // Rows that the sweep may delete. Excludes the many accounts of providers that are not authoritative.
    index("user_unproven")
      .on(table.unprovenSince)
      .where(sql`unproven_since is not null and email_verified = 0`),
    index("user_created_at").on(table.createdAt, table.id),
    // Finds names by the beginning of the name or of its last word.
    index("user_name").on(sql`${table.name} collate nocase`),
    index("user_last_name").on(sql`${lastWord(table.name)} collate nocase`),
    index("user_delete_at")
      .on(table.deleteAt)
      .where(sql`delete_at is not null`),
    index("user_suspended")
      .on(table.suspendedAt)
      .where(sql`suspended_at is not null`),
    // Few users are not members: the index finds them and shows whether an owner is left.
    index("user_role")
      .on(table.role)
      .where(sql`role <> 'member'`),
  ],
)

/** The member that the row belongs to; deleting the account deletes it. */
export function memberId() {
  return text("user_id", 64)
    .notNull()
    .references(() => user.id, { onDelete: "cascade" })
}

export const session = sqliteTable(
  "session",
  {
    id: text("id", 64).primaryKey(),
    userId: memberId(),
    token: text("token", 64).notNull().unique(),
    ipAddress: text("ip_address", 64),
    userAgent: text("user_agent", 300),
    expiresAt: timestamp("expires_at").notNull(),
    /** False: the session ends with the browser or after a day, and use does not extend it. */
    remembered: integer("remembered", { mode: "boolean" }).notNull().default(true),
    /** The second factor that the session used; null for an account without one. */
    factor: listed("factor", factors),
    /** When the user last proved every factor of the account. Null: never, or before this column existed. */
    provenAt: timestamp("proven_at"),
    name: text("name", 100),
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
    id: text("id", 64).primaryKey(),
    userId: memberId(),
    providerId: text("provider_id", 255).notNull(),
    accountId: text("account_id", 255).notNull(),
    /**
     * Issuer of this subject. Null for a password. Also null for an identity older than this column, until its owner
     * signs in with it (`provider/identity.ts`).
     */
    issuer: text("issuer", 500),
    password: text("password", 200),
    accessToken: text("access_token", 0),
    accessTokenExpiresAt: timestamp("access_token_expires_at"),
    refreshToken: text("refresh_token", 0),
    refreshTokenExpiresAt: timestamp("refresh_token_expires_at"),
    idToken: text("id_token", 0),
    scope: text("scope", 0),
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
 * Identities that the owner removed from an account. The email address of such a provider and issuer no longer opens
 * the account.
 */
export const removedIdentity = sqliteTable(
  "removed_identity",
  {
    userId: memberId(),
    providerId: text("provider_id", 255).notNull(),
    /** Null for a password, and for an identity older than this column. */
    issuer: text("issuer", 500),
    removedAt: timestamp("removed_at").notNull(),
  },
  (table) => [primaryKey({ columns: [table.userId, table.providerId] })],
)

export const verification = sqliteTable(
  "verification",
  {
    id: text("id", 64).primaryKey(),
    identifier: text("identifier", 128).notNull(),
    value: text("value", 4000).notNull(),
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

/* The authentication library uses these relations to join two queries into one. */

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

/**
 * Counts password attempts and emails to an address since `since`. The key is a kind with a slot that a keyed hash
 * selects. Rows exist for addresses with and without an account, and contain no address.
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

/**
 * Invitation of an address without an account: one at a time, deleted when it is used, revoked or replaced.
 */
export const invitation = sqliteTable(
  "invitation",
  {
    id: text("id", 64).primaryKey(),
    email: text("email", 254).notNull().unique(),
    /** Hash of the token in the email. */
    hash: text("hash", 64).notNull().unique(),
    /** Id of an admin, as in the audit log. */
    invitedBy: text("invited_by", 64).notNull(),
    createdAt: timestamp("created_at").notNull(),
    expiresAt: timestamp("expires_at").notNull(),
  },
  (table) => [
    index("invitation_list").on(table.createdAt, table.id),
    index("invitation_expires_at").on(table.expiresAt),
  ],
)

/**
 * Recipient of the email about an audit entry, if it is not the account's address. Either the previous address, by
 * which admins find the account for a month, or the address of a deleted account.
 */
export const formerAddress = sqliteTable(
  "former_address",
  {
    /** Id of the audit entry. */
    id: text("id", 64).primaryKey(),
    /** Null after the account is deleted. */
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

/** Bytes are stored as base64url, as browsers send them. */
export const passkey = sqliteTable(
  "passkey",
  {
    id: text("id", 64).primaryKey(),
    userId: memberId(),
    /** At most 1,023 bytes (Web Authentication). */
    credentialId: text("credential_id", 1364).notNull().unique(),
    /** Encoded as a COSE key. */
    publicKey: text("public_key", 1000).notNull(),
    /** COSE algorithm identifier: -7, -8 or -257. */
    algorithm: integer("algorithm").notNull(),
    /** Signature counter; 0 for authenticators that do not count. */
    count: integer("count").notNull().default(0),
    backedUp: integer("backed_up", { mode: "boolean" }).notNull().default(false),
    /** JSON array of strings. */
    transports: text("transports", 200),
    name: text("name", 100).notNull(),
    createdAt: timestamp("created_at").notNull(),
    usedAt: timestamp("used_at"),
  },
  (table) => [index("passkey_user_id").on(table.userId)],
)

/** An authenticator app. It takes effect when it is confirmed, which also sets `user.second_factor_since`. */
export const secondFactor = sqliteTable(
  "second_factor",
  {
    userId: memberId().primaryKey(),
    /** Encrypted with the secret that `keyId` names. */
    secret: text("secret", 500).notNull(),
    keyId: text("key_id", 64).notNull(),
    /** Time step of the newest accepted code: the same or an earlier one is rejected. */
    lastStep: integer("last_step").notNull().default(0),
    confirmedAt: timestamp("confirmed_at"),
    createdAt: timestamp("created_at").notNull(),
  },
  (table) => [
    index("second_factor_unconfirmed")
      .on(table.createdAt)
      .where(sql`confirmed_at is null`),
    index("second_factor_key_id").on(table.keyId),
  ],
)

/** A recovery code works once: using it deletes its row. */
export const recoveryCode = sqliteTable(
  "recovery_code",
  { hash: text("hash", 64).primaryKey(), userId: memberId() },
  (table) => [index("recovery_code_user_id").on(table.userId)],
)

/** A browser that is not asked for a second factor. `hash` is the hash of its cookie. */
export const trustedBrowser = sqliteTable(
  "trusted_browser",
  {
    hash: text("hash", 64).primaryKey(),
    userId: memberId(),
    userAgent: text("user_agent", 300).notNull(),
    createdAt: timestamp("created_at").notNull(),
    expiresAt: timestamp("expires_at").notNull(),
  },
  (table) => [
    index("trusted_browser_user_id").on(table.userId),
    index("trusted_browser_expires_at").on(table.expiresAt),
  ],
)
