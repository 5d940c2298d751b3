import { getCookies } from "better-auth/cookies"
import type { BetterAuthOptions } from "better-auth/minimal"
import { and, eq, gt, sql } from "drizzle-orm"

import type { Configuration } from "../platform/configuration/configuration.ts"
import { isDue } from "../platform/cookie/browser-cookies.ts"
import { readCookie, readSigned } from "../platform/cookie/cookie.ts"
import { session, user } from "../platform/database/auth.table.ts"
import type { Database } from "../platform/database/database.ts"
import { sessionUserColumns } from "./caller.ts"
import { withPlanOf } from "./profile.ts"

type Options = {
  configuration: Configuration
  database: Database
  auth: { options: BetterAuthOptions }
}

/**
 * Fast path for the most frequent query: reads the session of a signed cookie with one prepared statement. The library
 * builds the same statement for each request.
 */
export function createSessionReader({ configuration, database, auth }: Options) {
  const { name } = getCookies(auth.options).sessionToken
  const { sessionDays } = configuration
  const key = configuration.keys.first("session")
  const tokenOf = (headers: Headers) => {
    const { value, isBy } = readSigned(readCookie(headers, name) ?? "")
    return isBy(key) ? value : undefined
  }
  const statement = database
    .select({ session, user: sessionUserColumns })
    .from(session)
    .innerJoin(user, eq(user.id, session.userId))
    .where(eq(session.token, sql.placeholder("token")))
    .prepare()

  return {
    /** Returns the cookie's token if its signature is valid. The session may have ended. */
    tokenOf,

    /**
     * Returns the cookie's session and user, and whether the session is due for renewal. Null if the
     * session has ended; undefined if no cookie has a valid signature.
     */
    read: async (headers: Headers) => {
      const token = tokenOf(headers)
      if (token === undefined) return undefined
      const [row] = await statement.all({ token })
      const now = Date.now()
      if (row === undefined || row.session.expiresAt.getTime() < now) return null
      return {
        session: row.session,
        user: withPlanOf(row.user),
        due: isDue(row.session, sessionDays, now),
      }
    },

    /**
     * Returns all sessions of the cookie's user; undefined if the library must answer, because the cookie's session
     * has ended or is due for renewal. The library's list requires a session of the same day.
     */
    list: async (headers: Headers) => {
      const token = tokenOf(headers)
      if (token === undefined) return undefined
      const now = new Date()
      const running = gt(session.expiresAt, now)
      const owner = sql`(select ${session.userId} from ${session} where ${eq(session.token, token)} and ${running})`
      const rows = await database
        .select()
        .from(session)
        .where(and(eq(session.userId, owner), running))
      const current = rows.find((row) => row.token === token)
      return current === undefined || isDue(current, sessionDays, now.getTime()) ? undefined : rows
    },
  }
}
