import { sql, type SQL } from "drizzle-orm"

import { rowIf } from "../conditional-row.ts"
import type { Database } from "../database.ts"
import { createId } from "../identifier.ts"
import { type auditActions, auditEntry } from "./audit-entry.table.ts"

type Audited = {
  database: Database
  actorId: string
  action: (typeof auditActions)[number]
  subjectId?: string
  detail?: string
  /** Writes no entry unless this holds; put the entry before the change in the batch. */
  when?: SQL
}

/** Returns the statement that writes an audit entry, for the batch that makes the change. */
export function audit({ database, when = sql`true`, ...entry }: Audited) {
  const row = {
    id: createId("audit_entry"),
    actorId: entry.actorId,
    subjectId: entry.subjectId ?? null,
    action: entry.action,
    detail: entry.detail ?? null,
    createdAt: new Date(),
  }
  return database.insert(auditEntry).select(rowIf(auditEntry, row, when))
}
