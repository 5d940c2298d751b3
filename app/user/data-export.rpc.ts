import { sql } from "drizzle-orm"
import * as z from "zod"

import { audit } from "../admin/audit.ts"
import { admin, member } from "../rpc/procedures.ts"
import { exportedTables, exportPage, firstProgress, type Progress } from "./data-export.ts"

const rowid = z.int().min(0)

const Cursor = z
  .string()
  .max(2000)
  .transform((text, context): Progress => {
    const parsed = z.record(z.string(), rowid).safeParse(decode(text))
    const names = Object.keys(parsed.data ?? {})
    const known = names.every((name) => Object.hasOwn(exportedTables, name))
    if (parsed.success && known && names.length > 0) return parsed.data
    context.addIssue({ code: "custom", message: "Invalid cursor for this export" })
    return z.NEVER
  })

const Export = z.object({
  tables: z.record(z.string(), z.array(z.record(z.string(), z.unknown()))),
  nextCursor: z.string().nullable().describe("Cursor of the next page; null on the last page"),
})

const exportData = member
  .route({
    method: "GET",
    path: "/exportData",
    summary: "Export all data stored about you",
    tags: ["user"],
  })
  .input(z.strictObject({ cursor: Cursor.optional() }))
  .output(Export)
  .handler(async ({ context, input: { cursor = firstProgress } }) => {
    const { database } = context.services
    const userId = context.member.id
    return answer(await exportPage({ database, userId, progress: cursor }))
  })

const readMember = admin
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
  .handler(async ({ context, input: { userId, cursor = firstProgress }, errors }) => {
    const { database } = context.services
    const when = sql`exists (select 1 from user where id = ${userId})`
    const actorId = context.member.id
    const entry = { database, actorId, action: "read_member", subjectId: userId, when } as const
    const { meta } = await audit(entry)
    if (meta.changes === 0) throw errors.NOT_FOUND()
    return answer(await exportPage({ database, userId, progress: cursor }))
  })

type Page = Awaited<ReturnType<typeof exportPage>>

function answer({ tables, progress }: Page) {
  return {
    tables,
    nextCursor: Object.keys(progress).length === 0 ? null : encode(progress),
  }
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
