import { readFileSync, readdirSync } from "node:fs"
import { setTimeout as sleep } from "node:timers/promises"

/**
 * Returns a reader of workerd's processor time in milliseconds, which other programs disturb far
 * less than wall-clock time. It reads undefined where there is no `/proc`.
 */
export async function watchProcessorTime(): Promise<() => number | undefined> {
  // workerd's threads get their names only after it has started.
  await sleep(100)
  const pid = findChild("workerd")
  if (pid === undefined) return () => undefined
  return () => {
    try {
      const threads = readdirSync(`/proc/${pid}/task`)
      const nanoseconds = threads.map((thread) =>
        Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, "utf8").split(" ", 1)[0]),
      )
      return nanoseconds.reduce((sum, each) => sum + each, 0) / 1e6
    } catch {
      // A thread has just exited, or the system does not count processor time.
      return undefined
    }
  }
}

/** The pid of a child of this process; undefined without such a child or without `/proc`. */
export function findChild(name: string): number | undefined {
  return findChildren("self", name)[0]
}

/** The pids of the children of a process, by the beginning of their name; none without `/proc`. */
export function findChildren(pid: number | "self", name: string): number[] {
  try {
    return readdirSync(`/proc/${pid}/task`)
      .flatMap((task) => readFileSync(`/proc/${pid}/task/${task}/children`, "utf8").split(" "))
      .filter((child) => child !== "")
      .filter((child) => readFileSync(`/proc/${child}/comm`, "utf8").startsWith(name))
      .map(Number)
  } catch {
    return []
  }
}
