import { and, eq, sql } from "drizzle-orm"
import * as z from "zod"

import { exportDescription } from "../../exports.ts"
import { withPlanOf } from "../../plan/plan.ts"
import { mayActOn, mayNotActOn } from "../admin/act.ts"
import { audit } from "../admin/audit.ts"
import { user } from "../auth/auth.table.ts"
import type { Configuration } from "../configuration/configuration.ts"
import { isAdmin, provenAdminReader, reader } from "../rpc/procedures.ts"
import { Export, exportQueries, firstProgress, type Progress, readExport } from "./data-export.ts"

const Cursor = z.string().max(2000)

const Sealed = z.object({ progress: z.record(z.string(), z.string().nullable()) })

const invalidCursor = {
  data: { issues: [{ path: ["cursor"], message: "Must be a cursor of this export" }] },
}

/** Sealed: it has times, and rowids, which count the rows of everybody. Undefined if it is not a cursor of the last day. */
async function progressOf({ keys }: Configuration, cursor: string | undefined) {
  if (cursor === undefined) return firstProgress
  const opened = await keys.open("export_cursor", cursor)
  return opened?.isExpired === false ? Sealed.safeParse(opened.claims).data?.progress : undefined
}

export const exportData = reader
  .route({
    method: "GET",
    summary: "Export all data stored about you",
    description: exportDescription,
  })
  .input(z.strictObject({ cursor: Cursor.optional() }))
  .output(Export)
  .handler(async ({ context, input: { cursor }, errors }) => {
    const { database, configuration } = context.services
    const progress = await progressOf(configuration, cursor)
    const { results } = await context.ask((userId) =>
      exportQueries({ database, userId, progress: progress ?? firstProgress }),
    )
    if (progress === undefined) throw errors.BAD_REQUEST(invalidCursor)
    return pageOf(configuration, progress, results)
  })

export const readMember = provenAdminReader
  .route({
    method: "GET",
    summary: "Read all data stored about a user",
    description: "For moderation. Every call is recorded in the audit log.",
  })
  .errors({ NOT_FOUND: { status: 404, message: "User not found" } })
  .input(z.strictObject({ userId: z.string().max(64), cursor: Cursor.optional() }))
  .output(Export)
  .handler(async ({ context, input: { userId, cursor }, errors }) => {
    const { database, configuration } = context.services
    const progress = await progressOf(configuration, cursor)
    if (progress === undefined) throw errors.BAD_REQUEST(invalidCursor)
    const { results: found } = await context.ask((actorId) => {
      const subjectId = sql`(select id from user where id = ${userId} and ${mayActOn(actorId, userId)})`
      const when = sql`${subjectId} is not null`
      return [
        audit({ database, actorId, action: "read_member", subjectId, when }),
        database
          .select({ id: user.id })
          .from(user)
          .where(and(eq(user.id, userId), isAdmin(actorId))),
        ...exportQueries({ database, userId: subjectId, progress }),
      ]
    })
    const [entries, named, ...results] = found
    if (named.length === 0) throw errors.NOT_FOUND()
    if (entries.length === 0) throw errors.FORBIDDEN({ message: mayNotActOn })
    return pageOf(configuration, progress, results)
  })

type Results = Parameters<typeof readExport>[1]

async function pageOf({ keys }: Configuration, before: Progress, results: Results) {
  const { rows, progress } = readExport(before, results)
  const [profile] = rows["profile"] ?? []
  const isLast = Object.keys(progress).length === 0
  const nextCursor = isLast ? null : await keys.seal("export_cursor", { progress })
  const page = Export.parse({ ...rows, profile: profile ?? null, nextCursor })
  return { ...page, profile: page.profile && withPlanOf(page.profile) }
}
