import { env } from "cloudflare:workers"
import { vi } from "vitest"

/** Stops the clock until its scope ends, so that no day or month ends during a test. */
export function stopClock() {
  vi.useFakeTimers({ toFake: ["Date"] })
  return { [Symbol.dispose]: () => vi.useRealTimers() }
}

/**
 * Empties the counters of attempts, as the longest window does that passes. A counter may belong to two addresses, so
 * this stands before each address whose answers are compared with those for another.
 */
export function forgetAttempts() {
  return env.DB.exec("delete from attempt")
}

function minuteOf(time: number) {
  return Math.floor(time / 60_000)
}

/**
 * Repeats an attempt until it starts and ends within the same minute: rate limits reset at each
 * minute. Stopping the clock would not help, because the limits are counted outside the Worker.
 */
export async function withinMinute<Result>(attempt: (round: number) => Promise<Result>) {
  for (let round = 0; ; round += 1) {
    const began = minuteOf(Date.now())
    const result = await attempt(round)
    if (minuteOf(Date.now()) === began) return result
  }
}
