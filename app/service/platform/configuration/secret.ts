import * as z from "zod"

/** A value that logging, errors or JSON cannot reveal by accident. */
export type Secret = { reveal: () => string }

/** Fewest characters of one that the service makes. */
export const leastSecret = 32

export function conceal(value: string): Secret {
  return { reveal: () => value }
}

function randomSecret() {
  return conceal(Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString("hex"))
}

/** When the new secret of a rotation takes over. */
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
  /** The first one signs, or seals. */
  secrets: [Secret, ...Secret[]]
  /** Unix time (ms) at which the other one takes over. */
  rereadAt: number | undefined
}

/**
 * Which of two secrets signs or seals, and which is only accepted. During a rotation the previous one does until
 * `from`: the version before knows no other, and serves beside the new one for a while.
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
