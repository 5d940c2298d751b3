import { createHash, hkdfSync } from "node:crypto"

import { EncryptJWT, jwtDecrypt } from "jose"

import type { Configuration } from "../../platform/configuration/configuration.ts"

type Known = Pick<Configuration, "factorSecrets" | "environment">

/** Returns the keys, newest first. They do not derive from AUTH_SECRET, so rotating it locks no factor. */
function keysOf({ factorSecrets, environment }: Known) {
  return factorSecrets.map((secret) => {
    const info = `accounts ${environment} second factor`
    const key = Buffer.from(hkdfSync("sha256", secret.reveal(), "", info, 32))
    return { key, id: createHash("sha256").update(key).digest("base64url").slice(0, 16) }
  })
}

export function keyIdsOf(configuration: Known) {
  return keysOf(configuration).map(({ id }) => id)
}

/**
 * Encrypts the secret of a member's app. A reader of the database cannot decrypt it, and it is invalid in another
 * member's row.
 */
export async function sealSecret(configuration: Known, userId: string, secret: string) {
  const [newest] = keysOf(configuration)
  if (newest === undefined) throw new Error("FACTOR_SECRET is missing")
  const sealed = await new EncryptJWT({ secret })
    .setProtectedHeader({ alg: "dir", enc: "A256GCM" })
    .setSubject(userId)
    .encrypt(newest.key)
  return { secret: sealed, keyId: newest.id }
}

/** Decrypts a sealed secret. Undefined if its key is missing, or if it was sealed for another member. */
export async function openSecret(
  configuration: Known,
  { userId, secret, keyId }: { userId: string; secret: string; keyId: string },
) {
  const key = keysOf(configuration).find(({ id }) => id === keyId)
  if (key === undefined) return undefined
  const opened = await jwtDecrypt(secret, key.key, {
    subject: userId,
    keyManagementAlgorithms: ["dir"],
    contentEncryptionAlgorithms: ["A256GCM"],
  }).catch(() => undefined)
  const value = opened?.payload["secret"]
  return typeof value === "string" ? value : undefined
}
