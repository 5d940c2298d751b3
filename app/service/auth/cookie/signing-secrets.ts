import { randomSecret, type Secret } from "../../configuration/secret.ts"

type Given = {
  AUTH_SECRET?: Secret | undefined
  AUTH_SECRET_PREVIOUS?: Secret | undefined
  AUTH_SECRET_FROM?: string | undefined
}

type Signing = {
  /** The first one signs. */
  secrets: [Secret, ...Secret[]]
  /** Unix time (ms) at which the other one begins to sign. */
  rereadAt: number | undefined
}

/**
 * Which of two secrets signs, and which is only accepted. During a rotation the previous one signs
 * until AUTH_SECRET_FROM: the version before knows no other, and serves beside the new one for a while.
 * @param now Unix time (ms)
 */
export function signingSecrets(given: Given, now: number): Signing {
  const { AUTH_SECRET: current = randomSecret(), AUTH_SECRET_PREVIOUS: previous } = given
  const { AUTH_SECRET_FROM } = given
  if (previous === undefined) return { secrets: [current], rereadAt: undefined }
  const from = AUTH_SECRET_FROM === undefined ? now : Date.parse(AUTH_SECRET_FROM)
  return now < from
    ? { secrets: [previous, current], rereadAt: from }
    : { secrets: [current, previous], rereadAt: undefined }
}
