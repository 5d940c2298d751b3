import { sessionLifetime } from "./cookie/browser-cookies.ts"

const day = 24 * 60 * 60 * 1000

/** Milliseconds after which a session ends, however much it is used: extensions stop within a day of it. */
const oldest = 30 * day

type Ages = { createdAt: Date; expiresAt: Date }

/** Until when a session goes on that is used now (Unix time, ms). */
export function extendedUntil({ createdAt, expiresAt }: Ages, now: number) {
  const longest = Math.min(now + sessionLifetime * 1000, createdAt.getTime() + oldest)
  return Math.max(expiresAt.getTime(), longest)
}

/** Whether it is a day since it was extended, and can be. */
export function isDue(ages: Ages, now: number) {
  return extendedUntil(ages, now) - ages.expiresAt.getTime() >= day
}
