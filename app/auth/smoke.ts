import { createHmac, timingSafeEqual } from "node:crypto"

import type { Secret } from "../secret.ts"

const longest = 60 * 60

const form = /^smoke-(\d{10})-[0-9a-z]{8,64}@accounts\.invalid$/

/**
 * Addresses of the accounts a release signs up to try itself: they get no mail, have no limits, and
 * are swept away. The domain is reserved, so it is nobody's.
 */
export function isSmokeAddress(email: string) {
  return email.endsWith("@accounts.invalid")
}

/**
 * Whether a code lets such an address sign up. It is the HMAC of the address under SMOKE_KEY; the
 * address is `smoke-<seconds until which it is good>-<random>@accounts.invalid`, so that a code is
 * good for one account and at most an hour.
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
  const until = Number(form.exec(email)?.[1])
  const left = until - now.getTime() / 1000
  if (!(left > 0 && left <= longest)) return false
  const expected = createHmac("sha256", key.reveal()).update(email).digest()
  const given = Buffer.from(code, "hex")
  return given.length === expected.length && timingSafeEqual(given, expected)
}
