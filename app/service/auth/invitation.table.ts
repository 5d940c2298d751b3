import { index, sqliteTable } from "drizzle-orm/sqlite-core"

import { text, timestamp } from "../database/columns.ts"

/** Of an address that has no account yet: one at a time, gone once it is used, revoked or replaced. */
export const invitation = sqliteTable(
  "invitation",
  {
    id: text("id", 64).primaryKey(),
    email: text("email", 254).notNull().unique(),
    /** Of the token in its letter. */
    hash: text("hash", 64).notNull().unique(),
    /** An admin, as the audit log names them. */
    invitedBy: text("invited_by", 64).notNull(),
    createdAt: timestamp("created_at").notNull(),
    expiresAt: timestamp("expires_at").notNull(),
  },
  (table) => [
    index("invitation_list").on(table.createdAt, table.id),
    index("invitation_expires_at").on(table.expiresAt),
  ],
)
