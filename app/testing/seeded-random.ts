/** The same seed gives the same numbers, so that a failure can be reproduced. */
export function createSeededRandom(seed: number) {
  let state = seed
  const next = () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const pick = <Item>(items: Item[]) => items[Math.floor(next() * items.length)]
  return { next, pick }
}

export type Random = ReturnType<typeof createSeededRandom>
