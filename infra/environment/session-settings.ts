import * as z from "zod"

import { snapshotLimits } from "../../app/service/auth/cookie/browser-cookies.ts"

function secondsTo(limit: number, reason: string) {
  return z.int().min(1).max(limit, `must be at most ${limit}: ${reason}`).optional()
}

export const SessionCache = secondsTo(
  snapshotLimits.answers,
  "a session that was ended elsewhere still shows for as long",
).meta({
  description:
    "Seconds for which get-session and whoami answer members from a sealed cookie, without the database; default: none",
})

export const SessionGrace = secondsTo(
  snapshotLimits.grace,
  "a session that was ended elsewhere shows for as long while the database does not answer",
).meta({
  description:
    "Seconds for which they also do while the database does not answer; more than sessionCache",
})
