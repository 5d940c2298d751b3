import { createAuthMiddleware } from "better-auth/api"
import { and, eq, gt, inArray, isNull, sql } from "drizzle-orm"
import * as z from "zod"

import { isSmokeAddress } from "../../guard/smoke.ts"
import type { Configuration } from "../../platform/configuration/configuration.ts"
import type { EndpointContext } from "../../platform/cookie/host-cookie.ts"
import { type Factor, type Role, roles, session, user } from "../../platform/database/auth.table.ts"
import type { Database } from "../../platform/database/database.ts"
import { createApiError, failures } from "../../platform/http/failure.ts"
import {
  currentWith,
  isMeantForAnother,
  isStillCurrent,
  isStillSignedIn,
  sessionUserColumns,
} from "../caller.ts"
import { isBound } from "../session-binding.ts"
import {
  type Authenticators,
  hasFactor,
  isEnough,
  needsFactor,
  provenAt,
  selectAuthenticators,
} from "./authenticators.ts"

/**
 * Step-up methods. `sign-in` is a new sign-in that replaces the session; `email` is a code sent to the account's
 * address.
 */
export const Proof = z.enum(["totp", "recovery", "passkey", "password", "sign-in", "email"])

export type Proof = z.infer<typeof Proof>

/** Milliseconds that a step-up is valid. */
const lifetime = 10 * 60 * 1000
/** Grace period, in milliseconds, for an action that is running when its step-up expires. */
const patience = 60 * 1000

/** Returns the time after which a step-up counts. In a browser that the session is not bound to, none counts. */
export function provenSince(
  configuration: Configuration,
  headers: Headers | undefined,
  token: string,
) {
  const isOwn = isBound(configuration, headers, token)
  return isOwn ? new Date(Date.now() - lifetime) : new Date(8.64e15)
}

export function isProven(at: Date | null, since: Date) {
  return at !== null && at > since
}

function hasProof() {
  return and(gt(session.provenAt, new Date(Date.now() - lifetime - patience)), isEnough)
}

/** Condition for the batch of an action that requires a step-up: the session still exists and is stepped up. */
export function isStillProven({ id, userId }: { id: string; userId: string }) {
  return sql`${isStillSignedIn({ id, userId })} and exists (select 1 from ${session}
    where ${eq(session.id, id)} and ${hasProof()})`
}

/** As `isStillProven`, for the session with the token. */
export function isStillProvenWith(token: string) {
  return sql`${isStillCurrent(token)} and exists (select 1 from ${session}
    where ${eq(session.token, token)} and ${hasProof()})`
}

/** Condition for an action that a password or an emailed code may prove: account and session have no factor. */
export function needsNoFactor({ id, userId }: { id: string; userId: string }) {
  return sql`(not ${hasFactor(userId)} and exists (select 1 from ${session}
    where ${and(eq(session.id, id), isNull(session.factor))}))`
}

type Known = { database: Database; configuration: Configuration }

/** Returns the account's step-up methods that the environment accepts; only factors if one is needed. */
export function proofsOf(
  configuration: Configuration,
  authenticators: Authenticators,
  isFactorNeeded = false,
) {
  const hasOne = isFactorNeeded || authenticators.hasApp === 1 || authenticators.passkey === 1
  const hasPassword = authenticators.password === 1 && configuration.passwords
  const hasMail = configuration.mail !== undefined || configuration.keepMail
  const accepted: Record<Proof, boolean> = {
    totp: authenticators.hasApp === 1 && authenticators.totp === 1,
    recovery: authenticators.hasApp === 1 && authenticators.recovery === 1,
    passkey: authenticators.passkey === 1 && configuration.passkeys !== undefined,
    password: !hasOne && hasPassword,
    "sign-in": !hasOne,
    // `sign-in` may not work, because not every provider reports when the user signed in.
    email: !hasOne && !hasPassword && hasMail,
  }
  return Proof.options.filter((proof) => accepted[proof])
}

type Proven = {
  userId: string
  needsFactor: boolean
}

async function readProofs({ database, configuration }: Known, proven: Proven) {
  const [authenticators] = await selectAuthenticators(database, proven.userId)
  return authenticators === undefined
    ? []
    : proofsOf(configuration, authenticators, proven.needsFactor)
}

export const stepUpRequired = {
  STEP_UP_REQUIRED: {
    ...failures.STEP_UP_REQUIRED,
    data: z.object({ ways: z.array(Proof) }),
  },
} as const

export async function stepUpData(dependencies: Known, proven: Proven) {
  return { ways: await readProofs(dependencies, proven) }
}

export async function createStepUpError(dependencies: Known, proven: Proven) {
  return createApiError("STEP_UP_REQUIRED", undefined, await stepUpData(dependencies, proven))
}

/** @throws STEP_UP_REQUIRED with the account's step-up methods, unless the session is stepped up */
export async function requireProof(
  dependencies: Known,
  ownSession: Proven & { token: string; provenAt: Date | null },
  headers: Headers | undefined,
) {
  const since = provenSince(dependencies.configuration, headers, ownSession.token)
  if (!isProven(ownSession.provenAt, since)) throw await createStepUpError(dependencies, ownSession)
}

const sessionColumns = {
  id: session.id,
  userId: session.userId,
  token: session.token,
  remembered: session.remembered,
  factor: session.factor,
  provenAt,
  needsFactor,
}

/** Reads the session of the request's cookie, its step-up state and its user, with one statement. */
export async function readSession({ database }: Known, context: EndpointContext) {
  const { authCookies, secret } = context.context
  const token = await context.getSignedCookie(authCookies.sessionToken.name, secret)
  const [row] = token
    ? await database
        .select({ session: sessionColumns, user: sessionUserColumns })
        .from(session)
        .innerJoin(user, eq(user.id, session.userId))
        .where(currentWith(token))
    : []
  return row
}

function sessionOf(dependencies: Known, isAsked: boolean) {
  return createAuthMiddleware(async (context) => {
    const stored = await readSession(dependencies, context)
    if (stored === undefined) throw createApiError("UNAUTHORIZED")
    if (isMeantForAnother(context.headers, stored.user.id)) throw createApiError("SESSION_CHANGED")
    if (isAsked) await requireProof(dependencies, stored.session, context.headers)
    return { session: stored }
  })
}

/** Requires a session. The endpoint itself decides which step-up methods it accepts. */
export function assuredSession(dependencies: Known) {
  return [sessionOf(dependencies, false)]
}

/** Requires a session that is stepped up. Every write of the endpoint must depend on `isStillProven`. */
export function provenSession(dependencies: Known) {
  return [sessionOf(dependencies, true)]
}

/** Paths that a session may call to add the account's first factor. */
const enrolling = new Set(["/passkey/add", "/beginTotp", "/confirmTotp", "/listWays"])

const rolesWithFactor: Record<Configuration["requireSecondFactor"], readonly Role[]> = {
  none: [],
  owners: ["owner"],
  admins: ["admin", "owner"],
  everybody: roles,
}

export function requiresFactor({ requireSecondFactor }: Configuration, role: Role) {
  return rolesWithFactor[requireSecondFactor].includes(role)
}

/** Condition: the account's role at execution time requires a second factor. */
export function mustHaveFactor({ requireSecondFactor }: Configuration, userId: string) {
  const roleMust = inArray(user.role, [...rolesWithFactor[requireSecondFactor]])
  return sql`exists (select 1 from ${user} where ${and(eq(user.id, userId), roleMust)})`
}

/** Whether the session used a factor. A trusted browser is enough for a member, but not for an admin. */
function isShown(factor: Factor | null, role: Role) {
  return factor !== null && (factor !== "trusted" || role === "member")
}

type Asked = {
  /** The session token, if its cookie has a valid signature. */
  token: string | undefined
  /** Path below `/api/auth` or `/api/v1`, with the names of its parameters. */
  path: string
}

/**
 * Returns the step-up methods if the account must have a second factor that the session has not used, otherwise
 * undefined. The list is empty if the account has no factor, or only locked factors. It reads the primary each time,
 * because a role or a factor may have changed a second ago.
 */
export async function missingFactor(dependencies: Known, { token, path }: Asked) {
  const { database, configuration } = dependencies
  if (configuration.requireSecondFactor === "none") return undefined
  if (token === undefined) return undefined
  const [row] = await database
    .select({ userId: user.id, email: user.email, role: user.role, factor: session.factor })
    .from(session)
    .innerJoin(user, eq(user.id, session.userId))
    .where(currentWith(token))
  if (row === undefined) return undefined
  const { userId, email, role, factor } = row
  if (!requiresFactor(configuration, role)) return undefined
  if (isShown(factor, role)) return undefined
  // A release signs up smoke-test members.
  if (role === "member" && isSmokeAddress(email)) return undefined
  const [has] = await selectAuthenticators(database, userId)
  if (has === undefined) return undefined
  const isFirst = has.hasApp === 0 && has.passkey === 0
  return isFirst && enrolling.has(path) ? undefined : proofsOf(configuration, has, true)
}

export const factorMissing = {
  SECOND_FACTOR_MISSING: {
    ...failures.SECOND_FACTOR_MISSING,
    data: z.object({ ways: z.array(Proof) }),
  },
} as const
