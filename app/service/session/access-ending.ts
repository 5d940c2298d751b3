import { and, eq, ne, type SQL, sql } from "drizzle-orm"
import type { BatchItem } from "drizzle-orm/batch"

import { session, trustedBrowser, verification } from "../platform/database/auth.table.ts"
import type { Database } from "../platform/database/database.ts"

type Ending = {
  userId: string | SQL<string>
  /** Sessions to keep: the session with the id or the token, or all. Default: none. */
  keeps?: { sessionId: string } | { token: string } | "sessions"
  /** Condition of every statement. */
  when: SQL
}

function otherThan(exception: { sessionId: string } | { token: string }) {
  return "token" in exception
    ? ne(session.token, exception.token)
    : ne(session.id, exception.sessionId)
}

/**
 * Returns the statement that deletes the account's pending emails, codes and sign-in steps: the rows of
 * `verification` whose value is the account. Only account deletion, which deletes everything else as well,
 * sends it without `endAccess`.
 */
export function endVerifications(database: Database, userId: string | SQL<string>, when: SQL) {
  return database.delete(verification).where(and(eq(verification.value, userId), when))
}

/**
 * Returns the statements that revoke access to an account: sessions, trusted browsers and pending verifications. The
 * type hides their names, so that callers send all of them.
 */
export function endAccess(
  database: Database,
  { userId, keeps, when }: Ending,
): Record<string, BatchItem<"sqlite">> {
  const isOther = typeof keeps === "object" ? otherThan(keeps) : undefined
  return {
    verifications: endVerifications(database, userId, when),
    browsers: database.delete(trustedBrowser).where(and(eq(trustedBrowser.userId, userId), when)),
    // Last, because the condition may require a session that this deletes.
    ...(keeps !== "sessions" && {
      sessions: database.delete(session).where(and(eq(session.userId, userId), isOther, when)),
    }),
  }
}

/** Condition: the account has something that `endAccess` ends. */
export function hasAccess(userId: string) {
  const rows = [session, trustedBrowser].map(
    (table) => sql`select 1 from ${table} where user_id = ${userId}`,
  )
  return sql`exists (${sql.join(rows, sql` union all `)}
    union all select 1 from ${verification} where ${verification.value} = ${userId})`
}
