import { readFileSync, readdirSync } from "node:fs"

/** Milliseconds; undefined if the system does not report it. */
export type ProcessorTime = () => number | undefined

/** Sums the time of the processes so far, which other programs disturb far less than wall-clock time. */
export function processorTimeOf(pids: number[]): number | undefined {
  try {
    const nanoseconds = pids.flatMap((pid) =>
      readdirSync(`/proc/${pid}/task`).map((thread) =>
        Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, "utf8").split(" ", 1)[0]),
      ),
    )
    return nanoseconds.length === 0
      ? undefined
      : nanoseconds.reduce((sum, part) => sum + part) / 1e6
  } catch {
    // A thread has just exited, or there is no `/proc`.
    return undefined
  }
}

/** The pids of a process's children that are a workerd; none without `/proc`. */
export function workerdsOf(pid: number | "self"): number[] {
  try {
    return readdirSync(`/proc/${pid}/task`)
      .flatMap((task) => readFileSync(`/proc/${pid}/task/${task}/children`, "utf8").split(" "))
      .filter((child) => child !== "")
      .filter((child) => readFileSync(`/proc/${child}/comm`, "utf8").startsWith("workerd"))
      .map(Number)
  } catch {
    return []
  }
}
