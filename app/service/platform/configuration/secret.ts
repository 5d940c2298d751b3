import * as z from "zod"

/** A value that logs, errors and JSON cannot reveal by accident. */
export type Secret = { reveal: () => string }

/** Minimum number of characters of a secret that the service generates. */
export const leastSecret = 32

export function conceal(value: string): Secret {
  return { reveal: () => value }
}

function randomSecret() {
  return conceal(Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString("hex"))
}

/** Time at which the new secret of a rotation takes over. */
export const RotationTime = z.iso
  .datetime({ error: "must be a time in UTC such as 2026-11-22T12:00:00Z, in quotes" })
  .optional()

type Given = {
  current: Secret
  previous: Secret | undefined
  /** ISO 8601; undefined if the current secret already signs. */
  from: string | undefined
}

type Ordered = {
  /** The first one signs or encrypts. */
  secrets: [Secret, ...Secret[]]
  /** Unix time (ms) at which the other one takes over. */
  rereadAt: number | undefined
}

/**
 * Returns the secrets, first the one that signs or encrypts. During a rotation that is the previous one until `from`,
 * because an older version beside this one knows no other.
 * @param now Unix time (ms)
 */
export function orderSecrets({ current, previous, from }: Given, now: number): Ordered {
  if (previous === undefined) return { secrets: [current], rereadAt: undefined }
  const begins = from === undefined ? now : Date.parse(from)
  return now < begins
    ? { secrets: [previous, current], rereadAt: begins }
    : { secrets: [current, previous], rereadAt: undefined }
}

type Signing = {
  AUTH_SECRET?: Secret | undefined
  AUTH_SECRET_PREVIOUS?: Secret | undefined
  AUTH_SECRET_FROM?: string | undefined
}

/** Returns the secrets that sign cookies and links, a random one if none is set. */
export function signingSecrets(values: Signing, now: number) {
  const { AUTH_SECRET: current = randomSecret(), AUTH_SECRET_PREVIOUS: previous } = values
  return orderSecrets({ current, previous, from: values.AUTH_SECRET_FROM }, now)
}
