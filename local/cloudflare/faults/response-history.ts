/** What a GET was answered: JSON, always. */
export type Answer = { status: number; text: string }

/** Bytes of an answer, and number of paths, that are kept. */
const limits = { size: 256 * 1024, paths: 500 }

/** Earlier answers, by path and query. */
export function createResponseHistory() {
  const known = new Map<string, { before?: Answer; last: Answer; writes: number }>()
  let writes = 0

  return {
    wrote: () => void (writes += 1),
    /** The newest answer that is older than the last write. */
    earlier(path: string): Answer | undefined {
      const found = known.get(path)
      return found !== undefined && found.writes < writes ? found.last : found?.before
    },
    read(path: string, answer: Answer) {
      if (answer.text.length > limits.size) return
      const found = known.get(path)
      const before = found !== undefined && found.writes < writes ? found.last : found?.before
      known.delete(path)
      known.set(path, { last: answer, writes, ...(before !== undefined && { before }) })
      const [oldest] = known.keys()
      if (known.size > limits.paths && oldest !== undefined) known.delete(oldest)
    },
    clear: () => known.clear(),
  }
}
