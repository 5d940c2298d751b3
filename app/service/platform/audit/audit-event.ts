import { sql } from "drizzle-orm"
import * as z from "zod"

import { Device, unpackDevice } from "../http/device.ts"
import { listedValue } from "../rpc/fields.ts"
import { auditActions, auditEntry } from "./audit-entry.table.ts"

const causes = ["you", "link", "stranger", "admin", "operator"] as const

/** Whether the member was signed in during the action. */
const isOwn = sql`${auditEntry.actorId} is ${auditEntry.subjectId}`

/** Origin of an action, so that a member's own action is never shown as another person's. */
const cause = sql<(typeof causes)[number]>`case
  when ${isOwn} then 'you'
  when ${auditEntry.actorId} is not null then 'admin'
  when ${auditEntry.action} in ('sign_up', 'verify_email', 'reset_password') then 'link'
  when ${auditEntry.action} in ('sign_in_refused', 'sign_in_locked', 'second_factor_refused',
    'second_factor_locked') then 'stranger'
  else 'operator' end`

const spaced = sql`${auditEntry.detail} || ' '`
const hasMethod = sql`${auditEntry.action} in ('sign_up', 'sign_in')`

/** An entry as its subject sees it. */
export const Event = z.object({
  id: z.string(),
  action: listedValue(auditActions),
  detail: z.string().nullable(),
  method: z.string().nullable(),
  factor: z.string().nullable(),
  device: Device.nullable(),
  how: listedValue(causes),
  createdAt: z.date(),
})

/** Properties of an event that are not a column of the same name. */
const computedOfEvent = {
  device: sql`${auditEntry.device}`.mapWith(unpackDevice).as("device"),
  how: cause.as("how"),
  method: sql<string | null>`case when ${hasMethod} then
    substr(${auditEntry.detail}, 1, instr(${spaced}, ' ') - 1) end`.as("method"),
  factor: sql<string | null>`case when ${hasMethod} then
    nullif(substr(${auditEntry.detail}, instr(${spaced}, ' ') + 1), '') end`.as("factor"),
}

const { id, action, detail, createdAt } = auditEntry
export const eventColumns = { id, action, detail, createdAt, ...computedOfEvent }

export const SecurityEvent = Event.extend({
  byYou: z.boolean(),
})

export const computedOfOwnEvent = { ...computedOfEvent, byYou: isOwn.mapWith(Boolean).as("by_you") }
