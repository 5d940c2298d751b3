import { timingSafeEqual } from "node:crypto"

import { base32 } from "@better-auth/utils/base32"
import { createOTP } from "@better-auth/utils/otp"
import { generateRandomString } from "better-auth/crypto"

/** Milliseconds of a time step. */
const period = 30 * 1000

/** Characters of a secret: 190 bits. */
const secretLength = 32

export function createSecret() {
  return generateRandomString(secretLength, "a-z", "A-Z", "0-9")
}

/** Returns the secret to type into an app, and the URI to scan. */
export function shownSecret(secret: string, { issuer, email }: { issuer: string; email: string }) {
  return {
    secret: base32.encode(secret, { padding: false }),
    // A plus sign, as in form encoding, would appear in the app.
    uri: createOTP(secret).url(issuer, email).replaceAll("+", "%20"),
  }
}

/**
 * @param code six digits
 * @returns the time step of the code: the current, previous or next step, for clock drift; undefined for a wrong code.
 * Always compares all three, so that every check takes the same time.
 */
export async function stepOf(secret: string, code: string) {
  const now = Math.floor(Date.now() / period)
  const otp = createOTP(secret)
  const steps = [now - 1, now, now + 1]
  const codes = await Promise.all(steps.map((step) => otp.hotp(step)))
  const are = codes.map((candidate) => timingSafeEqual(Buffer.from(candidate), Buffer.from(code)))
  return steps.findLast((_, at) => are[at])
}
