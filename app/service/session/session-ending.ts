import { createAuthEndpoint } from "better-auth/api"
import { and, eq, ne, sql, type SQL } from "drizzle-orm"
import * as z from "zod"

import type { AuditAction } from "../platform/audit/audit-entry.table.ts"
import { auditOwn } from "../platform/audit/audit.ts"
import { session } from "../platform/database/auth.table.ts"
import { sendChange } from "../platform/database/database.ts"
import { createApiError } from "../platform/http/failure.ts"
import { endAccess } from "./access-ending.ts"
import { isStillSignedIn, ownSession, userIf } from "./caller.ts"
import { type Dependencies, type Path, post } from "./endpoint.ts"
import { takeSession } from "./session-binding.ts"

export const sessionPaths = {
  signOut: {
    path: "/sign-out",
    is: ["open"],
  },
  revoke: {
    path: "/revoke-session",
    body: z.object({ token: z.string().max(64) }),
  },
  revokeAll: {
    path: "/revoke-sessions",
  },
  revokeOthers: {
    path: "/revoke-other-sessions",
  },
} as const satisfies Record<string, Path>

type Own = { id: string; userId: string }
type Owned = { context: { session: { session: Own } }; headers?: Headers | undefined }

/**
 * Replaces the library's endpoints, which write no audit entry. The library's sign-out also reports success while the
 * database still has the session.
 */
export function sessionEnding({ database }: Dependencies) {
  const end = (which: SQL | undefined, action: AuditAction, headers?: Headers) => ({
    entry: auditOwn({
      database,
      action,
      userId: sql`(select ${session.userId} from ${session} where ${which} limit 1)`,
      when: sql`exists (select 1 from ${session} where ${which})`,
      headers,
    }),
    sessions: database.delete(session).where(which),
  })

  /** Ends the session of this browser's cookie. */
  const signOut = createAuthEndpoint(
    sessionPaths.signOut.path,
    { method: "POST" },
    async (context) => {
      const { authCookies, secret } = context.context
      const token = await context.getSignedCookie(authCookies.sessionToken.name, secret)
      if (typeof token === "string" && token !== "") {
        const { entry, sessions } = end(eq(session.token, token), "sign_out", context.headers)
        await sendChange(database, { before: { entry }, change: { sessions } })
      }
      takeSession(context)
      return context.json({ success: true })
    },
  )

  /**
   * Ends the session with the token, or all access to the account, for `others` except the current session. Throws
   * UNAUTHORIZED if the current session has ended.
   */
  const revoke = async (
    {
      context: {
        session: { session: current },
      },
      headers,
    }: Owned,
    which: { token: string } | "others" | "all",
  ) => {
    const isSignedIn = isStillSignedIn(current)
    const isOne = typeof which === "object" ? eq(session.token, which.token) : undefined
    const isOther = which === "others" ? ne(session.id, current.id) : undefined
    const { entry, sessions } = end(
      and(eq(session.userId, current.userId), isOne, isOther, isSignedIn),
      "revoke_sessions",
      headers,
    )
    const access = endAccess(database, {
      userId: current.userId,
      when: isSignedIn,
      ...(which === "others" && { keeps: { sessionId: current.id } }),
    })
    const { entry: entries } = await sendChange(database, {
      before: { entry },
      change: isOne ? { sessions } : access,
    })
    const isOver = entries[0] === undefined && !(await isCurrent(current))
    if (isOver) throw createApiError("UNAUTHORIZED")
    return { status: true }
  }

  const isCurrent = async (current: Own) =>
    (await userIf(database, current.userId, isStillSignedIn(current))).length > 0

  const options = { method: "POST" as const, use: ownSession }
  const revokeSession = post(sessionPaths.revoke, ownSession, async (context) =>
    context.json(await revoke(context, context.body)),
  )
  const revokeSessions = createAuthEndpoint(sessionPaths.revokeAll.path, options, async (context) =>
    context.json(await revoke(context, "all")),
  )
  const revokeOtherSessions = createAuthEndpoint(
    sessionPaths.revokeOthers.path,
    options,
    async (context) => context.json(await revoke(context, "others")),
  )
  return { signOut, revokeSession, revokeSessions, revokeOtherSessions }
}
