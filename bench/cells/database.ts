import type { Clock } from "./testing/clock.ts"

/**
 * Milliseconds, and shares of all questions. D1 says "less than a millisecond" of a read by an index and
 * "several" of a write (https://developers.cloudflare.com/d1/platform/limits/), the limits are those of
 * `app/service/database/bounded-database.ts`; all else is assumed.
 */
export const assumed = {
  read: 0.5,
  write: 5,
  travel: { least: 2, most: 20 },
  travelOfLate: 20_000,
  lost: 0.001,
  queue: 1000,
  questionLimit: 5000,
  requestLimit: 10_000,
}

type Reason = "lost" | "slow" | "overloaded" | "fenced"

/** Only what was overloaded has surely not taken effect. */
export class Unanswered extends Error {
  readonly database: Database
  readonly reason: Reason
  constructor(database: Database, reason: Reason) {
    super(reason)
    this.database = database
    this.reason = reason
  }
}

/** @property lost the share of answers that are lost, and of ways there and back that take long */
type Question<Result> = { kind: "read" | "write"; apply: () => Result; lost?: number }

export type Database = ReturnType<typeof createDatabase>

/** One database as D1 is: it does one thing at a time, each wholly or not at all, and it may stall. */
export function createDatabase({ clock, random }: { clock: Clock; random: () => number }) {
  const stalls: { from: number; until: number }[] = []
  const work = { done: 0, until: 0, overloadedAt: -Infinity }
  const travel = (late = assumed.lost) => {
    const { least, most } = assumed.travel
    const isLate = random() < late
    return isLate ? random() * assumed.travelOfLate : least + random() * (most - least)
  }

  const database = {
    /** While it stalls it takes questions, and does them afterwards. */
    stalls,
    /** Milliseconds of work that it was given. */
    busy: () => work.done,
    hasSuffered(since: number) {
      const isStalled = stalls.some(({ from, until }) => from < clock.now() && until > since)
      return isStalled || work.overloadedAt >= since
    },

    ask<Result>({ kind, apply, lost = assumed.lost }: Question<Result>): Promise<Result> {
      const limit = clock.now() + assumed.questionLimit
      return new Promise((resolve, reject) => {
        const failAt = (at: number, reason: Reason) =>
          clock.at(at, () => reject(new Unanswered(database, reason)))
        const arrival = clock.now() + travel(lost)
        if (arrival >= limit) failAt(limit, "lost")
        clock.at(arrival, () => {
          const stall = stalls.find(({ from, until }) => from <= arrival && arrival < until)
          const begin = stall?.until ?? arrival
          if (work.until - begin > assumed.queue) {
            work.overloadedAt = arrival
            failAt(arrival + travel(), "overloaded")
            return
          }
          work.done += assumed[kind]
          work.until = Math.max(begin, work.until) + assumed[kind]
          const [end, answer] = [work.until, work.until + travel(lost)]
          const isAnswered = random() >= lost && answer < limit
          if (!isAnswered) failAt(Math.min(answer, limit), end < limit ? "lost" : "slow")
          clock.at(end, () => {
            const result = apply()
            if (isAnswered) clock.at(answer, () => resolve(result))
          })
        })
      })
    },
  }
  return database
}
