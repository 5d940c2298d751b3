import { sql, type SQL } from "drizzle-orm"

import { user } from "../auth/auth.table.ts"
import { rowIf } from "../database/conditional-row.ts"
import type { Database } from "../database/database.ts"
import { createId } from "../database/identifier.ts"
import { type AuditAction, auditEntry } from "./audit-entry.table.ts"

type Audited = {
  database: Database
  /** Null where nobody is signed in. */
  actorId: string | SQL | null
  action: AuditAction
  subjectId?: string | SQL
  detail?: string
  /** Writes no entry unless this holds; put the entry before the change in the batch. */
  when?: SQL
  /** Whether the subject is owed a letter about it: three in an hour, where the same happens again and again. */
  letter?: SQL
}

/** Returns the statement that writes an audit entry, for the batch that makes the change. */
export function audit({ database, when = sql`true`, letter, ...entry }: Audited) {
  const row = {
    id: createId("audit_entry"),
    ...entry,
    createdAt: new Date(),
    letterDue: letter && sql`case when ${letter} and ${isSeldom(entry)} then ${Date.now()} end`,
  }
  return database
    .insert(auditEntry)
    .select(rowIf(auditEntry, row, when))
    .returning(ofLetter)
}

/** Milliseconds. */
const hour = 60 * 60 * 1000

/** Condition: the log has fewer than three of the same from the last hour. */
function isSeldom({ action, subjectId, detail }: Pick<Audited, "action" | "subjectId" | "detail">) {
  return sql`3 > (select count(*) from audit_entry as before where before.subject_id = ${subjectId ?? null}
    and before.action = ${action} and before.detail is ${detail ?? null}
    and before.created_at > ${Date.now() - hour})`
}

/** What tells whether a letter is owed. */
const ofLetter = { id: auditEntry.id, letterDue: auditEntry.letterDue }

type OwnAction = Omit<Audited, "actorId" | "subjectId"> & { userId: string | SQL }

/** What a user did to the own account. */
export function auditOwn({ database, action, userId, ...rest }: OwnAction) {
  return audit({ database, action, actorId: userId, subjectId: userId, ...rest })
}

/** What nobody signed in did to an address: no entry if it has no account, by the same statement. */
export function auditAddress(database: Database, action: AuditAction, email: string) {
  const subject = sql`(select id from ${user} where ${user.email} = ${email})`
  const when = sql`${subject} is not null`
  return audit({ database, action, actorId: null, subjectId: subject, when })
}
