import { and, eq } from "drizzle-orm"

import type { Database } from "../database.ts"
import { account } from "./auth.table.ts"
import { badRequest } from "./password-length.ts"
import { verifyPassword } from "./password.ts"

/** The user's password account; undefined for who signs in with a provider alone. */
export async function readCredential(database: Database, userId: string) {
  const [found] = await database
    .select({ id: account.id, hash: account.password })
    .from(account)
    .where(and(eq(account.providerId, "credential"), eq(account.accountId, userId)))
  return found?.hash === null || found === undefined ? undefined : { ...found, hash: found.hash }
}

/** Throws INVALID_PASSWORD unless it is the password of the hash. */
export async function checkCurrentPassword(hash: string, password: string) {
  if (await verifyPassword({ hash, password })) return
  throw badRequest("INVALID_PASSWORD", "Invalid password")
}
