import { randomBytes, scrypt } from "node:crypto"

const keyLength = 64
const cost = { N: 16_384, r: 16, p: 1, maxmem: 64 * 1024 * 1024 }
const stored = /^([0-9a-f]{32}):([0-9a-f]{128})$/

/**
 * Returns `<salt_hex>:<derived_key_hex>`. Like better-auth, so that its hashes stay valid, it passes
 * scrypt the salt's hex text instead of its bytes, and the password in NFKC.
 */
export async function hashPassword(password: string) {
  const salt = randomBytes(16).toString("hex")
  return `${salt}:${(await derive(password, salt)).toString("hex")}`
}

/** False for a wrong password and for a malformed hash; compares in constant time. */
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
