import * as z from "zod"

import { sessionLifetime } from "./cookie/browser-cookies.ts"

const day = 24 * 60 * 60 * 1000

/** Days after which a session ends, however much it is used: extensions stop within a day of it. */
export const SessionDays = z
  .int()
  .min(7, "must be 7 at least: a session that is not used lasts as long")
  .max(365, "must be at most 365")
  .optional()
  .meta({ description: "Days that a session lasts at most, however much it is used; default: 30" })

type Ages = { createdAt: Date; expiresAt: Date; remembered: boolean }

/** Until when a session goes on that is used now (Unix time, ms). */
export function extendedUntil(ages: Ages, sessionDays: number, now: number) {
  const { createdAt, expiresAt, remembered } = ages
  if (!remembered) return expiresAt.getTime()
  const longest = Math.min(now + sessionLifetime * 1000, createdAt.getTime() + sessionDays * day)
  return Math.max(expiresAt.getTime(), longest)
}

/** Whether it is a day since it was extended, and can be. */
export function isDue(ages: Ages, sessionDays: number, now: number) {
  return extendedUntil(ages, sessionDays, now) - ages.expiresAt.getTime() >= day
}
