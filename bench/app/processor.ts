import { readFileSync, readdirSync } from "node:fs"
import { setTimeout as sleep } from "node:timers/promises"

/**
 * Reads how long workerd has kept a processor busy, in milliseconds: what others do on the machine
 * changes it far less than the time on the clock. Undefined where there is no `/proc`.
 */
export async function watchProcessor(): Promise<() => number | undefined> {
  // Its threads are named only after it has started.
  await sleep(100)
  const pid = childCalled("workerd")
  if (pid === undefined) return () => undefined
  return () => {
    try {
      const threads = readdirSync(`/proc/${pid}/task`)
      const nanoseconds = threads.map((thread) =>
        Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, "utf8").split(" ", 1)[0]),
      )
      return nanoseconds.reduce((sum, each) => sum + each, 0) / 1e6
    } catch {
      // A thread has just ended, or the system counts none of this.
      return undefined
    }
  }
}

/** The pid of a process that this one has started; undefined where there is no `/proc`. */
export function childCalled(name: string): number | undefined {
  try {
    const found = readdirSync("/proc/self/task")
      .flatMap((task) => readFileSync(`/proc/self/task/${task}/children`, "utf8").split(" "))
      .filter((pid) => pid !== "")
      .find((pid) => readFileSync(`/proc/${pid}/comm`, "utf8").startsWith(name))
    return found === undefined ? undefined : Number(found)
  } catch {
    return undefined
  }
}
