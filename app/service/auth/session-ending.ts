import { createAuthEndpoint } from "better-auth/api"
import { deleteSessionCookie } from "better-auth/cookies"
import { and, eq, ne, sql, type SQL } from "drizzle-orm"

import type { AuditAction } from "../admin/audit-entry.table.ts"
import { auditOwn } from "../admin/audit.ts"
import { sendNamed } from "../database/named-batch.ts"
import { endAccess } from "./access-ending.ts"
import { createApiError } from "./api-error.ts"
import { session } from "./auth.table.ts"
import { ownSession } from "./believed-user.ts"
import { bodies } from "./bodies.ts"
import { isStillSignedIn } from "./caller.ts"
import type { Dependencies } from "./dependencies.ts"

/**
 * Replaces the library's, which leave no entry, and whose sign-out tells a browser that it is signed out
 * while the database still has the session.
 */
export function sessionEnding({ database }: Dependencies) {
  const end = (which: SQL | undefined, action: AuditAction) => ({
    entry: auditOwn({
      database,
      action,
      userId: sql`(select ${session.userId} from ${session} where ${which} limit 1)`,
      when: sql`exists (select 1 from ${session} where ${which})`,
    }),
    sessions: database.delete(session).where(which),
  })

  /** Of whoever is signed in by now: whoever signs out means this browser. */
  const signOut = createAuthEndpoint("/sign-out", { method: "POST" }, async (context) => {
    const { authCookies, secret } = context.context
    const token = await context.getSignedCookie(authCookies.sessionToken.name, secret)
    if (typeof token === "string" && token !== "") {
      await sendNamed(database, end(eq(session.token, token), "sign_out"))
    }
    deleteSessionCookie(context)
    return context.json({ success: true })
  })

  /** Ends sessions of the user, unless that of the request has ended meanwhile; trust in browsers with more than one. */
  const revoke = async (own: { id: string; userId: string }, which?: SQL, isOne = false) => {
    const isSignedIn = isStillSignedIn(own)
    const { browsers } = endAccess(database, { userId: own.userId, when: isSignedIn })
    const { current } = await sendNamed(database, {
      current: database
        .select({ id: session.id })
        .from(session)
        .where(and(eq(session.id, own.id), isSignedIn)),
      browsers: isOne ? undefined : browsers,
      ...end(and(eq(session.userId, own.userId), which, isSignedIn), "revoke_sessions"),
    })
    if (current[0] === undefined) throw createApiError("UNAUTHORIZED")
    return { status: true }
  }

  const options = { method: "POST" as const, use: ownSession }
  const body = bodies["/revoke-session"]
  const revokeSession = createAuthEndpoint(
    "/revoke-session",
    { ...options, body },
    async (context) =>
      context.json(
        await revoke(context.context.session.session, eq(session.token, context.body.token), true),
      ),
  )
  const revokeSessions = createAuthEndpoint("/revoke-sessions", options, async (context) =>
    context.json(await revoke(context.context.session.session)),
  )
  const revokeOtherSessions = createAuthEndpoint(
    "/revoke-other-sessions",
    options,
    async (context) => {
      const own = context.context.session.session
      return context.json(await revoke(own, ne(session.id, own.id)))
    },
  )
  return { signOut, revokeSession, revokeSessions, revokeOtherSessions }
}
