import { and, eq, inArray, ne, sql } from "drizzle-orm"
import * as z from "zod"

import type { Configuration } from "../../configuration/configuration.ts"
import type { Database } from "../../database/database.ts"
import { failures } from "../../http/failure.ts"
import { session, user } from "../auth.table.ts"
import { currentWith } from "../caller.ts"
import { passkey } from "../passkey/passkey.table.ts"
import { pathHas } from "../paths.ts"
import { type Role, roles } from "../role.ts"
import { isSmokeAddress } from "../smoke.ts"
import { Proof, proofsOf } from "../step-up.ts"
import { hasFactor } from "./factor-state.ts"
import type { Factor } from "./factor.ts"

/** How somebody gets a factor who has none. Who has one shows that first: else a password would add another. */
const enrolling = new Set(["/passkey/add", "/beginTotp", "/confirmTotp", "/listWays"])

const rolesWithFactor: Record<Configuration["requireSecondFactor"], readonly Role[]> = {
  none: [],
  owners: ["owner"],
  admins: ["admin", "owner"],
  everybody: roles,
}

/** Condition: the account must have a second factor, as its role is when the statement runs. */
export function isHeldToFactor({ requireSecondFactor }: Configuration, userId: string) {
  const roleMust = inArray(user.role, [...rolesWithFactor[requireSecondFactor]])
  return sql`exists (select 1 from ${user} where ${and(eq(user.id, userId), roleMust)})`
}

/** Condition: the account must have a second factor, and has nothing but passkeys for it. */
export function hasPasskeysAlone(configuration: Configuration, userId: string) {
  return sql`(${isHeldToFactor(configuration, userId)} and not ${hasFactor(userId)}
    and exists (select 1 from ${passkey} where ${eq(passkey.userId, userId)}))`
}

/** Trust spares a member the code. Whoever acts on others shows it. */
function isShown(factor: Factor | null, role: Role) {
  return factor !== null && (factor !== "trusted" || role === "member")
}

type Known = { database: Database; configuration: Configuration }

type Asked = {
  /** Of the session's cookie, whose signature is valid; undefined where there is none. */
  token: string | undefined
  /** Below `/api/auth` or `/api/v1`, with the names of its parameters. */
  path: string
}

/**
 * What holds back a session that has shown no second factor, where its account must have one: the ways in which it
 * can at `step-up`, none where the account has none yet. Undefined: nothing does. It is read of the primary each
 * time, since a role or a factor may be a second old.
 */
export async function missingFactor(known: Known, { token, path }: Asked) {
  const { database, configuration } = known
  if (configuration.requireSecondFactor === "none") return undefined
  if (token === undefined || pathHas(path, "open")) return undefined
  const [found] = await database
    .select({ userId: user.id, email: user.email, role: user.role, factor: session.factor })
    .from(session)
    .innerJoin(user, eq(user.id, session.userId))
    .where(currentWith(token))
  if (found === undefined) return undefined
  const { userId, email, role, factor } = found
  if (!rolesWithFactor[configuration.requireSecondFactor].includes(role)) return undefined
  if (isShown(factor, role)) return undefined
  // A release signs up members to try itself.
  if (role === "member" && isSmokeAddress(email)) return undefined
  const ways = (await proofsOf(known, userId)).filter(isFactor)
  return ways.length === 0 && enrolling.has(path) ? undefined : ways
}

function isFactor(way: Proof) {
  return way === "totp" || way === "recovery" || way === "passkey"
}

/** What refuses it. */
export const factorMissing = {
  SECOND_FACTOR_MISSING: {
    ...failures.SECOND_FACTOR_MISSING,
    data: z.object({ ways: z.array(Proof) }),
  },
} as const

/** Condition: the account has another factor than the passkey. */
export function hasOtherFactor(userId: string, passkeyId: string) {
  const others = and(eq(passkey.userId, userId), ne(passkey.id, passkeyId))
  return sql`(exists (select 1 from ${passkey} where ${others}) or ${hasFactor(userId)})`
}
