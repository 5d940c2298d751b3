function minuteOf(instant: number) {
  return Math.floor(instant / 60_000)
}

/**
 * Repeats `attempt` until one runs within a single minute of the clock, because rate limits reset
 * every minute. Each attempt must count under its own key.
 */
export async function withinMinute<Result>(
  attempt: (round: number) => Promise<Result>,
): Promise<Result> {
  for (let round = 0; ; round += 1) {
    const began = minuteOf(Date.now())
    const result = await attempt(round)
    if (minuteOf(Date.now()) === began) return result
  }
}
