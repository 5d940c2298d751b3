import { createAuthMiddleware, sensitiveSessionMiddleware } from "better-auth/api"
import { and, eq, gt, gte, sql, type SQL } from "drizzle-orm"

import { session, user } from "../platform/database/auth.table.ts"
import { shownColumns } from "../platform/database/columns.ts"
import { type Database, preparedOnce } from "../platform/database/database.ts"
import { createApiError, type FailureCode } from "../platform/http/failure.ts"
import { isEnough, needsFactor, provenAt } from "./assurance/authenticators.ts"
import { SessionUser } from "./profile.ts"

export const sessionUserColumns = shownColumns(user, SessionUser)

/** Columns of the caller: the user, their language, and the step-up state of the session. */
const callerColumns = { ...sessionUserColumns, language: user.language, provenAt, needsFactor }

/** Condition on `session`: its token is the placeholder `token`, and it has not ended at `now` (Unix time, ms). */
export const isCurrent = and(
  eq(session.token, sql.placeholder("token")),
  gte(session.expiresAt, sql.placeholder("now")),
)

/**
 * Condition for a session's writes: the session still exists. A reset, a sign-out or a revocation may have ended it
 * since the request began.
 */
export function isStillSignedIn({ id, userId }: { id: string; userId: string }) {
  const isOwn = and(
    eq(session.id, id),
    eq(session.userId, userId),
    gt(session.expiresAt, new Date()),
  )
  return sql`exists (select 1 from ${session} where ${isOwn})`
}

export function userIf(database: Database, userId: string, when: SQL) {
  return database
    .select({ id: user.id })
    .from(user)
    .where(and(eq(user.id, userId), when))
}

/** Returns UNAUTHORIZED if the session has ended since the request began, otherwise the given code. */
export async function refusalOf(
  database: Database,
  proving: { id: string; userId: string },
  code: FailureCode,
) {
  const signedIn = await userIf(database, proving.userId, isStillSignedIn(proving))
  return createApiError(signedIn.length === 0 ? "UNAUTHORIZED" : code)
}

export function currentWith(token: string) {
  return and(eq(session.token, token), gte(session.expiresAt, new Date()))
}

/** As `isStillSignedIn`, for the session with the token and, if given, the user. */
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
 * Returns the statement that reads the owner of the session with this token, for a batch with the caller's
 * other statements, and the owner's id for those statements. The id is null if the session has ended, or was
 * not stepped up since `since`.
 */
export function callerWith(database: Database, token: string, since?: Date) {
  const current = currentWith(token)
  const isProven = since && and(gt(session.provenAt, since), isEnough)
  return {
    query: selectCaller(database, current),
    id: sql<string>`(select ${session.userId} from ${session} where ${and(current, isProven)})`,
  }
}

/** Header with the user id that the page expects. Another tab may have signed in as a different user. */
export const believedUser = "accounts-user"

/** Whether the expected user differs from the user of the session. */
export function isMeantForAnother(headers: Headers | undefined, userId: string | undefined) {
  const believed = headers?.get(believedUser) ?? undefined
  return believed !== undefined && believed !== userId
}

const refuseAnother = createAuthMiddleware(async ({ headers, context }) => {
  if (isMeantForAnother(headers, context.session?.user.id)) throw createApiError("SESSION_CHANGED")
})

/** Middleware for endpoints that write: the library's session check, then the check of the expected user. */
export const ownSession = [sensitiveSessionMiddleware, refuseAnother]
