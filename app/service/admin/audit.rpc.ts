import { and, desc, eq, gte, lt, sql } from "drizzle-orm"
import { alias } from "drizzle-orm/sqlite-core"
import * as z from "zod"

import {
  actionGroups,
  type AuditAction,
  auditActions,
  auditEntry,
} from "../platform/audit/audit-entry.table.ts"
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

/** An account's id or full address. An address without an account matches no entry, and is never logged. */
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

/** Returns one JSON column per person, because a batch would merge columns of the same name. */
function nameOf({ id: key, name, email, role }: typeof actor | typeof subject) {
  return sql<z.infer<typeof nullableName>>`case when ${key} is not null then
    json_object('name', ${name}, 'email', ${email}, 'role', ${role}) end`.mapWith((text: string) =>
    Named.parse(JSON.parse(text)),
  )
}

/** A date means midnight UTC. */
const Time = z
  .union([z.iso.date(), z.iso.datetime({ offset: true })])
  .transform((text) => new Date(text))

const groupNames = [
  "access",
  "account",
  "admin",
  "payment",
] as const satisfies (keyof typeof actionGroups)[]

const EntryQuery = Paging.extend({
  actorId: account.optional(),
  subjectId: account.optional(),
  about: account.optional(),
  action: z.enum(auditActions).optional(),
  group: z.enum(groupNames).optional(),
  since: Time.optional(),
  until: Time.optional(),
})

type Query = z.infer<typeof EntryQuery>

export const listAuditEntries = adminReader
  .route({ method: "GET" })
  .input(EntryQuery)
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
  .handler(async ({ context, input }) => {
    const { database } = context.services
    const { limit, subjectId = input.about } = input
    const { where, order } = selectionOf(input)
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
        .where(and(isAdmin(callerId), where))
        .orderBy(...order)
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
 * Returns the condition and the order of the list. Entries about an account or a group of actions come from several
 * indexes, at most a page from each. SQLite would otherwise read and sort all of them.
 */
function selectionOf(input: Query) {
  const { limit, cursor, actorId, subjectId, action, group, since, until } = input
  const actions = action === undefined ? group && actionGroups[group] : [action]
  const leads = leadsOf(input, actions)
  // A `+` keeps SQLite from using the column's index, so that each page uses the index of its lead.
  const where = and(
    subjectId && sql`+${auditEntry.subjectId} = ${subjectId}`,
    actorId && sql`+${auditEntry.actorId} = ${actorId}`,
    actions && sql`+${auditEntry.action} in (${sql.raw(actions.map(quoted).join(", "))})`,
    since && gte(auditEntry.createdAt, since),
    until && lt(auditEntry.createdAt, until),
    after(auditEntry, cursor),
  )
  const order = [desc(auditEntry.createdAt), desc(auditEntry.id)]
  if (leads.length === 1) return { where: and(leads[0], where), order }
  const pages = leads.map(
    (lead) => sql`${auditEntry.id} in (select id from ${auditEntry} where ${and(lead, where)}
      order by ${order[0]}, ${order[1]} limit ${sql.raw(`${limit + 1}`)})`,
  )
  return {
    where: sql`(${sql.join(pages, sql` or `)})`,
    order: [desc(sql`+${auditEntry.createdAt}`), desc(auditEntry.id)],
  }
}

/** Returns an action as a literal, because a statement may have at most 100 parameters. */
function quoted(action: AuditAction) {
  return `'${action}'`
}

/** Returns conditions that each select one index; together they select the list. */
function leadsOf(
  { about, subjectId, actorId }: Query,
  actions: readonly AuditAction[] | undefined,
) {
  if (about) return [auditEntry.subjectId, auditEntry.actorId].map((column) => eq(column, about))
  if (subjectId) return [eq(auditEntry.subjectId, subjectId)]
  if (actorId) return [eq(auditEntry.actorId, actorId)]
  return actions
    ? actions.map((each) => sql`${auditEntry.action} = ${sql.raw(quoted(each))}`)
    : [sql`true`]
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
