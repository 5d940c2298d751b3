import { and, eq } from "drizzle-orm"
import * as z from "zod"

import { session, user } from "../platform/database/auth.table.ts"
import { failures } from "../platform/http/failure.ts"
import { counted, member } from "../session/procedures.ts"
import { Image, Name, OwnProfile, Profile } from "../session/profile.ts"

const whoami = counted
  .route({ method: "GET" })
  .output(z.object({ user: Profile.pick({ id: true, name: true, role: true }).nullable() }))
  .handler(async ({ context }) => ({
    user: (await context.services.sessions.read(context.headers))?.user ?? null,
  }))

const getProfile = member
  .route({ method: "GET" })
  .output(OwnProfile)
  .handler(({ context }) => context.member)

const updateProfile = member
  .input(
    z.strictObject({
      name: Name.optional(),
      image: Image.nullable().optional(),
      language: OwnProfile.shape.language.optional(),
    }),
  )
  .output(OwnProfile)
  .handler(async ({ context, input, errors }) => {
    // Writes only the sent fields: writing all of them would undo a concurrent change.
    const [changed] = await context.services.database
      .update(user)
      .set({ ...input, updatedAt: new Date() })
      .where(and(eq(user.id, context.member.id), context.isSignedIn))
      .returning({ name: user.name, image: user.image, language: user.language })
    if (changed === undefined) throw errors.UNAUTHORIZED()
    return { ...context.member, ...changed }
  })

export const users = { whoami, getProfile, updateProfile }

const renameSession = member
  .errors({ NOT_FOUND: { status: failures.NOT_FOUND.status, message: "Session not found" } })
  .input(
    z.strictObject({
      sessionId: z.string().max(64),
      name: Name.nullable(),
    }),
  )
  .output(z.object({ id: z.string(), name: z.string().nullable() }))
  .handler(async ({ context, input: { sessionId, name }, errors }) => {
    const isOwn = and(eq(session.id, sessionId), eq(session.userId, context.member.id))
    const [renamed] = await context.services.database
      .update(session)
      .set({ name })
      .where(and(isOwn, context.isSignedIn))
      .returning({ id: session.id, name: session.name })
    if (renamed === undefined) throw errors.NOT_FOUND()
    return renamed
  })

export const devices = { renameSession }
