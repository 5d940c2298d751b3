import { and, eq } from "drizzle-orm"

import { createApiError } from "../api-error.ts"
import { account, user } from "../auth.table.ts"
import type { Dependencies } from "../dependencies.ts"
import { verifyPassword } from "./password.ts"

type Stores = Pick<Dependencies, "database" | "attempts">

/**
 * Counts an attempt at the user's current password, and returns their password account, and since when it is no
 * proof any more by itself; undefined for who signs in with a provider alone. Throws TOO_MANY_ATTEMPTS.
 */
export async function attemptCredential({ database, attempts }: Stores, userId: string) {
  const [counted, [found]] = await database.batch([
    attempts.count("password", userId),
    database
      .select({
        id: account.id,
        hash: account.password,
        factorSince: user.secondFactorSince,
      })
      .from(account)
      .innerJoin(user, eq(user.id, account.userId))
      .where(and(eq(account.providerId, "credential"), eq(account.accountId, userId))),
  ])
  attempts.admit("password", counted, "TOO_MANY_ATTEMPTS")
  return found?.hash === null || found === undefined ? undefined : { ...found, hash: found.hash }
}

/** Throws INVALID_PASSWORD unless it is the password of the hash. */
export async function checkCurrentPassword(hash: string, password: string) {
  if (await verifyPassword({ hash, password })) return
  throw createApiError("INVALID_PASSWORD")
}
