import { createHmac } from "node:crypto"

export const smokeKey = "a-key-for-releases-of-32-characters-or-more"

/** Returns a reserved address that is valid for so many seconds, and the headers that prove it. */
export function createSmokeAddress(seconds = 600, key = smokeKey) {
  const until = Math.floor(Date.now() / 1000) + seconds
  const email = `smoke-${until}-${crypto.randomUUID().slice(0, 8)}@accounts.invalid`
  const code = createHmac("sha256", key).update(email).digest("hex")
  return { email, headers: { "accounts-smoke-code": code } }
}
