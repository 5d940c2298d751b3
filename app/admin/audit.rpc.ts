import { and, desc, eq, getTableColumns, sql } from "drizzle-orm"
import * as z from "zod"

import { session } from "../auth/auth.table.ts"
import { isCurrent } from "../auth/caller.ts"
import { preparedOnce } from "../prepared.ts"
import {
  after,
  before,
  pageFrom,
  pageOf,
  pageOfRows,
  Paging,
  valuesBefore,
} from "../rpc/pagination.ts"
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
        action: z.enum(auditActions),
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
            actorId === undefined ? undefined : eq(auditEntry.actorId, actorId),
            subjectId === undefined ? undefined : eq(auditEntry.subjectId, subjectId),
            action === undefined ? undefined : eq(auditEntry.action, action),
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

/** An entry as its subject sees it. */
export const SecurityEvent = z.object({
  id: z.string(),
  action: z.enum(auditActions),
  detail: z.string().nullable(),
  byYou: z.boolean().describe("Whether you were signed in when you did it"),
  createdAt: z.date(),
})

function securityEventOf(entry: typeof auditEntry.$inferSelect) {
  const { id: entryId, action, detail, actorId, subjectId, createdAt } = entry
  return { id: entryId, action, detail, byYou: actorId === subjectId, createdAt }
}

const newestEvents = preparedOnce((database) =>
  database
    .select({ callerId: session.userId, row: getTableColumns(auditEntry) })
    .from(session)
    .leftJoin(auditEntry, and(eq(auditEntry.subjectId, session.userId), before(auditEntry)))
    .where(isCurrent)
    .orderBy(desc(auditEntry.createdAt), desc(auditEntry.id))
    .limit(sql.placeholder("limit"))
    .prepare(),
)

export const listSecurityEvents = reader
  .route({ method: "GET", summary: "List what happened to your account, newest first" })
  .input(Paging)
  .output(pageOf(SecurityEvent))
  .handler(async ({ context, input: { limit, cursor } }) => {
    const rows = await context.askOnce(newestEvents, { ...valuesBefore(cursor), limit: limit + 1 })
    const { items, nextCursor } = pageOfRows(rows, limit)
    return { items: items.map(securityEventOf), nextCursor }
  })
