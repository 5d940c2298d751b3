import { and, desc, eq, type SQL, sql } from "drizzle-orm"
import { alias } from "drizzle-orm/sqlite-core"
import * as z from "zod"

import { roles, user } from "../auth/auth.table.ts"
import { Device, unpackDevice } from "../auth/device.ts"
import { listedValue } from "../rpc/fields.ts"
import { ownRows } from "../rpc/own-rows.ts"
import { after, pageFrom, pageOf, pageOfRows, Paging, valuesOf } from "../rpc/pagination.ts"
import { adminReader, isAdmin, reader } from "../rpc/procedures.ts"
import { auditActions, auditEntry } from "./audit-entry.table.ts"
import { audit } from "./audit.ts"

/** An account, by its id or its whole address: an address that has no account is nobody's, and never logged. */
const account = z
  .string()
  .trim()
  .max(254)
  .transform((text) =>
    text.includes("@")
      ? sql<string>`(select id from ${user} where email = ${text.toLowerCase()})`
      : sql<string>`${text.slice(0, 64)}`,
  )
  .describe("Id, or the whole address")

const causes = ["you", "link", "stranger", "admin", "operator"] as const

/** Whether a member was signed in when they did it. */
const isOwn = sql`${auditEntry.actorId} is ${auditEntry.subjectId}`

/** How it came about: nothing that a member did is another's act. */
const cause = sql<(typeof causes)[number]>`case
  when ${isOwn} then 'you'
  when ${auditEntry.actorId} is not null then 'admin'
  when ${auditEntry.action} in ('verify_email', 'reset_password') then 'link'
  when ${auditEntry.action} in ('sign_in_refused', 'sign_in_locked', 'second_factor_refused',
    'second_factor_locked') then 'stranger'
  else 'operator' end`

const spaced = sql`${auditEntry.detail} || ' '`
const isSignIn = sql`${auditEntry.action} = 'sign_in'`

/** An entry as its subject sees it. */
export const Event = z.object({
  id: z.string(),
  action: listedValue(auditActions),
  detail: z.string().nullable(),
  method: z
    .string()
    .nullable()
    .describe("Of a sign-in: `password`, `code`, `passkey` or the id of a provider"),
  factor: z.string().nullable().describe("Of a sign-in: the second factor that it was shown"),
  device: Device.nullable().describe(
    "Where it was done; null where it is not known, or an admin's",
  ),
  how: listedValue(causes).describe(
    "`link`: by who had the link of an email; `stranger`: by somebody who was not signed in; `operator`: by who runs the service, or the service itself",
  ),
  createdAt: z.date(),
})

/** What of an event is no column, or another one. */
const computedOfEvent = {
  device: sql`${auditEntry.device}`.mapWith(unpackDevice).as("device"),
  how: cause.as("how"),
  method: sql<string | null>`case when ${isSignIn} then
    substr(${auditEntry.detail}, 1, instr(${spaced}, ' ') - 1) end`.as("method"),
  factor: sql<string | null>`case when ${isSignIn} then
    nullif(substr(${auditEntry.detail}, instr(${spaced}, ' ') + 1), '') end`.as("factor"),
}

const { id, action, detail, createdAt } = auditEntry
export const eventColumns = { id, action, detail, createdAt, ...computedOfEvent }

const [actor, subject] = [alias(user, "actor"), alias(user, "subject")]

const Named = z.object({ name: z.string(), email: z.string(), role: listedValue(roles) })

const named = Named.nullable().describe(
  "As they are now; null where there is no such account any more",
)

/** One column for each: two of the same name would be one in what a batch answers. */
function nameOf({ id: key, name, email, role }: typeof actor | typeof subject) {
  return sql<z.infer<typeof named>>`case when ${key} is not null then
    json_object('name', ${name}, 'email', ${email}, 'role', ${role}) end`.mapWith((text: string) =>
    Named.parse(JSON.parse(text)),
  )
}

export const listAuditEntries = adminReader
  .route({ method: "GET", summary: "List the audit log, newest first" })
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
        actorId: z.string().nullable().describe("Null where nobody was signed in"),
        subjectId: z.string().nullable(),
        actor: named,
        subject: named,
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

export const SecurityEvent = Event.extend({
  byYou: z.boolean().describe("Whether you were signed in when you did it"),
})

export const computedOfOwnEvent = { ...computedOfEvent, byYou: isOwn.mapWith(Boolean).as("by_you") }

const newestEvents = ownRows({
  table: auditEntry,
  owner: auditEntry.subjectId,
  columns: { ...eventColumns, ...computedOfOwnEvent },
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
