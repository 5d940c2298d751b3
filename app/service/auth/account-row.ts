import { inArray, sql } from "drizzle-orm"

import type { Configuration } from "../configuration/configuration.ts"
import { createId } from "../database/database.ts"
import { account } from "./auth.table.ts"

/** A new way to sign in. Nothing uses a provider's tokens, so none is stored. */
export function accountRow<Given>(given: Given) {
  const now = new Date()
  return { id: createId("account"), ...given, createdAt: now, updatedAt: now }
}

/** @param password as a hash */
export function credentialRow(userId: string, password: string) {
  return accountRow({ userId, providerId: "credential", accountId: userId, password })
}

/** Condition: this is the user's password, as a hash. A new hash has a salt of its own, so none is twice. */
export function hasPassword(userId: string, hash: string) {
  return sql`exists (select 1 from ${account} where ${account.providerId} = 'credential'
    and ${account.accountId} = ${userId} and ${account.password} = ${hash})`
}

/** Condition on a row of `account`: it is a way in that the environment offers. */
export function opens({ passwords, identityProviders }: Configuration) {
  const offered = identityProviders.map(({ id }) => id)
  return inArray(account.providerId, passwords ? ["credential", ...offered] : offered)
}
