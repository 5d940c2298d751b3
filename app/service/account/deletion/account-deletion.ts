import { waitUntil } from "cloudflare:workers"
import { eq, sql } from "drizzle-orm"
import * as z from "zod"

import { auditOwn } from "../../platform/audit/audit.ts"
import { user } from "../../platform/database/auth.table.ts"
import { sendChange } from "../../platform/database/database.ts"
import { createApiError } from "../../platform/http/failure.ts"
import {
  assuredSession,
  isStillProven,
  needsNoFactor,
  requireProof,
} from "../../session/assurance/assurance.ts"
import { isStillSignedIn } from "../../session/caller.ts"
import { type Dependencies, type Path, post } from "../../session/endpoint.ts"
import { takeSession } from "../../session/session-binding.ts"
import {
  attemptCredential,
  checkCurrentPassword,
  Password,
} from "../../sign-in/password/password.ts"
import { deletionStatements, leavesAnOwner } from "./deletion-statements.ts"

export const deleteUserPath = {
  path: "/delete-user",
  body: z.object({ password: Password.optional() }),
} as const satisfies Path

/**
 * Replaces the library's deletion of an account, which requires no password in a fresh session, and which could check
 * the last owner only by a read before the change.
 */
export function accountDeletion(dependencies: Dependencies) {
  const { configuration, database, attempts } = dependencies
  const deleteUser = post(deleteUserPath, assuredSession(dependencies), async (context) => {
    const { session, user: leaving } = context.context.session
    const { password } = context.body
    // A credential that cannot sign in proves nothing.
    const credential =
      password !== undefined && configuration.passwords
        ? await attemptCredential({ database, attempts }, leaving.id)
        : undefined
    const isProof = credential !== undefined && !session.needsFactor
    if (!isProof) await requireProof(dependencies, session, context.headers)
    if (credential !== undefined) await checkCurrentPassword(credential.hash, password ?? "")
    const isSignedIn = isProof
      ? sql`${isStillSignedIn(session)} and ${needsNoFactor(session)}`
      : isStillProven(session)
    const mayLeave = sql`${isSignedIn} and ${leavesAnOwner(leaving.id)}`
    const leaves = sql`${mayLeave} and ${attempts.isWithin("leaving", leaving.email)}`
    const { statements, finish } = deletionStatements(dependencies, leaving.id, leaves)
    const { counted, left, ...results } = await sendChange(database, {
      before: {
        counted: attempts.count("leaving", leaving.email, mayLeave),
        entry: auditOwn({ database, action: "delete_account", userId: leaving.id, when: leaves }),
      },
      change: statements,
      after: {
        left: database
          .select({ isSignedIn: sql<number>`${isSignedIn}` })
          .from(user)
          .where(eq(user.id, leaving.id)),
      },
    })
    if (left[0] !== undefined) {
      attempts.admit("leaving", counted)
      throw createApiError(left[0].isSignedIn === 1 ? "LAST_OWNER" : "UNAUTHORIZED")
    }
    waitUntil(finish(results, configuration))
    takeSession(context)
    return context.json({ success: true, message: "User deleted" })
  })
  return { deleteUser }
}
