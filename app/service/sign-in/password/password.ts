import { randomBytes, scrypt } from "node:crypto"

import { and, eq } from "drizzle-orm"
import * as z from "zod"

import { account, user } from "../../platform/database/auth.table.ts"
import { createApiError } from "../../platform/http/failure.ts"
import type { Dependencies } from "../../session/endpoint.ts"

/** Any password to compare. The rules for a new password are in `NewPassword`. */
export const Password = z.string().max(1000)

const keyLength = 64
const cost = { N: 16_384, r: 16, p: 1, maxmem: 64 * 1024 * 1024 }
const stored = /^([0-9a-f]{32}):([0-9a-f]{128})$/

/**
 * Returns `<salt_hex>:<derived_key_hex>`. It passes scrypt the salt's hex text and the NFKC password, as better-auth
 * does, so that better-auth's hashes stay valid.
 */
export async function hashPassword(password: string) {
  const salt = randomBytes(16).toString("hex")
  return `${salt}:${(await derive(password, salt)).toString("hex")}`
}

/** Returns false for a wrong password or a malformed hash. Compares in constant time. */
export async function verifyPassword({ hash, password }: { hash: string; password: string }) {
  const [, salt, key] = stored.exec(hash) ?? []
  if (salt === undefined || key === undefined) return false
  return crypto.subtle.timingSafeEqual(Buffer.from(key, "hex"), await derive(password, salt))
}

function derive(password: string, salt: string) {
  return new Promise<Buffer>((resolve, reject) => {
    scrypt(password.normalize("NFKC"), salt, keyLength, cost, (error, key) =>
      error ? reject(error) : resolve(key),
    )
  })
}

type Stores = Pick<Dependencies, "database" | "attempts">

/**
 * Counts an attempt at the user's current password, and returns the password account and since when the user has a
 * factor; undefined if the user has no password. Throws TOO_MANY_ATTEMPTS.
 */
export async function attemptCredential({ database, attempts }: Stores, userId: string) {
  const [counted, [row]] = await database.batch([
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
  return row?.hash === null || row === undefined ? undefined : { ...row, hash: row.hash }
}

/** Throws INVALID_PASSWORD if the password does not match the hash. */
export async function checkCurrentPassword(hash: string, password: string) {
  if (await verifyPassword({ hash, password })) return
  throw createApiError("INVALID_PASSWORD")
}
