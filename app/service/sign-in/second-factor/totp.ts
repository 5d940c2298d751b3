import { timingSafeEqual } from "node:crypto"

import { base32 } from "@better-auth/utils/base32"
import { createOTP } from "@better-auth/utils/otp"
import { generateRandomString } from "better-auth/crypto"

/** Milliseconds for which a code is shown. */
const period = 30 * 1000

/** Characters: 190 bits. */
const secretLength = 32

export function createSecret() {
  return generateRandomString(secretLength, "a-z", "A-Z", "0-9")
}

/** Returns the texts that a user types into an app or scans. */
export function shownSecret(secret: string, { issuer, email }: { issuer: string; email: string }) {
  return {
    secret: base32.encode(secret, { padding: false }),
    // A plus sign, as in form encoding, would appear in the app.
    uri: createOTP(secret).url(issuer, email).replaceAll("+", "%20"),
  }
}

/**
 * @param code six digits
 * @returns the step of time that it belongs to: this one or, for a clock that is wrong or a hand that is slow, the
 * one before or after; undefined if it is of none. All three are compared, so each answer takes the same time.
 */
export async function stepOf(secret: string, code: string) {
  const now = Math.floor(Date.now() / period)
  const otp = createOTP(secret)
  const steps = [now - 1, now, now + 1]
  const codes = await Promise.all(steps.map((step) => otp.hotp(step)))
  const are = codes.map((candidate) => timingSafeEqual(Buffer.from(candidate), Buffer.from(code)))
  return steps.findLast((_, at) => are[at])
}
