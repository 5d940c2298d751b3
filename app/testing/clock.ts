import { vi } from "vitest"

/** The clock stands still until its scope ends: no day and no month is over in between. */
export const stopClock = () => {
  vi.useFakeTimers({ toFake: ["Date"] })
  return { [Symbol.dispose]: () => vi.useRealTimers() }
}

const minuteOf = (instant: number) => Math.floor(instant / 60_000)

/**
 * Tries until a try begins and ends in one minute of the clock: with the next one the limits count
 * anew. No stopped clock helps, as what counts is not the Worker.
 */
export const withinMinute = async <Result>(attempt: (round: number) => Promise<Result>) => {
  for (let round = 0; ; round += 1) {
    const began = minuteOf(Date.now())
    const result = await attempt(round)
    if (minuteOf(Date.now()) === began) return result
  }
}
