import { and, desc, eq, isNull, sql } from "drizzle-orm"
import * as z from "zod"

import { createId } from "../identifier.ts"
import { member, reader } from "../rpc/procedures.ts"
import { WellFormed } from "../well-formed.ts"
import { consent, purposes } from "./consent.table.ts"

const tags = ["consent"]

export const Consent = z.object({
  id: z.string(),
  purpose: z.enum(purposes),
  version: z.string(),
  grantedAt: z.date(),
  withdrawnAt: z.date().nullable(),
})

const recordConsent = member
  .route({
    method: "POST",
    path: "/recordConsent",
    summary: "Record consent to a version of a document",
    description: "Recording a consent that is still in force changes nothing.",
    tags,
  })
  .input(z.strictObject({ purpose: z.enum(purposes), version: WellFormed.min(1).max(40) }))
  .output(Consent)
  .handler(async ({ context, input }) => {
    const granted = {
      id: createId("consent"),
      userId: context.member.id,
      purpose: input.purpose,
      version: input.version,
      grantedAt: new Date(),
      withdrawnAt: null,
    }
    const { database } = context.services
    const standing = and(
      eq(consent.userId, granted.userId),
      eq(consent.purpose, granted.purpose),
      eq(consent.version, granted.version),
      isNull(consent.withdrawnAt),
    )
    const [, [row]] = await database.batch([
      database.insert(consent).values(granted).onConflictDoNothing(),
      database.select().from(consent).where(standing),
    ])
    return row ?? granted
  })

const listConsents = reader
  .route({
    method: "GET",
    path: "/listConsents",
    summary: "List your 100 most recent consents, newest first",
    tags,
  })
  .output(z.object({ items: z.array(Consent) }))
  .handler(async ({ context }) => {
    const { database } = context.services
    const {
      results: [items],
    } = await context.ask((callerId) => [
      database
        .select()
        .from(consent)
        .where(eq(consent.userId, callerId))
        .orderBy(desc(consent.grantedAt), desc(consent.id))
        .limit(100),
    ])
    return { items }
  })

const withdrawConsent = member
  .route({ method: "POST", path: "/withdrawConsent", summary: "Withdraw a consent", tags })
  .errors({ NOT_FOUND: { status: 404, message: "Consent not found" } })
  .input(z.strictObject({ id: z.string().max(64) }))
  .output(Consent)
  .handler(async ({ context, input, errors }) => {
    const [row] = await context.services.database
      .update(consent)
      .set({ withdrawnAt: sql`coalesce(${consent.withdrawnAt}, ${Date.now()})` })
      .where(and(eq(consent.id, input.id), eq(consent.userId, context.member.id)))
      .returning()
    if (row === undefined) throw errors.NOT_FOUND()
    return row
  })

export const consents = { recordConsent, listConsents, withdrawConsent }
