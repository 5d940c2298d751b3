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

/** Reads the caller from the database, so that a revoked session or role ends at once. */
async function readCaller({ services, headers }: RpcContext) {
  const token = services.sessions.tokenOf(headers)
  if (token === undefined) return null
  const [row] = await callerOf(services.database).all({ token, now: Date.now() })
  return row === undefined ? null : { member: withPlanOf(row), token }
}

/** Counts the calls of each session before the database is asked: also of one that has ended. */
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
 * Requires a session, and counts the calls of its user. Whatever a procedure writes must depend on
 * `isSignedIn`, since the session may have ended meanwhile: then what it refuses is told as that.
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

/** Returns what the action finds for the caller's session, from a read replica if one may answer. */
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
  // A copy may not know a session that is new.
  return (await replicas.near(bookmark, () => action(token))) ?? action(token)
}

type Batch = [BatchItem<"sqlite">, ...BatchItem<"sqlite">[]]

/** A statement for the session of the placeholders `token` and `now`: no row if it has ended. */
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

    /** The caller and what they ask for, in one batch; nothing unless they were proven `since` then. */
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

    /** Rows that begin with the caller's id, by one statement. */
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
 * Base of procedures that only read: their statements use `callerId`, so session and result need one round
 * trip. An ended session no longer counts.
 */
export const reader = readerOf({ near: false })

/**
 * The same for what members see of their own all day: with read replication the nearest copy answers,
 * which may not know yet that a session has ended.
 */
export const nearReader = readerOf({ near: true })

/**
 * A link or an image on any page makes a browser send a GET with its cookies, but without an origin:
 * it must not write audit entries in an admin's name.
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
 * As `member`, of a session that was proven in the last ten minutes: whatever a procedure writes depends on that by
 * `isSignedIn`.
 */
export const provenMember = member.errors(stepUpRequired).use(async ({ context, next, errors }) => {
  await requireProofOf(context, errors)
  return next({ context: { isSignedIn: isStillProvenWith(context.token) } })
})

/** As `admin`, of a session that was proven in the last ten minutes. */
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

/** As `reader`, for the role admin or owner. What a statement writes must depend on `isAdmin`. */
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

/** As `adminReader`, of a session that was proven in the last ten minutes: what it reads depends on it, too. */
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
