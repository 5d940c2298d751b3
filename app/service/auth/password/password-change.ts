import { and, eq, sql } from "drizzle-orm"

import { sendNamed } from "../../database/database.ts"
import { endAccess } from "../access-ending.ts"
import { hasPassword } from "../account-row.ts"
import { createApiError } from "../api-error.ts"
import {
  assuredSession,
  needsNoFactor,
  isStillProven,
  requireProof,
} from "../assurance/assurance.ts"
import { account } from "../auth.table.ts"
import { isStillSignedIn, refusalOf } from "../caller.ts"
import { giveSession, isBound } from "../cookie/session-binding.ts"
import type { Dependencies } from "../dependencies.ts"
import { post } from "../endpoint.ts"
import { openSession } from "../session-opening.ts"
import { attemptCredential, checkCurrentPassword } from "./current-password.ts"

/** Replaces the library's change of the password, after which older reset tokens stay good. */
export function passwordChange(dependencies: Dependencies) {
  const { configuration, database, attempts, letters, marks } = dependencies
  const changePassword = post("/change-password", assuredSession(dependencies), async (context) => {
    const { currentPassword, newPassword, revokeOtherSessions } = context.body
    const { user, session: own } = context.context.session
    const { hash } = context.context.password
    const { factor, needsFactor, remembered } = own
    const { headers } = context
    if (needsFactor || !isBound(configuration, headers, own.token)) {
      await requireProof(dependencies, own, headers)
    }
    const credential = await attemptCredential({ database, attempts }, user.id)
    if (credential === undefined) throw createApiError("CREDENTIAL_ACCOUNT_NOT_FOUND")
    await checkCurrentPassword(credential.hash, currentPassword)
    const password = await hash(newPassword)
    const isChanged = hasPassword(user.id, password)
    const forgets = !remembered
    // The password makes no proof of a factor newer.
    const shownAt = needsFactor ? own.provenAt : new Date()
    const opening = { database, userId: user.id, forgets, factor, shownAt, when: isChanged }
    const isAllowed = needsFactor
      ? isStillProven(own)
      : sql`${isStillSignedIn(own)} and ${needsNoFactor(own)}`
    const opened = revokeOtherSessions === true ? await openSession(context, opening) : undefined
    // A reset that came meanwhile counts, not the password that it ended.
    const { changed, entry } = await sendNamed(database, {
      changed: database
        .update(account)
        .set({ password, updatedAt: new Date() })
        .where(and(eq(account.id, credential.id), eq(account.password, credential.hash), isAllowed))
        .returning({ id: account.id }),
      attempts: attempts.takeBack("password", user.id),
      entry: letters.note(context.headers, {
        action: "change_password",
        userId: user.id,
        when: isChanged,
      }),
      ...endAccess(database, {
        userId: user.id,
        ...(opened === undefined && { keeps: "sessions" }),
        when: isChanged,
      }),
      ...opened?.statements,
    })
    if (changed[0] === undefined) throw await refusalOf(database, own, "INVALID_PASSWORD")
    letters.send(entry)
    await marks.knownBrowser.set(context, user.email)
    if (opened === undefined) return context.json({ token: null, user })
    await giveSession(
      context,
      configuration,
      { session: { ...opened.row, userId: user.id }, user },
      forgets,
    )
    return context.json({ token: opened.row.token, user })
  })
  return { changePassword }
}
