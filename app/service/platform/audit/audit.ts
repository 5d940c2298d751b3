import { sql, type SQL } from "drizzle-orm"

import { user } from "../database/auth.table.ts"
import { createId, type Database, rowIf } from "../database/database.ts"
import { packDevice } from "../http/device.ts"
import { type AuditAction, auditEntry } from "./audit-entry.table.ts"

type Audited = {
  database: Database
  /** Set if other rows of the batch refer to the entry. */
  id?: string
  /** Null if the caller is not signed in. */
  actorId: string | SQL | null
  action: AuditAction | SQL<AuditAction>
  subjectId?: string | SQL
  detail?: string
  /** Writes no entry unless this is true when the statement runs, before or after the change (`sendChange`). */
  when?: SQL
  /** Condition for an email to the subject. At most three are sent in an hour for the same action and detail. */
  letter?: SQL | undefined
  /** Headers of the request, whose browser is recorded. Null if the subject must not see the browser. */
  headers?: Headers | null | undefined
}

/** Returns the statement that writes an audit entry, for the batch that makes the change. */
export function audit({ database, when = sql`true`, letter, headers, ...entry }: Audited) {
  const isSeldom = hasFewer(3, entry, hour, sql`before.detail is ${entry.detail ?? null}`)
  const row = {
    id: createId("audit_entry"),
    ...entry,
    createdAt: new Date(),
    device: headers ? packDevice(headers.get("user-agent")) : null,
    ...(letter && { letterDue: sql`case when ${letter} and ${isSeldom} then ${Date.now()} end` }),
  }
  return database
    .insert(auditEntry)
    .select(rowIf(auditEntry, row, when))
    .returning(ofLetter)
}

/** Milliseconds. */
const hour = 60 * 60 * 1000

/**
 * Limit for each action of a member in a day. Otherwise repeated sign-ins could add any number of entries without new
 * information.
 */
export const dailyEntries = 20

/**
 * Condition: the log has fewer than `most` similar entries of the last `time` milliseconds. The `+` keeps SQLite from
 * using the index of actions.
 */
function hasFewer(
  most: number,
  { action, subjectId = null }: Pick<Audited, "action"> & { subjectId?: string | SQL | null },
  time: number,
  further = sql`true`,
) {
  return sql`${most} > (select count(*) from audit_entry as before where before.subject_id = ${subjectId}
    and +before.action = ${action} and before.created_at > ${Date.now() - time} and ${further})`
}

/** Columns that show whether a notice is pending. */
const ofLetter = { id: auditEntry.id, letterDue: auditEntry.letterDue }

export type OwnAction = Omit<Audited, "actorId" | "subjectId"> & { userId: string | SQL }

/** Returns the audit entry for an action of a user on their own account. */
export function auditOwn({ database, action, userId, when = sql`true`, ...rest }: OwnAction) {
  const isAmongFirst = hasFewer(dailyEntries, { action, subjectId: userId }, 24 * hour)
  const entry = { database, action, actorId: userId, subjectId: userId, ...rest }
  return audit({ ...entry, when: sql`${when} and ${isAmongFirst}` })
}

type OfAddress = Omit<Audited, "actorId" | "subjectId" | "when"> & { email: string; when: SQL }

/**
 * Returns the audit entry for an action on an address without a sign-in. Writes nothing if the address has no account.
 */
export function auditAddress({ email, when, ...rest }: OfAddress) {
  const subjectId = sql`(select id from ${user} where ${user.email} = ${email})`
  const isAmongFirst = hasFewer(dailyEntries, { action: rest.action, subjectId }, 24 * hour)
  const isOfAccount = sql`${subjectId} is not null and ${isAmongFirst} and ${when}`
  return audit({ ...rest, actorId: null, subjectId, when: isOfAccount })
}
