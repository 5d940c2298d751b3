import { createAuthEndpoint, sensitiveSessionMiddleware } from "better-auth/api"
import { deleteSessionCookie } from "better-auth/cookies"
import { waitUntil } from "cloudflare:workers"
import { and, eq, sql } from "drizzle-orm"
import * as z from "zod"

import { payment } from "../../payment/payment.table.ts"
import { auditOwn } from "../admin/audit.ts"
import { sendNamed } from "../database/named-batch.ts"
import { log, reasonOf } from "../http/log.ts"
import { keepRecords } from "../user/kept-record.ts"
import { createApiError } from "./api-error.ts"
import { user } from "./auth.table.ts"
import { isStillSignedIn } from "./caller.ts"
import type { Dependencies } from "./dependencies.ts"
import { leavesAnOwner } from "./last-owner.ts"
import { attemptCredential, checkCurrentPassword } from "./password/current-password.ts"
import { endResets } from "./password/password-reset.ts"

/** Milliseconds for which a sign-in with a provider counts as proof. */
const freshness = 10 * 60 * 1000

/**
 * Replaces the library's deletion of an account, which asks for no password on a fresh session, and
 * whose last owner's rule would be a read before the change.
 */
export function accountDeletion({ database, attempts, payments }: Dependencies) {
  const expire = async (sessionId: string) =>
    payments?.expireCheckout(sessionId).catch((error: unknown) => {
      log("warn", "payment.not_expired", { session: sessionId, reason: reasonOf(error) })
    })
  const deleteUser = createAuthEndpoint(
    "/delete-user",
    {
      method: "POST",
      body: z.object({ password: z.string().optional() }),
      use: [sensitiveSessionMiddleware],
    },
    async (context) => {
      const { session, user: leaving } = context.context.session
      const credential = await attemptCredential({ database, attempts }, leaving.id)
      if (credential !== undefined) {
        await checkCurrentPassword(credential.hash, context.body.password ?? "")
      } else if (Date.now() - session.createdAt.getTime() >= freshness) {
        throw createApiError("SESSION_EXPIRED")
      }
      const isSignedIn = isStillSignedIn(session)
      const leaves = sql`${isSignedIn} and ${leavesAnOwner(leaving.id)}`
      const { open, left } = await sendNamed(database, {
        open: database
          .select({ sessionId: payment.sessionId })
          .from(payment)
          .where(and(eq(payment.userId, leaving.id), eq(payment.status, "pending"))),
        resets: endResets(database, leaving.id, leaves),
        ...keepRecords(database, leaving.id, leaves),
        entry: auditOwn({ database, action: "delete_account", userId: leaving.id, when: leaves }),
        deleted: database.delete(user).where(and(eq(user.id, leaving.id), leaves)),
        left: database
          .select({ isSignedIn: sql<number>`${isSignedIn}` })
          .from(user)
          .where(eq(user.id, leaving.id)),
      })
      if (left[0] !== undefined) {
        throw createApiError(left[0].isSignedIn === 1 ? "LAST_OWNER" : "UNAUTHORIZED")
      }
      // Where the provider does not do it now, the page ends by itself, within the hour.
      for (const { sessionId } of open) {
        if (sessionId !== null) waitUntil(expire(sessionId))
      }
      deleteSessionCookie(context)
      return context.json({ success: true, message: "User deleted" })
    },
  )
  return { deleteUser }
}
