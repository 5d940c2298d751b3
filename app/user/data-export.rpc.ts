import { sql } from "drizzle-orm"
import * as z from "zod"

import { audit } from "../admin/audit.ts"
import { admin, member } from "../rpc/procedures.ts"
import { exported, exportFrom, type Progress, start } from "./data-export.ts"

const rowid = z.int().min(0)

const Cursor = z
  .string()
  .max(2000)
  .transform((text, context): Progress => {
    const parsed = z.record(z.string(), rowid).safeParse(decode(text))
    const known = Object.keys(parsed.data ?? {}).every((name) => name in exported)
    if (parsed.success && known) return parsed.data
    context.addIssue({ code: "custom", message: "Not a cursor of an export" })
    return z.NEVER
  })

const Export = z.object({
  tables: z.record(z.string(), z.array(z.record(z.string(), z.unknown()))),
  nextCursor: z.string().nullable().describe("For the rows that are left; null at the end"),
})

const exportData = member
  .route({
    method: "GET",
    path: "/exportData",
    summary: "Take out everything the service has about oneself",
    tags: ["user"],
  })
  .input(z.strictObject({ cursor: Cursor.optional() }))
  .output(Export)
  .handler(async ({ context, input: { cursor = start } }) => {
    const { database } = context.isolate
    const userId = context.member.id
    return answer(await exportFrom({ database, userId, progress: cursor }))
  })

const readMember = admin
  .route({
    method: "GET",
    path: "/readMember",
    summary: "Read everything the service has about a user",
    description: "For moderation; every call is written to the audit.",
    tags: ["admin"],
  })
  .errors({ NOT_FOUND: { status: 404, message: "There is no such user" } })
  .input(z.strictObject({ userId: z.string().max(64), cursor: Cursor.optional() }))
  .output(Export)
  .handler(async ({ context, input: { userId, cursor = start }, errors }) => {
    const { database } = context.isolate
    const when = sql`exists (select 1 from user where id = ${userId})`
    const actorId = context.member.id
    const entry = { database, actorId, action: "read_member", subjectId: userId, when } as const
    const { meta } = await audit(entry)
    if (meta.changes === 0) throw errors.NOT_FOUND()
    return answer(await exportFrom({ database, userId, progress: cursor }))
  })

type Part = Awaited<ReturnType<typeof exportFrom>>

function answer({ tables, progress }: Part) {
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

export const exports = { exportData, readMember }
