import { createAuthEndpoint } from "better-auth/api"
import { deleteSessionCookie } from "better-auth/cookies"
import { waitUntil } from "cloudflare:workers"
import { and, eq, sql } from "drizzle-orm"

import { records } from "../../records.ts"
import { auditOwn } from "../admin/audit.ts"
import { sendNamed } from "../database/named-batch.ts"
import { accountHash } from "../user/records.ts"
import { createApiError } from "./api-error.ts"
import { user } from "./auth.table.ts"
import { ownSession } from "./believed-user.ts"
import { bodies } from "./bodies.ts"
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
export function accountDeletion({ configuration, database, attempts }: Dependencies) {
  const deleteUser = createAuthEndpoint(
    "/delete-user",
    {
      method: "POST",
      body: bodies["/delete-user"],
      use: ownSession,
    },
    async (context) => {
      const { session, user: leaving } = context.context.session
      // One that opens nothing proves nothing.
      const credential = configuration.passwords
        ? await attemptCredential({ database, attempts }, leaving.id)
        : undefined
      if (credential !== undefined) {
        await checkCurrentPassword(credential.hash, context.body.password ?? "")
      } else if (Date.now() - session.createdAt.getTime() >= freshness) {
        throw createApiError("SESSION_EXPIRED")
      }
      const isSignedIn = isStillSignedIn(session)
      const leaves = sql`${isSignedIn} and ${leavesAnOwner(leaving.id)}`
      const account = { database, userId: leaving.id, hash: accountHash(leaving.id), when: leaves }
      // Each noun's names are its own: two may have the same.
      const own = records.map(({ leave, finish }) => ({
        statements: leave?.(account) ?? {},
        finish,
      }))
      const named = own.flatMap(({ statements }, noun) =>
        Object.entries(statements).map(([name, one]) => [`${noun} ${name}`, one] as const),
      )
      const { left, ...results } = await sendNamed(database, {
        resets: endResets(database, leaving.id, leaves),
        ...Object.fromEntries(named),
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
      const returned = new Map<string, unknown>(Object.entries(results))
      for (const [noun, { statements, finish }] of own.entries()) {
        const names = Object.keys(statements).map((name) => [name, returned.get(`${noun} ${name}`)])
        if (finish !== undefined) waitUntil(finish(Object.fromEntries(names), configuration))
      }
      deleteSessionCookie(context)
      return context.json({ success: true, message: "User deleted" })
    },
  )
  return { deleteUser }
}
