import { setTimeout as delay } from "node:timers/promises"

import { Failure, type FailureFacts, isFailure } from "../failure.ts"

export type RetryOptions = {
  /** Told before each wait for a rate limit. */
  onLimit?: (message: string) => void
  /** Waits between two attempts. */
  pause?: (milliseconds: number) => Promise<unknown>
}

type ApiFailure = Error & { facts: FailureFacts["API_FAILED"] }

const attempts = 4
/** Seconds to wait in all for a rate limit: a window of Cloudflare's, and a little more. */
const limitPatience = 310
/** Seconds of the longest pause that Cloudflare has not asked for. */
const longestPause = 60

/** @param lostToo whether the request may be sent again although it may have been applied */
export async function retry<T>(
  { onLimit, pause = delay }: RetryOptions,
  lostToo: boolean,
  act: () => Promise<T>,
): Promise<T> {
  let failures = 0
  const limit = { pauses: 0, waited: 0 }
  for (;;) {
    try {
      return await act()
    } catch (error) {
      if (!isFailure(error, "API_FAILED")) throw error
      const { lost, retryAfter = 0 } = error.facts
      if (isLimit(error)) {
        const seconds = nextPause(error, limit)
        limit.pauses += 1
        limit.waited += seconds
        onLimit?.(`Cloudflare's rate limit is reached: the next request follows in ${seconds} s`)
        await pause(seconds * 1000)
        continue
      }
      failures += 1
      if (failures === attempts || !(lost && lostToo)) throw error
      await pause(Math.min(Math.max(retryAfter, 0.25 * 2 ** failures), 30) * 1000)
    }
  }
}

/** An outage of D1 may come with the same status, and leaves open what was applied. */
function isLimit({ facts: { status, lost } }: ApiFailure): boolean {
  return status === 429 && !lost
}

/**
 * Grows with each pause, even where Cloudflare asks for less.
 * @throws Failure when the limit outlasts a whole window
 */
function nextPause(error: ApiFailure, { pauses, waited }: { pauses: number; waited: number }) {
  const { message, facts } = error
  const { retryAfter = 0 } = facts
  const remaining = limitPatience - waited
  const seconds = Math.max(retryAfter, Math.min(2 ** pauses, longestPause, remaining))
  if (remaining > 0 && seconds <= remaining) return seconds
  const advice =
    retryAfter > 0
      ? `The rate limit lasts ${retryAfter} s more: run again then`
      : `The rate limit has lasted ${waited} s, and Cloudflare does not say how long it will: run again later`
  throw new Failure("API_FAILED", `${message}. ${advice}`, { facts })
}

/** Seconds by the header `Retry-After`, a number or a date (RFC 9110, 10.2.3); undefined if it says none. */
export function retryDelaySeconds(headers: Headers): number | undefined {
  const text = headers.get("retry-after") ?? ""
  if (/^\d+$/.test(text)) return Number(text) || undefined
  const until = Date.parse(text)
  // The clock that set the date counts.
  const now = Date.parse(headers.get("date") ?? "") || Date.now()
  return until > now ? Math.ceil((until - now) / 1000) : undefined
}

/**
 * Whether D1 itself failed, not the SQL. Cloudflare gives both the same code, so only the words tell
 * them apart. After an outage the query may have been committed.
 */
export function isOutage(error: { message: string }): boolean {
  return outages.some((pattern) => pattern.test(error.message))
}

/** From developers.cloudflare.com/d1/observability/debug-d1, and SQLite without space or access. */
const outages = [
  /^(?:D1_ERROR: )?(?:Network connection lost|Cannot resolve D1 DB|Can't read from request stream)/,
  /^(?:D1_ERROR: )?D1 DB(?:'s isolate)? (?:reset|storage operation exceeded|is overloaded|exceeded)/,
  /Exceeded maximum DB size/,
  /internal error/i,
  /SQLITE_(?:FULL|BUSY|LOCKED|IOERR|NOMEM|INTERRUPT)/,
]
