import { createAuthEndpoint } from "better-auth/api"
import { deleteSessionCookie } from "better-auth/cookies"
import { and, eq, ne, sql, type SQL } from "drizzle-orm"

import type { AuditAction } from "../admin/audit-entry.table.ts"
import { auditOwn } from "../admin/audit.ts"
import { sendNamed } from "../database/named-batch.ts"
import { session } from "./auth.table.ts"
import { ownSession } from "./believed-user.ts"
import { bodies } from "./bodies.ts"
import type { Dependencies } from "./dependencies.ts"

/**
 * Replaces the library's, which leave no entry, and whose sign-out tells a browser that it is signed out
 * while the database still has the session.
 */
export function sessionEnding({ database }: Dependencies) {
  const end = (which: SQL | undefined, action: AuditAction) =>
    sendNamed(database, {
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
    if (typeof token === "string" && token !== "") await end(eq(session.token, token), "sign_out")
    deleteSessionCookie(context)
    return context.json({ success: true })
  })

  const ended = { status: true }
  const options = { method: "POST" as const, use: ownSession }
  const body = bodies["/revoke-session"]
  const revokeSession = createAuthEndpoint(
    "/revoke-session",
    { ...options, body },
    async (context) => {
      const { token } = context.body
      const own = eq(session.userId, context.context.session.user.id)
      await end(and(eq(session.token, token), own), "revoke_sessions")
      return context.json(ended)
    },
  )
  const revokeSessions = createAuthEndpoint("/revoke-sessions", options, async (context) => {
    await end(eq(session.userId, context.context.session.user.id), "revoke_sessions")
    return context.json(ended)
  })
  const revokeOtherSessions = createAuthEndpoint(
    "/revoke-other-sessions",
    options,
    async (context) => {
      const { id, userId } = context.context.session.session
      await end(and(eq(session.userId, userId), ne(session.id, id)), "revoke_sessions")
      return context.json(ended)
    },
  )
  return { signOut, revokeSession, revokeSessions, revokeOtherSessions }
}
