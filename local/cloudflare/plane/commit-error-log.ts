import { setTimeout as sleep } from "node:timers/promises"

/** How long workerd's log may lag behind the answer that it explains, in milliseconds. */
const lag = 1000
const step = 5
/** How many explanations are kept: each one is asked for once, at once. */
const most = 100

/**
 * A statement that fails while the transaction commits (a deferred foreign key) throws nothing but
 * `internal error; reference = …`. The reason behind the reference stands in workerd's log.
 */
export function createCommitErrorLog() {
  const reasons = new Map<string, string>()
  return {
    /** Whether the line is such an explanation, which then is no news to anybody else. */
    explains(line: string): boolean {
      const reason = /dbErrorMessage\(err, db\) = (.+?: SQLITE_CONSTRAINT)\b/.exec(line)?.[1]
      const reference = /wdErrId = (\w+)/.exec(line)?.[1]
      if (reason === undefined || reference === undefined) return false
      reasons.set(reference, reason)
      for (const oldest of [...reasons.keys()].slice(0, -most)) reasons.delete(oldest)
      return true
    },
    async reasonOf(reference: string): Promise<string | undefined> {
      for (let waited = 0; waited < lag && !reasons.has(reference); waited += step) {
        await sleep(step)
      }
      return reasons.get(reference)
    },
  }
}
