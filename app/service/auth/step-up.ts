import { createAuthMiddleware } from "better-auth/api"
import { and, eq, gt, isNotNull, type SQL, sql } from "drizzle-orm"
import type { SQLiteTable } from "drizzle-orm/sqlite-core"
import * as z from "zod"

import type { Configuration } from "../configuration/configuration.ts"
import type { Database } from "../database/database.ts"
import { failures } from "../http/failure.ts"
import { createApiError } from "./api-error.ts"
import { account, session, user } from "./auth.table.ts"
import { ownSession } from "./believed-user.ts"
import { isStillCurrent, isStillSignedIn } from "./caller.ts"
import { recoveryCode, secondFactor } from "./factor/factor.table.ts"
import { passkey } from "./passkey/passkey.table.ts"

/**
 * How a session proves who has it: `sign-in` is another sign-in, which takes its place. Whoever has a second
 * factor shows that.
 */
export const Proof = z.enum(["totp", "recovery", "passkey", "password", "sign-in"])

export type Proof = z.infer<typeof Proof>

/** Milliseconds for which a proof counts. */
const lifetime = 10 * 60 * 1000
/** Of an act that is under way when its proof ends. */
const patience = 60 * 1000

/** A proof of before it counts no more. */
export function provenSince() {
  return new Date(Date.now() - lifetime)
}

export function isProven(at: Date | null | undefined, since = provenSince()) {
  return at !== null && at !== undefined && at > since
}

function hasProof() {
  return gt(session.provenAt, new Date(Date.now() - lifetime - patience))
}

/** Condition of an act that asks for a step-up, in the batch that makes it: its session is still there, and proven. */
export function isStillProven({ id, userId }: { id: string; userId: string }) {
  return sql`${isStillSignedIn({ id, userId })} and exists (select 1 from ${session}
    where ${eq(session.id, id)} and ${hasProof()})`
}

/** As `isStillProven`, for the session with the token. */
export function isStillProvenWith(token: string) {
  return sql`${isStillCurrent(token)} and exists (select 1 from ${session}
    where ${eq(session.token, token)} and ${hasProof()})`
}

type Known = { database: Database; configuration: Configuration }

/** Statement that reads what a member can prove it by. */
export function selectProofs(database: Database, userId: string) {
  const has = (table: SQLiteTable, which: SQL | undefined) =>
    sql<number>`exists (select 1 from ${table} where ${which})`
  const isPassword = eq(account.providerId, "credential")
  const isConfirmed = isNotNull(secondFactor.confirmedAt)
  return database
    .select({
      isOn: sql<number>`${isNotNull(user.secondFactorSince)}`,
      totp: has(secondFactor, and(eq(secondFactor.userId, userId), isConfirmed)),
      recovery: has(recoveryCode, eq(recoveryCode.userId, userId)),
      passkey: has(passkey, eq(passkey.userId, userId)),
      password: has(
        account,
        and(eq(account.userId, userId), isPassword, isNotNull(account.password)),
      ),
    })
    .from(user)
    .where(eq(user.id, userId))
}

type Proofs = Record<"isOn" | "totp" | "recovery" | "passkey" | "password", number>

/** Of what was read, the ways that the environment offers. */
export function waysOf(configuration: Configuration, found: Proofs) {
  const isOn = found.isOn === 1
  const offered: Record<Proof, boolean> = {
    totp: isOn && found.totp === 1,
    recovery: isOn && found.recovery === 1,
    passkey: found.passkey === 1 && configuration.passkeys !== undefined,
    password: !isOn && found.password === 1 && configuration.passwords,
    "sign-in": !isOn,
  }
  return Proof.options.filter((proof) => offered[proof])
}

/** What the member can prove it by. */
export async function proofsOf({ database, configuration }: Known, userId: string) {
  const [found] = await selectProofs(database, userId)
  return found === undefined ? [] : waysOf(configuration, found)
}

/** What refuses an act without a proof. */
export const stepUpRequired = {
  STEP_UP_REQUIRED: {
    ...failures.STEP_UP_REQUIRED,
    data: z.object({ ways: z.array(Proof) }),
  },
} as const

/** Throws STEP_UP_REQUIRED, with what the member can prove it by. */
export async function requireProof(
  known: Known,
  own: { userId: string; provenAt?: Date | null | undefined },
) {
  if (isProven(own.provenAt)) return
  const ways = await proofsOf(known, own.userId)
  throw createApiError("STEP_UP_REQUIRED", undefined, { ways })
}

/** The session of an endpoint that asks for a step-up. What it writes must depend on `isStillProven`. */
export function provenSession(known: Known) {
  const requireProven = createAuthMiddleware(async ({ context }) => {
    const own = context.session?.session
    if (own === undefined) throw createApiError("UNAUTHORIZED")
    await requireProof(known, own)
  })
  return [...ownSession, requireProven]
}
