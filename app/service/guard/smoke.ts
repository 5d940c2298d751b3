import { createHmac, timingSafeEqual } from "node:crypto"

import type { Secret } from "../platform/configuration/secret.ts"

/** Seconds. */
const maxLifetime = 60 * 60

const addressPattern = /^smoke-(\d{10})-[0-9a-z]{8,64}@accounts\.invalid$/

/**
 * Whether the address is a smoke account's, which a release signs up to test itself. Smoke accounts get no email and
 * are swept away. `invalid` is a reserved top-level domain (RFC 2606), so no one owns the address.
 */
export function isSmokeAddress(email: string) {
  return email.endsWith("@accounts.invalid")
}

/**
 * Checks the code that lets a smoke address sign up: the hex HMAC-SHA256 of the address under
 * SMOKE_KEY. The address contains its own expiry, `smoke-<unix seconds>-<random>@accounts.invalid`,
 * so a code is good for one account and for at most an hour.
 */
export function admitsSmoke({
  email,
  code,
  key,
  now,
}: {
  email: string
  code: string
  key: Secret
  now: Date
}) {
  const until = Number(addressPattern.exec(email)?.[1])
  const remaining = until - now.getTime() / 1000
  if (!(remaining > 0 && remaining <= maxLifetime)) return false
  const expected = createHmac("sha256", key.reveal()).update(email).digest()
  const signature = Buffer.from(code, "hex")
  return signature.length === expected.length && timingSafeEqual(signature, expected)
}
