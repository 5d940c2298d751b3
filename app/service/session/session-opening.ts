import { generateRandomString } from "better-auth/crypto"
import { and, eq, sql, type SQL } from "drizzle-orm"
import type * as z from "zod"

import { networkSubject } from "../guard/attempts.ts"
import { networkOf } from "../guard/rate-limit.ts"
import type { AuditAction } from "../platform/audit/audit-entry.table.ts"
import { auditAddress } from "../platform/audit/audit.ts"
import { sessionLifetime } from "../platform/cookie/browser-cookies.ts"
import type { EndpointContext } from "../platform/cookie/host-cookie.ts"
import {
  type Factor,
  session,
  type SuspensionReason,
  user,
} from "../platform/database/auth.table.ts"
import { afterAnswer } from "../platform/database/bounded-database.ts"
import { createId, type Database, rowIf } from "../platform/database/database.ts"
import { createApiError } from "../platform/http/failure.ts"
import type { Dependencies } from "./endpoint.ts"
import { type SessionUser, withPlanOf } from "./profile.ts"
import { giveSession } from "./session-binding.ts"

/** Column of `user`: the reason of a suspension, null if it is not suspended. */
export const suspension = sql<SuspensionReason | null>`iif(${user.suspendedAt} is null, null, coalesce(${user.suspendedFor}, 'other'))`

/** Returned only to a caller who has just proven that the account is theirs. */
export function createSuspensionError(reason: SuspensionReason) {
  return createApiError("ACCOUNT_SUSPENDED", undefined, { reason })
}

/**
 * Condition of every session that begins: the account is there, is not suspended, and asks for no second factor, unless one
 * was shown. Triggers of the database say about the same, for versions that know nothing of it.
 */
function admitsSession(userId: string | SQL, factor: Factor | null) {
  const asksNone = factor === null ? sql` and second_factor_since is null` : sql``
  return sql`exists (select 1 from user where id = ${userId} and suspended_at is null${asksNone})`
}

/** Milliseconds of a session that ends with the browser. */
const day = 24 * 60 * 60 * 1000

/** Limit for each member: a new session ends the oldest. */
export const maxSessions = 50

/** Characters: a browser has 200 or so, and a stranger as many as a header holds. */
const maxUserAgent = 300

type Opening = {
  database: Database
  userId: string | SQL<string>
  /** Whether it ends with the browser. */
  forgets?: boolean
  /** Factor that was used in addition to a password or provider, or in their place. */
  factor?: Factor | null
  /** When all that the account has was shown; null if that is not known. Default: now. */
  shownAt?: Date | null
  /**
   * The statements open nothing unless this holds, as long as they run, or if the account is suspended, or asks for
   * a factor that is not there.
   */
  when: SQL
}

/**
 * Returns the row of a session, in the library's format, and the statements that create it, for the batch of
 * the sign-in. They end the session of the browser's cookie, which no browser has any longer, and the oldest
 * sessions above the limit. `opened` returns a row if the session was created. `when` is a further condition.
 */
export async function openSession(context: EndpointContext, opening: Opening) {
  const now = new Date()
  const { database, userId, forgets = false, factor = null, shownAt = now } = opening
  const when = sql`${opening.when} and ${admitsSession(userId, factor)}`
  const row = {
    id: createId("session"),
    token: generateRandomString(32, "a-z", "A-Z", "0-9"),
    ipAddress: networkOf(context.headers ?? new Headers()) ?? "",
    userAgent: (context.headers?.get("user-agent") ?? "").slice(0, maxUserAgent),
    expiresAt: new Date(now.getTime() + (forgets ? day : sessionLifetime * 1000)),
    remembered: !forgets,
    factor,
    // A browser that is trusted shows nothing.
    provenAt: factor === "trusted" ? null : shownAt,
    createdAt: now,
    updatedAt: now,
  }
  const { authCookies, secret } = context.context
  const formerToken = await context.getSignedCookie(authCookies.sessionToken.name, secret)
  const newest = sql`(select id from ${session} where ${session.userId} = ${userId}
    order by ${session.createdAt} desc, rowid desc limit ${maxSessions})`
  return {
    row,
    when,
    statements: {
      former: formerToken
        ? database.delete(session).where(and(eq(session.token, formerToken), when))
        : undefined,
      opened: database
        .insert(session)
        .select(rowIf(session, { ...row, userId }, when))
        .returning({ id: session.id }),
      oldest: database
        .delete(session)
        .where(and(eq(session.userId, userId), sql`${session.id} not in ${newest}`)),
    },
  }
}

type Entering<User> = {
  row: Awaited<ReturnType<typeof openSession>>["row"]
  owner: User
  /** Whether the browser has shown that the address is its owner's. Default: true. */
  isKnown?: boolean
}

/** The one door into an account: gives a session that was opened to the browser, and says whose it is. */
export async function enterAccount<User extends z.infer<typeof SessionUser>>(
  context: EndpointContext,
  { configuration, marks }: Pick<Dependencies, "configuration" | "marks">,
  { row, owner, isKnown = true }: Entering<User>,
) {
  const opened = { session: { ...row, userId: owner.id }, user: owner }
  await giveSession(context, configuration, opened, !row.remembered)
  if (isKnown) await marks.knownBrowser.set(context, owner.email)
  return { token: row.token, user: withPlanOf(owner) }
}

type Known = Pick<Dependencies, "attempts" | "database" | "letters">

/** Notes what was refused of an address, after the answer, which takes as long for one that has no account. */
export function noteRefusal(
  { attempts, database, letters }: Known,
  action: AuditAction,
  { headers }: EndpointContext,
  email: string,
) {
  const network = networkSubject(headers)
  const isFew = attempts.isWithin("refusal", network)
  const letter = action === "second_factor_locked" ? letters.owed() : undefined
  afterAnswer(async () => {
    const [, entry] = await database.batch([
      attempts.count("refusal", network),
      auditAddress({ database, action, email, when: isFew, headers, letter }),
    ])
    letters.send(entry)
  })
}
