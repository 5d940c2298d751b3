/** Numbers from 0 to 1, the same for the same seed (mulberry32). */
export function* random(state: number): Generator<number, never> {
  for (let a = state >>> 0; ;) {
    a = (a + 0x6d2b79f5) >>> 0
    const b = Math.imul(a ^ (a >>> 15), 1 | a)
    const c = (b + Math.imul(b ^ (b >>> 7), 61 | b)) ^ b
    yield ((c ^ (c >>> 14)) >>> 0) / 2 ** 32
  }
}
