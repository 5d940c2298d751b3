import { and, desc, getTableColumns, sql } from "drizzle-orm"
import * as z from "zod"

import { listedValue } from "../rpc/fields.ts"
import { ownRows } from "../rpc/own-rows.ts"
import { after, pageFrom, pageOf, pageOfRows, Paging, valuesOf } from "../rpc/pagination.ts"
import { adminReader, isAdmin, reader } from "../rpc/procedures.ts"
import { auditActions, auditEntry } from "./audit-entry.table.ts"
import { audit } from "./audit.ts"

const id = z.string().max(64)

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
        .select()
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
  createdAt: z.date(),
})

function securityEventOf(entry: typeof auditEntry.$inferSelect) {
  const { id: entryId, action, detail, actorId, subjectId, createdAt } = entry
  return { id: entryId, action, detail, byYou: actorId === subjectId, createdAt }
}

const newestEvents = ownRows({
  table: auditEntry,
  owner: auditEntry.subjectId,
  columns: getTableColumns(auditEntry),
  newest: auditEntry,
})

export const listSecurityEvents = reader
  .route({ method: "GET", summary: "List what happened to your account, newest first" })
  .input(Paging)
  .output(pageOf(SecurityEvent))
  .handler(async ({ context, input }) => {
    const rows = await context.askOnce(newestEvents, valuesOf(input))
    const { items, nextCursor } = pageOfRows(rows, input.limit)
    return { items: items.map(securityEventOf), nextCursor }
  })
