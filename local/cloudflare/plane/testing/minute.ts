function minuteOf(instant: number) {
  return Math.floor(instant / 60_000)
}

/**
 * Tries until a try begins and ends in one minute of the clock: with the next one rate limits count
 * anew. Each try has to count under a key of its own.
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
