export type PastResponse = { status: number; text: string }

/** Characters of one response, and number of paths, that are kept. */
const limits = { size: 256 * 1024, paths: 500 }

/** Earlier responses by path and query, for stale reads. */
export function createResponseHistory() {
  const known = new Map<string, { before?: PastResponse; last: PastResponse; writes: number }>()
  let writes = 0

  return {
    wrote: () => void (writes += 1),
    /** The newest response from before the last write. */
    earlier(path: string): PastResponse | undefined {
      const found = known.get(path)
      return found !== undefined && found.writes < writes ? found.last : found?.before
    },
    read(path: string, response: PastResponse) {
      if (response.text.length > limits.size) return
      const found = known.get(path)
      const before = found !== undefined && found.writes < writes ? found.last : found?.before
      known.delete(path)
      known.set(path, { last: response, writes, ...(before !== undefined && { before }) })
      const [oldest] = known.keys()
      if (known.size > limits.paths && oldest !== undefined) known.delete(oldest)
    },
    clear: () => known.clear(),
  }
}
