import { setTimeout as sleep } from "node:timers/promises"

/** Milliseconds that workerd's log may lag behind the error that it explains. */
const lag = 1000
/** Polling interval in milliseconds. */
const step = 5
/** How many reasons are kept; each is read once, right away. */
const capacity = 100

/**
 * Finds out why a commit failed. When a deferred foreign key fails, D1 only throws
 * `internal error; reference = …`; the reason for the reference is in workerd's log.
 */
export function createCommitErrorLog() {
  const reasons = new Map<string, string>()
  return {
    /** Takes a reason from a log line. @returns whether there was one, so the line needs no log */
    readLine(line: string): boolean {
      const reason = /dbErrorMessage\(err, db\) = (.+?: SQLITE_CONSTRAINT)\b/.exec(line)?.[1]
      const reference = /wdErrId = (\w+)/.exec(line)?.[1]
      if (reason === undefined || reference === undefined) return false
      reasons.set(reference, reason)
      for (const oldest of [...reasons.keys()].slice(0, -capacity)) reasons.delete(oldest)
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
