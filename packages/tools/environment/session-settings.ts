import * as z from "zod"

/** Seconds at most. */
export type SnapshotLimits = { answers: number; grace: number }

function secondsTo(limit: number, reason: string) {
  return z.int().min(1).max(limit, `must be at most ${limit}: ${reason}`).optional()
}

export function sessionCache({ answers }: SnapshotLimits) {
  return secondsTo(answers, "a session that was ended elsewhere still shows for as long").meta({
    description:
      "Seconds for which get-session and whoami answer members from a sealed cookie, without the database; default: none",
  })
}

export function sessionGrace({ grace }: SnapshotLimits) {
  return secondsTo(
    grace,
    "a session that was ended elsewhere shows for as long while the database does not answer",
  ).meta({
    description:
      "Seconds for which they also do while the database does not answer; more than sessionCache",
  })
}
