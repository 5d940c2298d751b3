import { sql, type SQL } from "drizzle-orm"

import type { Database } from "../database.ts"
import { createId } from "../identifier.ts"
import { type auditActions, auditEntry } from "./audit-entry.table.ts"

type Audited = {
  database: Database
  actorId: string
  action: (typeof auditActions)[number]
  subjectId?: string
  detail?: string
  /** Only then is there anything to write down; it is asked before the change is made. */
  when?: SQL
}

/** The statement that writes an audit entry, for the batch with what it tells of. */
export function audit({ database, when = sql`true`, ...entry }: Audited) {
  return database.insert(auditEntry).select(
    sql`select ${createId("audit_entry")}, ${entry.actorId}, ${entry.subjectId ?? null},
        ${entry.action}, ${entry.detail ?? null}, ${Date.now()} where ${when}`,
  )
}
