import { createAuthMiddleware, sensitiveSessionMiddleware } from "better-auth/api"
import { and, eq, gt, gte, sql, type SQL } from "drizzle-orm"

import { shownColumns } from "../database/columns.ts"
import { type Database, preparedOnce } from "../database/database.ts"
import { createApiError, type FailureCode } from "../http/failure.ts"
import { isEnough, needsFactor, provenAt } from "./assurance/authenticators.ts"
import { session, user } from "./auth.table.ts"
import { SessionUser } from "./profile.ts"

export const sessionUserColumns = shownColumns(user, SessionUser)

/** Of the caller: who they are, how to write to them, and how far their session is proven. */
const callerColumns = { ...sessionUserColumns, language: user.language, provenAt, needsFactor }

/** Condition for the session of the placeholder `token`, unless it has ended at `now` (Unix time, ms). */
export const isCurrent = and(
  eq(session.token, sql.placeholder("token")),
  gte(session.expiresAt, sql.placeholder("now")),
)

/**
 * Condition of what a session asks for: it was there when the request began, and a reset, a sign-out or a
 * revocation may have ended it since.
 */
export function isStillSignedIn({ id, userId }: { id: string; userId: string }) {
  const own = and(eq(session.id, id), eq(session.userId, userId), gt(session.expiresAt, new Date()))
  return sql`exists (select 1 from ${session} where ${own})`
}

export function userIf(database: Database, userId: string, when: SQL) {
  return database
    .select({ id: user.id })
    .from(user)
    .where(and(eq(user.id, userId), when))
}

/** Of what a batch refused: that the session has ended meanwhile, where that is why. */
export async function refusalOf(
  database: Database,
  own: { id: string; userId: string },
  code: FailureCode,
) {
  const signedIn = await userIf(database, own.userId, isStillSignedIn(own))
  return createApiError(signedIn.length === 0 ? "UNAUTHORIZED" : code)
}

export function currentWith(token: string) {
  return and(eq(session.token, token), gte(session.expiresAt, new Date()))
}

/** As `isStillSignedIn`, for the session with the token, of the user if one is named. */
export function isStillCurrent(token: string, userId?: string) {
  const isOf = userId === undefined ? undefined : eq(session.userId, userId)
  return sql`exists (select 1 from ${session} where ${and(currentWith(token), isOf)})`
}

export const callerOf = preparedOnce((database) => selectCaller(database, isCurrent).prepare())

function selectCaller(database: Database, which: SQL | undefined) {
  return database
    .select(callerColumns)
    .from(session)
    .innerJoin(user, eq(user.id, session.userId))
    .where(which)
}

/**
 * Whoever has the session with the token, for a batch with what they ask for: the statement that
 * reads them, and their id in the statements beside it, which is null if the session has ended, or was not
 * proven since then.
 */
export function callerWith(database: Database, token: string, since?: Date) {
  const current = currentWith(token)
  const isProven = since && and(gt(session.provenAt, since), isEnough)
  return {
    query: selectCaller(database, current),
    id: sql<string>`(select ${session.userId} from ${session} where ${and(current, isProven)})`,
  }
}

/** Id of whom a page believes to be signed in: another tab may have signed in somebody else since. */
export const believedUser = "accounts-user"

/** Whether a call is meant for somebody else than whose session it came with. */
export function isMeantForAnother(headers: Headers | undefined, userId: string | undefined) {
  const believed = headers?.get(believedUser) ?? undefined
  return believed !== undefined && believed !== userId
}

const refuseAnother = createAuthMiddleware(async ({ headers, context }) => {
  if (isMeantForAnother(headers, context.session?.user.id)) throw createApiError("SESSION_CHANGED")
})

/** The library's, for what changes something. */
export const ownSession = [sensitiveSessionMiddleware, refuseAnother]
