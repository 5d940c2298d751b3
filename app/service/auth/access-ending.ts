import { and, eq, ne, type SQL } from "drizzle-orm"

import type { Database } from "../database/database.ts"
import { session, verification } from "./auth.table.ts"
import { trustedBrowser } from "./factor/factor.table.ts"

type Ending = {
  userId: string | SQL<string>
  /** Which sessions go on: the one of the id or the token, or all. Left out: none. */
  keeps?: { sessionId: string } | { token: string } | "sessions"
  /** The statements end nothing unless this holds, as long as they run. */
  when: SQL
}

function otherThan(kept: { sessionId: string } | { token: string }) {
  return "token" in kept ? ne(session.token, kept.token) : ne(session.id, kept.sessionId)
}

/**
 * Statements for what an act on an account ends: sessions, browsers that are trusted, and whatever letters, codes
 * and steps under way would change the account or open another one. They are all the rows of `verification` that
 * the account is the value of.
 */
export function endAccess(database: Database, { userId, keeps, when }: Ending) {
  const others = typeof keeps === "object" ? otherThan(keeps) : undefined
  const own = and(eq(session.userId, userId), others, when)
  return {
    sessions: keeps === "sessions" ? undefined : database.delete(session).where(own),
    resets: database.delete(verification).where(and(eq(verification.value, userId), when)),
    browsers: database.delete(trustedBrowser).where(and(eq(trustedBrowser.userId, userId), when)),
  }
}
