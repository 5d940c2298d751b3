import { index, integer, sqliteTable } from "drizzle-orm/sqlite-core"

import { text, timestamp } from "../../database/columns.ts"
import { memberId } from "../auth.table.ts"

/** Bytes as base64url, as browsers send them. */
export const passkey = sqliteTable(
  "passkey",
  {
    id: text("id", 64).primaryKey(),
    userId: memberId(),
    /** At most 1,023 bytes (Web Authentication). */
    credentialId: text("credential_id", 1364).notNull().unique(),
    /** As COSE has it. */
    publicKey: text("public_key", 1000).notNull(),
    /** Of COSE: -7, -8 or -257. */
    algorithm: integer("algorithm").notNull(),
    /** Of signatures; authenticators that do not count say 0. */
    count: integer("count").notNull().default(0),
    backedUp: integer("backed_up", { mode: "boolean" }).notNull().default(false),
    /** A list in JSON. */
    transports: text("transports", 200),
    name: text("name", 100).notNull(),
    createdAt: timestamp("created_at").notNull(),
    usedAt: timestamp("used_at"),
  },
  (table) => [index("passkey_user_id").on(table.userId)],
)
