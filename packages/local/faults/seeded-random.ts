/** Draws numbers from 0 (included) to 1 (excluded), the same for the same seed. */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0
  // Mulberry32: 32 bits of state are plenty for picking requests.
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
