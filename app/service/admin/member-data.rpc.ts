import { and, eq, sql } from "drizzle-orm"
import * as z from "zod"

import { ExportCursor, invalidCursor } from "../account/export/data-export.rpc.ts"
import type { DataExport } from "../account/export/data-export.ts"
import { audit } from "../platform/audit/audit.ts"
import { user } from "../platform/database/auth.table.ts"
import { isAdmin, provenAdminReader } from "../session/procedures.ts"
import { mayActOn, mayNotActOn } from "./act.ts"

export function readMember(dataExport: DataExport) {
  return provenAdminReader
    .route({ method: "GET" })
    .errors({ NOT_FOUND: { status: 404, message: "User not found" } })
    .input(z.strictObject({ userId: z.string().max(64), cursor: ExportCursor.optional() }))
    .output(dataExport.Page)
    .handler(async ({ context, input: { userId, cursor }, errors }) => {
      const { database, configuration } = context.services
      const progress = await dataExport.progressOf(configuration, cursor)
      if (progress === undefined) throw errors.BAD_REQUEST(invalidCursor)
      const {
        results: [entries, accounts, ...results],
      } = await context.ask((actorId) => {
        const subjectId = sql`(select id from user where id = ${userId} and ${mayActOn(actorId, userId)})`
        const when = sql`${subjectId} is not null`
        return [
          audit({ database, actorId, action: "read_member", subjectId, when }),
          database
            .select({ id: user.id })
            .from(user)
            .where(and(eq(user.id, userId), isAdmin(actorId))),
          ...dataExport.queriesOf({ database, userId: subjectId, progress }),
        ]
      })
      if (accounts.length === 0) throw errors.NOT_FOUND()
      if (entries.length === 0) throw errors.FORBIDDEN({ message: mayNotActOn })
      return dataExport.pageOf(configuration, progress, results)
    })
}
