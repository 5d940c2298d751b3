import { sql } from "drizzle-orm"
import * as z from "zod"

import { audit } from "../admin/audit.ts"
import { withPlanOf } from "../plan/plan.ts"
import { adminReader, isAdmin, reader } from "../rpc/procedures.ts"
import {
  collections,
  Export,
  exportQueries,
  firstProgress,
  type Progress,
  readExport,
} from "./data-export.ts"

const rowid = z.int().min(0)

const Cursor = z
  .string()
  .max(2000)
  .transform((text, context): Progress => {
    const parsed = z.record(z.string(), rowid).safeParse(decode(text))
    const names = Object.keys(parsed.data ?? {})
    const known = names.every((name) => Object.hasOwn(collections, name))
    if (parsed.success && known && names.length > 0) return parsed.data
    context.addIssue({ code: "custom", message: "Invalid cursor for this export" })
    return z.NEVER
  })

const exportData = reader
  .route({
    method: "GET",
    path: "/exportData",
    summary: "Export all data stored about you",
    description:
      "In pages of up to 200 of each kind, 20 of compatibility results; a kind that is complete is empty on later pages. Without passwords and tokens, and without deep insights that have not been paid for.",
    tags: ["user"],
  })
  .input(z.strictObject({ cursor: Cursor.optional() }))
  .output(Export)
  .handler(async ({ context, input: { cursor: progress = firstProgress } }) => {
    const { database } = context.services
    const { results } = await context.ask((userId) => exportQueries({ database, userId, progress }))
    return pageOf(progress, results)
  })

const readMember = adminReader
  .route({
    method: "GET",
    path: "/readMember",
    summary: "Read all data stored about a user",
    description: "For moderation. Every call is recorded in the audit log.",
    tags: ["admin"],
  })
  .errors({ NOT_FOUND: { status: 404, message: "User not found" } })
  .input(z.strictObject({ userId: z.string().max(64), cursor: Cursor.optional() }))
  .output(Export)
  .handler(async ({ context, input: { userId, cursor: progress = firstProgress }, errors }) => {
    const { database } = context.services
    const { results: found } = await context.ask((actorId) => {
      const subjectId = sql`(select id from user where id = ${userId} and ${isAdmin(actorId)})`
      const when = sql`${subjectId} is not null`
      return [
        audit({ database, actorId, action: "read_member", subjectId, when }),
        ...exportQueries({ database, userId: subjectId, progress }),
      ]
    })
    const [entries, ...results] = found
    if (entries.length === 0) throw errors.NOT_FOUND()
    return pageOf(progress, results)
  })

type Results = Parameters<typeof readExport>[1]

function pageOf(before: Progress, results: Results) {
  const { rows, progress } = readExport(before, results)
  const [profile] = rows["profile"] ?? []
  const nextCursor = Object.keys(progress).length === 0 ? null : encode(progress)
  const page = Export.parse({ ...rows, profile: profile ?? null, nextCursor })
  return { ...page, profile: page.profile && withPlanOf(page.profile) }
}

function encode(progress: Progress) {
  return Buffer.from(JSON.stringify(progress)).toString("base64url")
}

function decode(text: string): unknown {
  try {
    return JSON.parse(Buffer.from(text, "base64url").toString())
  } catch {
    return null
  }
}

export const dataExport = { exportData, readMember }
