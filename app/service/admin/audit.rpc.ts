import { and, desc, getTableColumns, sql } from "drizzle-orm"
import * as z from "zod"

import { listedValue } from "../rpc/fields.ts"
import { ownRows } from "../rpc/own-rows.ts"
import { after, pageFrom, pageOf, pageOfRows, Paging, valuesOf } from "../rpc/pagination.ts"
import { adminReader, isAdmin, reader } from "../rpc/procedures.ts"
import { auditActions, auditEntry } from "./audit-entry.table.ts"
import { audit } from "./audit.ts"

const id = z.string().max(64)

const causes = ["you", "link", "stranger", "admin", "operator"] as const

/** Whether a member was signed in when they did it. */
export const isOwn = sql`${auditEntry.actorId} is ${auditEntry.subjectId}`

/** How it came about: nothing that a member did is another's act. */
export const cause = sql<(typeof causes)[number]>`case
  when ${isOwn} then 'you'
  when ${auditEntry.actorId} is not null then 'admin'
  when ${auditEntry.action} in ('verify_email', 'reset_password') then 'link'
  when ${auditEntry.action} in ('sign_in_refused', 'sign_in_locked', 'second_factor_refused',
    'second_factor_locked') then 'stranger'
  else 'operator' end`

const how = listedValue(causes).describe(
  "`link`: by who had the link of an email; `stranger`: by somebody who was not signed in; `operator`: by who runs the service, or the service itself",
)

export const listAuditEntries = adminReader
  .route({ method: "GET", summary: "List the audit log, newest first" })
  .input(
    Paging.extend({
      actorId: id.optional(),
      subjectId: id.optional(),
      action: z.enum(auditActions).optional(),
    }),
  )
  .output(
    pageOf(
      z.object({
        id: z.string(),
        actorId: z.string().nullable().describe("Null where nobody was signed in"),
        subjectId: z.string().nullable(),
        action: listedValue(auditActions),
        detail: z.string().nullable(),
        how,
        createdAt: z.date(),
      }),
    ),
  )
  .handler(async ({ context, input: { limit, cursor, actorId, subjectId, action } }) => {
    const { database } = context.services
    const {
      results: [rows],
    } = await context.ask((callerId) => [
      database
        .select({ ...getTableColumns(auditEntry), how: cause.as("how") })
        .from(auditEntry)
        .where(
          and(
            isAdmin(callerId),
            ...ofFilters(subjectId, actorId, action),
            after(auditEntry, cursor),
          ),
        )
        .orderBy(desc(auditEntry.createdAt), desc(auditEntry.id))
        .limit(limit + 1),
      audit({
        database,
        actorId: callerId,
        action: "list_audit_entries",
        ...(subjectId !== undefined && { subjectId }),
        when: isAdmin(callerId),
      }),
    ])
    return pageFrom(rows, limit)
  })

/**
 * The first one that is given chooses the index: SQLite takes a column behind a `+` for none that has one,
 * and would else guess, knowing nothing of how many entries an action has.
 */
function ofFilters(subjectId?: string, actorId?: string, action?: string) {
  const { subjectId: subject, actorId: actor, action: act } = auditEntry
  const filters = [[subject, subjectId] as const, [actor, actorId] as const, [act, action] as const]
  return filters
    .filter(([, value]) => value !== undefined)
    .map(([column, value], at) => sql`${at === 0 ? sql`` : sql`+`}${column} = ${value}`)
}

/** An entry as its subject sees it. */
export const SecurityEvent = z.object({
  id: z.string(),
  action: listedValue(auditActions),
  detail: z.string().nullable(),
  byYou: z.boolean().describe("Whether you were signed in when you did it"),
  how,
  createdAt: z.date(),
})

const newestEvents = ownRows({
  table: auditEntry,
  owner: auditEntry.subjectId,
  columns: {
    ...getTableColumns(auditEntry),
    how: cause.as("how"),
    byYou: isOwn.mapWith(Boolean).as("by_you"),
  },
  newest: auditEntry,
})

export const listSecurityEvents = reader
  .route({ method: "GET", summary: "List what happened to your account, newest first" })
  .input(Paging)
  .output(pageOf(SecurityEvent))
  .handler(async ({ context, input }) => {
    const rows = await context.askOnce(newestEvents, valuesOf(input))
    return pageOfRows(rows, input.limit)
  })
