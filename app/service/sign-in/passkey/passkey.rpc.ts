import { and, eq, not, sql } from "drizzle-orm"
import * as z from "zod"

import { passkey, session } from "../../platform/database/auth.table.ts"
import { shownColumns } from "../../platform/database/columns.ts"
import { sendChange } from "../../platform/database/database.ts"
import { failures } from "../../platform/http/failure.ts"
import { endAccess } from "../../session/access-ending.ts"
import { mustHaveFactor } from "../../session/assurance/assurance.ts"
import { hasFactor, hasOtherMethod } from "../../session/assurance/authenticators.ts"
import { member, provenMember } from "../../session/procedures.ts"
import { Name } from "../../session/profile.ts"

export const Passkey = z.object({
  id: z.string(),
  name: z.string(),
  backedUp: z.boolean(),
  createdAt: z.date(),
  usedAt: z.date().nullable(),
})

export const shownOfPasskey = shownColumns(passkey, Passkey)

const notFound = { NOT_FOUND: { status: 404, message: "Passkey not found" } } as const
const passkeyId = z.string().max(64)

const renamePasskey = member
  .errors(notFound)
  .input(z.strictObject({ passkeyId, name: Name }))
  .output(Passkey)
  .handler(async ({ context, input, errors }) => {
    const { database } = context.services
    const isOwn = and(eq(passkey.id, input.passkeyId), eq(passkey.userId, context.member.id))
    const [renamed] = await database
      .update(passkey)
      .set({ name: input.name })
      .where(and(isOwn, context.isSignedIn))
      .returning(shownOfPasskey)
    if (renamed === undefined) throw errors.NOT_FOUND()
    return renamed
  })

const removePasskey = provenMember
  .errors({
    ...notFound,
    SECOND_FACTOR_MANDATORY: failures.SECOND_FACTOR_MANDATORY,
    LAST_WAY: { status: 409, message: "It is the last way to sign in; add another one first" },
  })
  .input(z.strictObject({ passkeyId }))
  .output(z.object({ id: z.string() }))
  .handler(async ({ context, input: { passkeyId: id }, errors }) => {
    const { database, configuration, letters } = context.services
    const userId = context.member.id
    const isRemoved = and(eq(passkey.id, id), eq(passkey.userId, userId))
    const keepsOther = hasOtherMethod(configuration, userId, { passkeyId: id })
    const isOwn = sql`exists (select 1 from ${passkey} where ${isRemoved})`
    const isSpare = sql`(not ${mustHaveFactor(configuration, userId)} or ${hasFactor(userId, id)})`
    const when = sql`${isOwn} and ${keepsOther} and ${isSpare} and ${context.isSignedIn}`
    const { entry, removed } = await sendChange(database, {
      before: {
        entry: letters.note(context.headers, {
          action: "passkey_removed",
          userId,
          detail: id,
          when,
        }),
      },
      change: {
        ...endAccess(database, { userId, keeps: { token: context.token }, when }),
        removed: database.delete(passkey).where(and(isRemoved, when)).returning({ id: passkey.id }),
      },
      after: {
        // The session loses its factor unless another passkey or an app remains.
        session: database
          .update(session)
          .set({ factor: null })
          .where(and(eq(session.token, context.token), not(hasFactor(userId)))),
      },
    })
    if (removed[0] === undefined) {
      const hasOther = sql<number>`${keepsOther}`
      const [row] = await database.select({ hasOther }).from(passkey).where(isRemoved)
      if (row === undefined) throw errors.NOT_FOUND()
      throw row.hasOther === 1 ? errors.SECOND_FACTOR_MANDATORY() : errors.LAST_WAY()
    }
    letters.send(entry)
    return { id }
  })

export const passkeyProcedures = { renamePasskey, removePasskey }
