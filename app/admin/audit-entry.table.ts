import { index, sqliteTable, text } from "drizzle-orm/sqlite-core"

import { user } from "../auth/auth.table.ts"
import { listed } from "../listed-column.ts"
import { timestamp } from "../timestamp-column.ts"

export const auditActions = ["read_member", "list_users", "change_role", "grant_premium"] as const

/** What an admin or owner did to another account, or read of it. Outlives both accounts. */
export const auditEntry = sqliteTable(
  "audit_entry",
  {
    id: text("id").primaryKey(),
    actorId: text("actor_id").references(() => user.id, { onDelete: "set null" }),
    subjectId: text("subject_id").references(() => user.id, { onDelete: "set null" }),
    action: listed("action", auditActions).notNull(),
    /** The new role or the end of the plan; never personal data. */
    detail: text("detail"),
    createdAt: timestamp("created_at").notNull(),
  },
  (table) => [
    index("audit_entry_list").on(table.createdAt, table.id),
    index("audit_entry_actor_id").on(table.actorId),
    index("audit_entry_subject_id").on(table.subjectId),
  ],
)
