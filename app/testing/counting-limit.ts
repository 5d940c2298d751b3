/** A rate limiter that admits so many requests of each key, and counts all of them. */
export function createCountingLimit(most: number) {
  const counts = new Map<string, number>()
  return {
    counts,
    limit: async ({ key = "" }: { key?: string }) => {
      const count = (counts.get(key) ?? 0) + 1
      counts.set(key, count)
      return { success: count <= most }
    },
  }
}
