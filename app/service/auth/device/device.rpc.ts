import { and, eq } from "drizzle-orm"
import * as z from "zod"

import { failures } from "../../http/failure.ts"
import { member } from "../../rpc/procedures.ts"
import { session } from "../auth.table.ts"
import { Name } from "../profile.ts"

const renameSession = member
  .route({
    summary: "Name a device of yours",
    description: "Lists of sessions show the name beside what the browser says of itself.",
  })
  .errors({ NOT_FOUND: { status: failures.NOT_FOUND.status, message: "Session not found" } })
  .input(
    z.strictObject({
      sessionId: z.string().max(64),
      name: Name.nullable().describe("Null: none"),
    }),
  )
  .output(z.object({ id: z.string(), name: z.string().nullable() }))
  .handler(async ({ context, input: { sessionId, name }, errors }) => {
    const own = and(eq(session.id, sessionId), eq(session.userId, context.member.id))
    const [renamed] = await context.services.database
      .update(session)
      .set({ name })
      .where(and(own, context.isSignedIn))
      .returning({ id: session.id, name: session.name })
    if (renamed === undefined) throw errors.NOT_FOUND()
    return renamed
  })

export const devices = { renameSession }
