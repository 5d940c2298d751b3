import { and, eq, isNull, sql } from "drizzle-orm"
import * as z from "zod"

import { NewPassword } from "../../guard/new-password.ts"
import { account, user } from "../../platform/database/auth.table.ts"
import { rowIf, sendChange } from "../../platform/database/database.ts"
import { createApiError } from "../../platform/http/failure.ts"
import { endAccess } from "../../session/access-ending.ts"
import {
  assuredSession,
  isStillProven,
  needsNoFactor,
  provenSession,
  requireProof,
} from "../../session/assurance/assurance.ts"
import { credentialRow, hasPassword } from "../../session/assurance/authenticators.ts"
import { isStillSignedIn, refusalOf } from "../../session/caller.ts"
import { type Dependencies, type Path, post } from "../../session/endpoint.ts"
import { isBound } from "../../session/session-binding.ts"
import { enterAccount, openSession } from "../../session/session-opening.ts"
import {
  attemptCredential,
  checkCurrentPassword,
  Password,
} from "../../sign-in/password/password.ts"

export const passwordPaths = {
  change: {
    path: "/change-password",
    is: ["password"],
    body: z.object({
      currentPassword: Password,
      newPassword: NewPassword,
      revokeOtherSessions: z.boolean().optional(),
    }),
  },
  set: {
    path: "/set-password",
    is: ["password"],
    body: z.object({ newPassword: NewPassword }),
  },
} as const satisfies Record<string, Path>

/** Replaces the library's password change, which leaves older reset tokens valid. */
export function passwordChange(dependencies: Dependencies) {
  const { configuration, database, attempts, letters, marks } = dependencies
  const use = assuredSession(dependencies)
  const changePassword = post(passwordPaths.change, use, async (context) => {
    const { currentPassword, newPassword, revokeOtherSessions } = context.body
    const { user: owner, session: ownSession } = context.context.session
    const { hash } = context.context.password
    const { factor, needsFactor, remembered } = ownSession
    const { headers } = context
    if (needsFactor || !isBound(configuration, headers, ownSession.token)) {
      await requireProof(dependencies, ownSession, headers)
    }
    const credential = await attemptCredential({ database, attempts }, owner.id)
    if (credential === undefined) throw createApiError("CREDENTIAL_ACCOUNT_NOT_FOUND")
    await checkCurrentPassword(credential.hash, currentPassword)
    const password = await hash(newPassword)
    const isChanged = hasPassword(owner.id, password)
    const forgets = !remembered
    // The password alone does not renew the proof of a second factor.
    const shownAt = needsFactor ? ownSession.provenAt : new Date()
    const opening = { database, userId: owner.id, forgets, factor, shownAt, when: isChanged }
    const isAllowed = needsFactor
      ? isStillProven(ownSession)
      : sql`${isStillSignedIn(ownSession)} and ${needsNoFactor(ownSession)}`
    const opened = revokeOtherSessions === true ? await openSession(context, opening) : undefined
    // A concurrent reset takes precedence over the password that it replaced.
    const { changed, entry } = await sendChange(database, {
      change: {
        changed: database
          .update(account)
          .set({ password, updatedAt: new Date() })
          .where(
            and(eq(account.id, credential.id), eq(account.password, credential.hash), isAllowed),
          )
          .returning({ id: account.id }),
      },
      after: {
        attempts: attempts.takeBack("password", owner.id),
        entry: letters.note(context.headers, {
          action: "change_password",
          userId: owner.id,
          when: isChanged,
        }),
        ...endAccess(database, {
          userId: owner.id,
          ...(opened === undefined && { keeps: "sessions" }),
          when: isChanged,
        }),
        ...opened?.statements,
      },
    })
    if (changed[0] === undefined) throw await refusalOf(database, ownSession, "INVALID_PASSWORD")
    letters.send(entry)
    if (opened !== undefined) {
      return context.json(await enterAccount(context, dependencies, { row: opened.row, owner }))
    }
    await marks.knownBrowser.set(context, owner.email)
    return context.json({ token: null, user: owner })
  })
  return { changePassword }
}

/** Sets a first password for a member who has only used a provider. A reset would also work, but requires an email. */
export function passwordSetting({ configuration, database, letters, marks }: Dependencies) {
  const use = provenSession({ configuration, database })
  const setPassword = post(passwordPaths.set, use, async (context) => {
    const { user: owner, session: ownSession } = context.context.session
    const password = await context.context.password.hash(context.body.newPassword)
    const isSet = hasPassword(owner.id, password)
    const { signedIn, set, entry } = await sendChange(database, {
      before: {
        signedIn: database
          .select({ isProven: sql<number>`${isStillProven(ownSession)}` })
          .from(user)
          .where(eq(user.id, owner.id)),
      },
      change: {
        set: database
          .insert(account)
          .select(rowIf(account, credentialRow(owner.id, password), isStillProven(ownSession)))
          .onConflictDoUpdate({
            target: [account.providerId, account.accountId],
            set: { password, updatedAt: new Date() },
            setWhere: isNull(account.password),
          })
          .returning({ id: account.id }),
      },
      after: {
        ...endAccess(database, { userId: owner.id, keeps: "sessions", when: isSet }),
        entry: letters.note(context.headers, {
          action: "set_password",
          userId: owner.id,
          when: isSet,
        }),
      },
    })
    if (signedIn[0]?.isProven !== 1) throw createApiError("UNAUTHORIZED")
    if (set[0] === undefined) throw createApiError("PASSWORD_EXISTS")
    letters.send(entry)
    await marks.knownBrowser.set(context, owner.email)
    return context.json({ status: true })
  })
  return { setPassword }
}
