import { and, eq, inArray, isNotNull, ne, not, sql, type SQL } from "drizzle-orm"
import type { SQLiteTable } from "drizzle-orm/sqlite-core"

import type { Configuration } from "../../platform/configuration/configuration.ts"
import {
  account,
  passkey,
  recoveryCode,
  secondFactor,
  session,
  user,
} from "../../platform/database/auth.table.ts"
import { createId, type Database } from "../../platform/database/database.ts"

/** Returns the row of a new sign-in method. It has no tokens of a provider, because nothing uses them. */
export function accountRow<Given>(identity: Given) {
  const now = new Date()
  return { id: createId("account"), ...identity, createdAt: now, updatedAt: now }
}

/** @param password its hash */
export function credentialRow(userId: string, password: string) {
  return accountRow({ userId, providerId: "credential", accountId: userId, password })
}

/** Condition: the user's password hash is still this hash. Each hash has its own salt, so hashes never repeat. */
export function hasPassword(userId: string, hash: string) {
  return sql`exists (select 1 from ${account} where ${account.providerId} = 'credential'
    and ${account.accountId} = ${userId} and ${account.password} = ${hash})`
}

function offeredProviders({ passwords, identityProviders }: Configuration) {
  const offered = identityProviders.map(({ id }) => id)
  return passwords ? ["credential", ...offered] : offered
}

export function isOfferedBy(configuration: Configuration, providerId: string) {
  return offeredProviders(configuration).includes(providerId)
}

/** Condition on a row of `account`: the environment offers this sign-in method. */
function opens(configuration: Configuration) {
  return inArray(account.providerId, offeredProviders(configuration))
}

/** Condition: the account has an authenticator app, so each sign-in requires its code. */
export function hasApp(userId: string | SQL) {
  // The alias keeps an outer query's `user` columns from resolving to this table.
  return sql`exists (select 1 from user as holder where holder.id = ${userId}
    and holder.second_factor_since is not null)`
}

/**
 * Condition: the account has an app or a passkey other than `besides`. A factor that the environment has switched off
 * still counts, so weaker methods stay rejected.
 */
export function hasFactor(userId: string | SQL, besides = "") {
  const otherPasskeys = and(sql`${passkey.userId} = ${userId}`, ne(passkey.id, besides))
  return sql`(${hasApp(userId)} or exists (select 1 from ${passkey} where ${otherPasskeys}))`
}

/** Condition on a row of `session`: the session used a factor. A trusted browser does not count. */
const hasShownFactor = sql`coalesce(${session.factor}, 'trusted') <> 'trusted'`

/** Condition on a row of `session`: the session used a factor, or its account has no factor. */
export const isEnough = sql`(${hasShownFactor} or not ${hasFactor(sql`${session.userId}`)})`

/**
 * Column of a query of `session`: when the session last used everything that its account has now; null if
 * something is missing.
 */
export const provenAt = sql<Date | null>`case when ${isEnough} then ${session.provenAt} end`
  .mapWith((time: number | null) => (time === null ? null : new Date(time)))
  .as("shown_at")

/** Column of a `session` query: step-up needs a factor, because the account has one or the session used one. */
export const needsFactor =
  sql<boolean>`(${isNotNull(session.factor)} or ${hasFactor(sql`${session.userId}`)})`
    .mapWith(Boolean)
    .as("needs_factor")

export function selectAuthenticators(database: Database, userId: string) {
  const has = (table: SQLiteTable, which: SQL | undefined) =>
    sql<number>`exists (select 1 from ${table} where ${which})`
  const isPassword = eq(account.providerId, "credential")
  const isConfirmed = isNotNull(secondFactor.confirmedAt)
  return database
    .select({
      hasApp: sql<number>`${isNotNull(user.secondFactorSince)}`,
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

export type Authenticators = Awaited<ReturnType<typeof selectAuthenticators>>[number]

/** Returns the statements that delete the app and the recovery codes of an account. */
export function forgetApp(database: Database, userId: string | SQL<string>, when: SQL) {
  return {
    factor: database.delete(secondFactor).where(and(eq(secondFactor.userId, userId), when)),
    codes: database.delete(recoveryCode).where(and(eq(recoveryCode.userId, userId), when)),
  }
}

/** Returns the statements that delete all authenticators, except rows of `account` where `keeps` is true. */
export function removeAuthenticators(
  database: Database,
  userId: string | SQL<string>,
  { when, keeps = sql`false` }: { when: SQL; keeps?: SQL },
) {
  return {
    identities: database.delete(account).where(and(eq(account.userId, userId), not(keeps), when)),
    passkeys: database.delete(passkey).where(and(eq(passkey.userId, userId), when)),
    ...forgetApp(database, userId, when),
  }
}

type Without = { accountId?: string | SQL; passkeyId?: string }

/**
 * Condition for removing a sign-in method: the account has another that this environment offers. In the same batch as
 * the removal, it also stops two concurrent requests that each remove the other's method.
 */
export function hasOtherMethod(
  configuration: Configuration,
  userId: string | SQL,
  { accountId = "", passkeyId = "" }: Without,
) {
  const byAccount = sql`exists (select 1 from ${account} where ${account.userId} = ${userId}
    and ${account.id} <> ${accountId} and ${opens(configuration)})`
  // The owner can sign in with an emailed code.
  if (configuration.emailCode) return sql`true`
  if (configuration.passkeys === undefined) return byAccount
  return sql`(${byAccount} or exists (select 1 from ${passkey} where ${passkey.userId} = ${userId}
    and ${passkey.id} <> ${passkeyId}))`
}
