import { createAuthEndpoint } from "better-auth/api"
import { and, eq, ne, sql, type SQL } from "drizzle-orm"

import type { AuditAction } from "../admin/audit-entry.table.ts"
import { auditOwn } from "../admin/audit.ts"
import { sendNamed } from "../database/database.ts"
import { createApiError } from "../http/failure.ts"
import { endAccess } from "./access-ending.ts"
import { session } from "./auth.table.ts"
import { bodies } from "./bodies.ts"
import { isStillSignedIn, ownSession, userIf } from "./caller.ts"
import { takeSession } from "./cookie/session-binding.ts"
import type { Dependencies } from "./endpoint.ts"

type Own = { id: string; userId: string }

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
    takeSession(context)
    return context.json({ success: true })
  })

  /**
   * Ends sessions of the user, unless that of the request has ended meanwhile: the one with the token, or with all
   * access else, where the own session may stay.
   */
  const revoke = async (own: Own, which: { token: string } | "others" | "all") => {
    const isSignedIn = isStillSignedIn(own)
    const isOne = typeof which === "object" ? eq(session.token, which.token) : undefined
    const isOther = which === "others" ? ne(session.id, own.id) : undefined
    const { entry, sessions } = end(
      and(eq(session.userId, own.userId), isOne, isOther, isSignedIn),
      "revoke_sessions",
    )
    const access = endAccess(database, {
      userId: own.userId,
      when: isSignedIn,
      ...(which === "others" && { keeps: { sessionId: own.id } }),
    })
    const { entry: entries } = await sendNamed(database, {
      entry,
      ...(isOne ? { sessions } : access),
    })
    const isOver = entries[0] === undefined && !(await isCurrent(own))
    if (isOver) throw createApiError("UNAUTHORIZED")
    return { status: true }
  }

  const isCurrent = async (own: Own) =>
    (await userIf(database, own.userId, isStillSignedIn(own))).length > 0

  const options = { method: "POST" as const, use: ownSession }
  const body = bodies["/revoke-session"]
  const revokeSession = createAuthEndpoint(
    "/revoke-session",
    { ...options, body },
    async (context) =>
      context.json(await revoke(context.context.session.session, { token: context.body.token })),
  )
  const revokeSessions = createAuthEndpoint("/revoke-sessions", options, async (context) =>
    context.json(await revoke(context.context.session.session, "all")),
  )
  const revokeOtherSessions = createAuthEndpoint(
    "/revoke-other-sessions",
    options,
    async (context) => {
      const own = context.context.session.session
      return context.json(await revoke(own, "others"))
    },
  )
  return { signOut, revokeSession, revokeSessions, revokeOtherSessions }
}
