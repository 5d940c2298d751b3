import { sql } from "drizzle-orm"
import { index, integer, sqliteTable } from "drizzle-orm/sqlite-core"

import { text, timestamp } from "../../database/columns.ts"
import { memberId } from "../auth.table.ts"

/** An app that shows codes. It counts once it is confirmed; `user.second_factor_since` says so, too. */
export const secondFactor = sqliteTable(
  "second_factor",
  {
    userId: memberId().primaryKey(),
    /** Sealed by a secret of its own, which `keyId` names. */
    secret: text("secret", 500).notNull(),
    keyId: text("key_id", 64).notNull(),
    /** Of the newest code that was taken: none of it or of an earlier one is taken again. */
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

/** Each works once: its row goes with its use. */
export const recoveryCode = sqliteTable(
  "recovery_code",
  { hash: text("hash", 64).primaryKey(), userId: memberId() },
  (table) => [index("recovery_code_user_id").on(table.userId)],
)

/** Whoever signs in with the cookie of which this is the hash is not asked for a code. */
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
