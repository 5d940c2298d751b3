import { vi } from "vitest"

/** The clock stands still until its scope ends: no day and no month is over in between. */
export function stopClock() {
  vi.useFakeTimers({ toFake: ["Date"] })
  return { [Symbol.dispose]: () => vi.useRealTimers() }
}

function minuteOf(instant: number) {
  return Math.floor(instant / 60_000)
}

/**
 * Tries until a try begins and ends in one minute of the clock: with the next one the limits count
 * anew. No stopped clock helps, as what counts is not the Worker.
 */
export async function withinMinute<Result>(attempt: (round: number) => Promise<Result>) {
  for (let round = 0; ; round += 1) {
    const began = minuteOf(Date.now())
    const result = await attempt(round)
    if (minuteOf(Date.now()) === began) return result
  }
}
