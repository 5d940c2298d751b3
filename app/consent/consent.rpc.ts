import { and, eq, getTableColumns, isNull, sql } from "drizzle-orm"
import * as z from "zod"

import { createId, rowIf } from "../service/platform/database/database.ts"
import type { Collections } from "../service/platform/database/records.ts"
import { listedValue } from "../service/platform/rpc/fields.ts"
import { pageOf, pageOfRows, Paging, valuesOf } from "../service/platform/rpc/pagination.ts"
import { ownRows } from "../service/session/own-rows.ts"
import { member, nearReader } from "../service/session/procedures.ts"
import { capacity, consent, purposes } from "./consent.table.ts"

const Consent = z.object({
  id: z.string(),
  purpose: listedValue(purposes),
  version: z.string(),
  grantedAt: z.date(),
  withdrawnAt: z.date().nullable(),
})

/**
 * A date or a number. It is kept with the proof of consent after the account is deleted, so it must not contain a
 * member's own text.
 */
export const Version = z
  .string()
  .regex(/^\d{1,4}([.-]\d{1,2}){0,3}$/, "Must be a date or a number, such as 2026-10 or 1.2")

const recordConsent = member
  .errors({ TOO_MANY_CONSENTS: { status: 409, message: `At most ${capacity} consents` } })
  .input(z.strictObject({ purpose: z.enum(purposes), version: Version }))
  .output(Consent)
  .handler(async ({ context, input, errors }) => {
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
    const ownCount = sql`select count(*) from ${consent} where ${eq(consent.userId, granted.userId)}`
    const hasRoom = sql`(${ownCount}) < ${capacity}`
    const [, [row]] = await database.batch([
      database
        .insert(consent)
        .select(rowIf(consent, granted, sql`${hasRoom} and ${context.isSignedIn}`))
        .onConflictDoNothing(),
      database.select().from(consent).where(standing),
    ])
    if (row === undefined) throw errors.TOO_MANY_CONSENTS()
    return row
  })

const newestConsents = ownRows({
  table: consent,
  owner: consent.userId,
  columns: getTableColumns(consent),
  newest: { createdAt: consent.grantedAt, id: consent.id },
})

const listConsents = nearReader
  .route({ method: "GET" })
  .input(Paging.extend({ limit: Paging.shape.limit.default(100) }))
  .output(pageOf(Consent))
  .handler(async ({ context, input }) => {
    const rows = await context.askOnce(newestConsents, valuesOf(input))
    const dated = rows.map(({ row }) => ({ row: row && { ...row, createdAt: row.grantedAt } }))
    return pageOfRows(dated, input.limit)
  })

const withdrawConsent = member
  .errors({ NOT_FOUND: { status: 404, message: "Consent not found" } })
  .input(z.strictObject({ id: z.string().max(64) }))
  .output(Consent)
  .handler(async ({ context, input, errors }) => {
    const [row] = await context.services.database
      .update(consent)
      .set({ withdrawnAt: sql`coalesce(${consent.withdrawnAt}, ${Date.now()})` })
      .where(
        and(eq(consent.id, input.id), eq(consent.userId, context.member.id), context.isSignedIn),
      )
      .returning()
    if (row === undefined) throw errors.NOT_FOUND()
    return row
  })

export const consentExport: Collections = {
  consents: {
    table: consent,
    owner: consent.userId,
    item: Consent,
    order: [consent.grantedAt, consent.id],
  },
}

export const consents = { recordConsent, listConsents, withdrawConsent }
