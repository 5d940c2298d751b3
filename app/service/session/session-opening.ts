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

/** SQL column: the reason of the user's suspension, or null if the user is not suspended. */
export const suspension = sql<SuspensionReason | null>`iif(${user.suspendedAt} is null, null, coalesce(${user.suspendedFor}, 'other'))`

/** Returned only to a caller who has just proven that they own the account. */
export function createSuspensionError(reason: SuspensionReason) {
  return createApiError("ACCOUNT_SUSPENDED", undefined, { reason })
}

/**
 * Condition for opening a session: the account exists, is not suspended, and has no second factor or one was used.
 * Database triggers check about the same, for versions without this check.
 */
function admitsSession(userId: string | SQL, factor: Factor | null) {
  const asksNone = factor === null ? sql` and second_factor_since is null` : sql``
  return sql`exists (select 1 from user where id = ${userId} and suspended_at is null${asksNone})`
}

/** Lifetime, in milliseconds, of a session that ends with the browser. */
const day = 24 * 60 * 60 * 1000

/** Maximum sessions of a member. A new session ends the oldest. */
export const maxSessions = 50

/** Maximum characters. Browsers send about 200, but an attacker can fill the header. */
const maxUserAgent = 300

type Opening = {
  database: Database
  userId: string | SQL<string>
  /** Whether the session ends with the browser. Default: false. */
  forgets?: boolean
  /** Factor that was used with, or instead of, a password or provider. */
  factor?: Factor | null
  /** When the user last proved everything that the account requires; null if unknown. Default: now. */
  shownAt?: Date | null
  /**
   * Condition for opening the session, checked by each statement. The statements also open none if the account is
   * suspended or a required factor is missing.
   */
  when: SQL
}

/**
 * Returns the new session's row in the library's format, the statements that create it for the batch of the sign-in,
 * and their condition `when`. The statements also end the browser's previous session and the oldest sessions above the
 * limit. `opened` returns a row if the session was created.
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
    // A trusted browser skips the factor, so its session is not stepped up.
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
  /** Whether to mark the browser as known for the address. Default: true. */
  isKnown?: boolean
}

/** Sets the cookies of an opened session, and returns its token and user. Every sign-in ends here. */
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

/** Audits a rejected attempt after the response, so timing does not reveal whether the address has an account. */
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
