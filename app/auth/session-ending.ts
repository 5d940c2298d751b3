import { createAuthEndpoint, sensitiveSessionMiddleware } from "better-auth/api"
import { deleteSessionCookie } from "better-auth/cookies"
import type { BetterAuthPlugin } from "better-auth/types"
import { and, eq, ne, sql, type SQL } from "drizzle-orm"
import * as z from "zod"

import type { AuditAction } from "../admin/audit-entry.table.ts"
import { auditOwn } from "../admin/audit.ts"
import type { Database } from "../database.ts"
import { sendNamed } from "../named-batch.ts"
import { session } from "./auth.table.ts"

/**
 * Replaces the library's, which leave no entry, and whose sign-out tells a browser that it is signed out
 * while the database still has the session.
 */
export function sessionEnding(database: Database) {
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

  const signOut = createAuthEndpoint("/sign-out", { method: "POST" }, async (context) => {
    const { authCookies, secret } = context.context
    const token = await context.getSignedCookie(authCookies.sessionToken.name, secret)
    if (typeof token === "string" && token !== "") await end(eq(session.token, token), "sign_out")
    deleteSessionCookie(context)
    return context.json({ success: true })
  })

  const use = [sensitiveSessionMiddleware]
  const body = z.object({ token: z.string() })
  const revokeSession = createAuthEndpoint(
    "/revoke-session",
    { method: "POST", body, use },
    async (context) => {
      const { user } = context.context.session
      const { token } = context.body
      await end(and(eq(session.token, token), eq(session.userId, user.id)), "revoke_sessions")
      return context.json({ status: true })
    },
  )
  const revokeSessions = createAuthEndpoint(
    "/revoke-sessions",
    { method: "POST", use },
    async (context) => {
      await end(eq(session.userId, context.context.session.user.id), "revoke_sessions")
      return context.json({ status: true })
    },
  )
  const revokeOtherSessions = createAuthEndpoint(
    "/revoke-other-sessions",
    { method: "POST", use },
    async (context) => {
      const { session: current, user } = context.context.session
      const others = and(eq(session.userId, user.id), ne(session.id, current.id))
      await end(others, "revoke_sessions")
      return context.json({ status: true })
    },
  )
  // The keys must be the names of the library's endpoints, to replace them.
  const endpoints = { signOut, revokeSession, revokeSessions, revokeOtherSessions }
  return { id: "session-ending", endpoints } satisfies BetterAuthPlugin
}
