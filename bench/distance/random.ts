/** Numbers from 0 to 1 that a seed decides (mulberry32). */
export function createRandom(seed: number) {
  let state = seed
  return () => {
    state = Math.trunc(state + 0x6d_2b_79_f5)
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

/** The next of independent waits with the mean. */
export function waitOf(random: () => number, mean: number) {
  return -Math.log(1 - random()) * mean
}
