import { and, desc, eq, type SQL, sql } from "drizzle-orm"
import { alias } from "drizzle-orm/sqlite-core"
import * as z from "zod"

import { auditActions, auditEntry } from "../platform/audit/audit-entry.table.ts"
import {
  computedOfOwnEvent,
  Event,
  eventColumns,
  SecurityEvent,
} from "../platform/audit/audit-event.ts"
import { audit } from "../platform/audit/audit.ts"
import { roles, user } from "../platform/database/auth.table.ts"
import { listedValue } from "../platform/rpc/fields.ts"
import {
  after,
  pageFrom,
  pageOf,
  pageOfRows,
  Paging,
  valuesOf,
} from "../platform/rpc/pagination.ts"
import { ownRows } from "../session/own-rows.ts"
import { adminReader, isAdmin, reader } from "../session/procedures.ts"

/**
 * An account, by its id or its full address. An address without an account matches none, and is never logged.
 */
const account = z
  .string()
  .trim()
  .max(254)
  .transform((text) =>
    text.includes("@")
      ? sql<string>`(select id from ${user} where email = ${text.toLowerCase()})`
      : sql<string>`${text.slice(0, 64)}`,
  )

const [actor, subject] = [alias(user, "actor"), alias(user, "subject")]

const Named = z.object({ name: z.string(), email: z.string(), role: listedValue(roles) })

const nullableName = Named.nullable()

/** Uses one column for each name, because a batch would merge two columns of the same name. */
function nameOf({ id: key, name, email, role }: typeof actor | typeof subject) {
  return sql<z.infer<typeof nullableName>>`case when ${key} is not null then
    json_object('name', ${name}, 'email', ${email}, 'role', ${role}) end`.mapWith((text: string) =>
    Named.parse(JSON.parse(text)),
  )
}

export const listAuditEntries = adminReader
  .route({ method: "GET" })
  .input(
    Paging.extend({
      actorId: account.optional(),
      subjectId: account.optional(),
      action: z.enum(auditActions).optional(),
    }),
  )
  .output(
    pageOf(
      Event.extend({
        actorId: z.string().nullable(),
        subjectId: z.string().nullable(),
        actor: nullableName,
        subject: nullableName,
      }),
    ),
  )
  .handler(async ({ context, input: { limit, cursor, actorId, subjectId, action: ofAction } }) => {
    const { database } = context.services
    const {
      results: [rows],
    } = await context.ask((callerId) => [
      database
        .select({
          ...eventColumns,
          actorId: auditEntry.actorId,
          subjectId: auditEntry.subjectId,
          actor: nameOf(actor).as("actor"),
          subject: nameOf(subject).as("subject"),
        })
        .from(auditEntry)
        .leftJoin(actor, eq(actor.id, auditEntry.actorId))
        .leftJoin(subject, eq(subject.id, auditEntry.subjectId))
        .where(
          and(
            isAdmin(callerId),
            ...ofFilters(subjectId, actorId, ofAction),
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
function ofFilters(subjectId?: SQL, actorId?: SQL, ofAction?: string) {
  const filters = [
    [auditEntry.subjectId, subjectId] as const,
    [auditEntry.actorId, actorId] as const,
    [auditEntry.action, ofAction] as const,
  ]
  return filters
    .filter(([, value]) => value !== undefined)
    .map(([column, value], at) => sql`${at === 0 ? sql`` : sql`+`}${column} = ${value}`)
}

const newestEvents = ownRows({
  table: auditEntry,
  owner: auditEntry.subjectId,
  columns: { ...eventColumns, ...computedOfOwnEvent },
  newest: auditEntry,
})

export const listSecurityEvents = reader
  .route({ method: "GET" })
  .input(Paging)
  .output(pageOf(SecurityEvent))
  .handler(async ({ context, input }) => {
    const rows = await context.askOnce(newestEvents, valuesOf(input))
    return pageOfRows(rows, input.limit)
  })
