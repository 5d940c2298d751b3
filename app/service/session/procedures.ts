import { ORPCError, os } from "@orpc/server"
import { type SQL, sql } from "drizzle-orm"
import type { BatchItem } from "drizzle-orm/batch"
import * as z from "zod"

import type { Services } from "../../services.ts"
import { admitsSession } from "../guard/caller-limit.ts"
import { isWithinLimit } from "../guard/rate-limit.ts"
import { cookieName } from "../platform/cookie/browser-cookies.ts"
import { readCookie } from "../platform/cookie/cookie.ts"
import { user } from "../platform/database/auth.table.ts"
import type { Database } from "../platform/database/database.ts"
import { failures } from "../platform/http/failure.ts"
import { Issue } from "../platform/http/issue.ts"
import { reasonOf } from "../platform/http/log.ts"
import {
  factorMissing,
  isProven,
  isStillProvenWith,
  missingFactor,
  type Proof,
  provenSince,
  stepUpData,
  stepUpRequired,
} from "./assurance/assurance.ts"
import { callerOf, callerWith, isMeantForAnother, isStillCurrent } from "./caller.ts"
import { withPlanOf } from "./profile.ts"

export type RpcContext = {
  services: Services
  headers: Headers
}

export const open = os.$context<RpcContext>().errors({
  BAD_REQUEST: {
    ...failures.BAD_REQUEST,
    data: z.object({ issues: z.array(Issue) }).optional(),
  },
})

/** Reads the caller from the database, so revoking a session or role takes effect immediately. */
async function readCaller({ services, headers }: RpcContext) {
  const token = services.sessions.tokenOf(headers)
  if (token === undefined) return null
  const [row] = await callerOf(services.database).all({ token, now: Date.now() })
  return row === undefined ? null : { member: withPlanOf(row), token }
}

/** Counts the calls of each session, even an ended one, before querying the database. */
export const counted = open
  .errors({ TOO_MANY_REQUESTS: failures.TOO_MANY_REQUESTS })
  .use(async ({ context, next, errors }) => {
    const isWithin = await admitsSession(context.services, context.headers)
    if (!isWithin) throw errors.TOO_MANY_REQUESTS()
    return next()
  })

const signedIn = counted
  .errors({
    UNAUTHORIZED: { status: 401, message: "Sign in first" },
    SESSION_CHANGED: failures.SESSION_CHANGED,
    ...factorMissing,
  })
  .use(async ({ context: { services, headers }, path: [name = ""], next, errors }) => {
    const token = services.sessions.tokenOf(headers)
    const ways = await missingFactor(services, { token, path: `/${name}` })
    if (ways !== undefined) throw errors.SECOND_FACTOR_MISSING({ data: { ways } })
    return next()
  })

/**
 * Requires a session, and counts its user's calls. Every write must depend on `isSignedIn`, because the session may
 * end during the request; a rejection then becomes UNAUTHORIZED.
 */
export const member = signedIn.use(async ({ context, next, errors }) => {
  const caller = await readCaller(context)
  if (caller === null) throw errors.UNAUTHORIZED()
  if (isMeantForAnother(context.headers, caller.member.id)) throw errors.SESSION_CHANGED()
  const isWithin = await isWithinLimit(context.services.memberLimit, caller.member.id)
  if (!isWithin) throw errors.TOO_MANY_REQUESTS()
  const isSignedIn = isStillCurrent(caller.token)
  try {
    return await next({ context: { member: caller.member, token: caller.token, isSignedIn } })
  } catch (error) {
    // A row of the caller references a deleted account.
    const isDangling = reasonOf(error).includes("FOREIGN KEY constraint failed")
    const isRefusal = error instanceof ORPCError && error.code !== "BAD_REQUEST"
    const mayHaveEnded = isDangling || isRefusal
    if (mayHaveEnded && (await readCaller(context)) === null) throw errors.UNAUTHORIZED()
    throw error
  }
})

/** Runs the action for the caller's session, on a read replica if `near`. Undefined without a session. */
async function findFor<Found>(
  { services, headers }: RpcContext,
  near: boolean,
  action: (token: string) => Promise<Found | undefined>,
) {
  const { replicas, sessions, configuration } = services
  const token = sessions.tokenOf(headers)
  if (token === undefined) return undefined
  if (!near || replicas === undefined) return action(token)
  const bookmark = readCookie(headers, cookieName(configuration, "bookmark"))
  // A replica may not have a new session yet.
  return (await replicas.near(bookmark, () => action(token))) ?? action(token)
}

type Batch = [BatchItem<"sqlite">, ...BatchItem<"sqlite">[]]

/** Prepared query with the placeholders `token` and `now`. Returns no row if the session has ended. */
export type Statement<Row> = (database: Database) => {
  all: (values: Record<string, unknown>) => Promise<Row[]>
}

function readerOf({ near }: { near: boolean }) {
  return signedIn.use(async ({ context, next, errors }) => {
    const { database, memberLimit } = context.services
    let hasAsked = false
    const admit = async (callerId: string) => {
      if (isMeantForAnother(context.headers, callerId)) throw errors.SESSION_CHANGED()
      if (!(await isWithinLimit(memberLimit, callerId))) throw errors.TOO_MANY_REQUESTS()
      hasAsked = true
    }

    /** Reads the caller and runs the queries in one batch. `callerId` is null without a step-up after `since`. */
    const ask = async <Queries extends Batch>(
      queriesOf: (callerId: SQL) => Queries,
      since?: Date,
    ) => {
      const answers = await findFor(context, near, async (token) => {
        const caller = callerWith(database, token, since)
        const [[row], ...results] = await database.batch([caller.query, ...queriesOf(caller.id)])
        return row && { caller: withPlanOf(row), results }
      })
      if (answers === undefined) throw errors.UNAUTHORIZED()
      await admit(answers.caller.id)
      return answers
    }

    /** Runs one statement whose rows all contain the caller's id. */
    const askOnce = async <Row extends { callerId: string }>(
      statement: Statement<Row>,
      values: Record<string, unknown> = {},
    ) => {
      const rows = await findFor(context, near, async (token) => {
        const stored = await statement(database).all({ ...values, token, now: Date.now() })
        return stored.length === 0 ? undefined : stored
      })
      const [first, ...otherRows] = rows ?? []
      if (first === undefined) throw errors.UNAUTHORIZED()
      await admit(first.callerId)
      const nonEmpty: [Row, ...Row[]] = [first, ...otherRows]
      return nonEmpty
    }

    const answer = await next({ context: { ask, askOnce } })
    if (!hasAsked) throw new Error("a procedure answered without asking who calls")
    return answer
  })
}

/**
 * Base of read-only procedures. Their statements use `callerId`, so session and result need one round trip. It reads
 * the primary, so it rejects an ended session.
 */
export const reader = readerOf({ near: false })

/**
 * As `reader`, for frequent reads of a member's own data. With read replication it reads the nearest replica, which
 * may still accept an ended session.
 */
export const nearReader = readerOf({ near: true })

/**
 * Whether a script sent the request. A link or an image on any site also sends a GET with cookies, but without an
 * origin; it must not write audit entries in an admin's name.
 */
function isCalledByPage(headers: Headers) {
  return headers.has("origin") || headers.get("sec-fetch-mode") === "cors"
}

type Caller = { id: string; provenAt: Date | null; needsFactor: boolean }
type Proving = { services: Services; headers: Headers; member: Caller }
type Refusing = { STEP_UP_REQUIRED: (options: { data: { ways: Proof[] } }) => Error }

function provenSinceOf({ services, headers }: RpcContext) {
  return provenSince(services.configuration, headers, services.sessions.tokenOf(headers) ?? "")
}

async function requireProofOf(
  { services, headers, member: { id: userId, ...proofs } }: Proving,
  errors: Refusing,
  since = provenSinceOf({ services, headers }),
) {
  if (isProven(proofs.provenAt, since)) return
  throw errors.STEP_UP_REQUIRED({ data: await stepUpData(services, { userId, ...proofs }) })
}

const forAdmins = {
  FORBIDDEN: { status: 403, message: "Requires the role admin or owner" },
  MISSING_OR_NULL_ORIGIN: failures.MISSING_OR_NULL_ORIGIN,
}

/** Requires the role admin or owner. Each procedure audits what it does to other users. */
export const admin = member.errors(forAdmins).use(({ context, next, errors }) => {
  if (context.member.role === "member") throw errors.FORBIDDEN()
  if (!isCalledByPage(context.headers)) throw errors.MISSING_OR_NULL_ORIGIN()
  return next()
})

/**
 * As `member`, for a session that was stepped up in the last ten minutes. Here `isSignedIn` includes that condition.
 */
export const provenMember = member.errors(stepUpRequired).use(async ({ context, next, errors }) => {
  await requireProofOf(context, errors)
  return next({ context: { isSignedIn: isStillProvenWith(context.token) } })
})

/** As `admin`, for a session that was stepped up in the last ten minutes. */
export const provenAdmin = admin.errors(stepUpRequired).use(async ({ context, next, errors }) => {
  await requireProofOf(context, errors)
  return next({ context: { isSignedIn: isStillProvenWith(context.token) } })
})

/** As `provenAdmin`, for the role owner. */
export const provenOwner = admin.errors(stepUpRequired).use(async ({ context, next, errors }) => {
  if (context.member.role !== "owner") throw errors.FORBIDDEN()
  await requireProofOf(context, errors)
  return next({ context: { isSignedIn: isStillProvenWith(context.token) } })
})

/** As `reader`, for the role admin or owner. Every write must depend on `isAdmin`. */
export const adminReader = reader.errors(forAdmins).use(({ context, next, errors }) => {
  if (!isCalledByPage(context.headers)) throw errors.MISSING_OR_NULL_ORIGIN()
  const ask = async <Queries extends Batch>(
    queriesOf: (callerId: SQL) => Queries,
    since?: Date,
  ) => {
    const results = await context.ask(queriesOf, since)
    if (results.caller.role === "member") throw errors.FORBIDDEN()
    return results
  }
  return next({ context: { ask } })
})

/** As `adminReader`, for a session that was stepped up in the last ten minutes. Its queries check that as well. */
export const provenAdminReader = adminReader
  .errors(stepUpRequired)
  .use(({ context, next, errors }) => {
    const ask = async <Queries extends Batch>(queriesOf: (callerId: SQL) => Queries) => {
      const since = provenSinceOf(context)
      const results = await context.ask(queriesOf, since)
      await requireProofOf({ ...context, member: results.caller }, errors, since)
      return results
    }
    return next({ context: { ask } })
  })

export function isAdmin(callerId: SQL) {
  return sql`exists (select 1 from ${user} where ${user.id} = ${callerId} and ${user.role} <> 'member')`
}
