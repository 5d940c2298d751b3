import { readFileSync } from "node:fs"

import type { ChildProcesses } from "./child-processes.ts"

/** The Worker's own part of a version; one for all of its requests. */
type Load = {
  /** Name of its process. */
  name: string
  /** Requests in flight, and how many have ever begun. */
  inFlight: number
  begun: number
}

type Measured = {
  /** Whether the request has used more than its limit. Stays true, also when the process is gone. */
  exceeded: () => boolean
  stop: () => void
}

const unlimited: Measured = { exceeded: () => false, stop: () => {} }
/** Milliseconds between looks at a request that does not answer. */
const watchInterval = 100
/** A request that has used so many times its limit will hardly end: its process is replaced. */
const runaway = 50

/**
 * Measures the processor time of a request: that of the thread which runs JavaScript in the process of
 * its version, from the request's arrival. It can't tell requests apart, so that it measures only one
 * that is alone in its version from beginning to end; and it knows only Linux.
 *
 * Stricter than Cloudflare, which lets a Worker exceed its limit now and then
 * (developers.cloudflare.com/workers/platform/limits, CPU time), and later: what the Worker did before its
 * answer stays done.
 */
export function createProcessorLimit(
  children: Pick<ChildProcesses, "pidOf">,
  limit: () => number | undefined,
) {
  return function measure(load: Load, onRunaway: () => void): Measured {
    const allowed = limit()
    if (allowed === undefined || load.inFlight > 1) return unlimited
    const { begun } = load
    let start = read()
    let exceeded = false
    let replaced = false

    /** A process that is being restarted is measured as soon as it is there. */
    function read() {
      const pid = children.pidOf(load.name)
      const milliseconds = pid === undefined ? undefined : threadTime(pid)
      return milliseconds === undefined ? undefined : { pid, milliseconds }
    }
    function used(): number {
      const now = read()
      if (now?.pid !== start?.pid) start = now
      if (now === undefined || start === undefined || load.begun !== begun) return 0
      return now.milliseconds - start.milliseconds
    }
    const watch = setInterval(() => {
      const milliseconds = used()
      exceeded ||= milliseconds > allowed
      if (replaced || milliseconds <= allowed * runaway) return
      replaced = true
      onRunaway()
    }, watchInterval).unref()
    return {
      exceeded: () => (exceeded ||= used() > allowed),
      stop: () => clearInterval(watch),
    }
  }
}

/**
 * Milliseconds that the first thread of a process has run, not waited. Undefined where the system does
 * not tell: anywhere but on Linux.
 */
function threadTime(pid: number): number | undefined {
  try {
    return Number(readFileSync(`/proc/${pid}/schedstat`, "utf8").split(" ")[0]) / 1e6
  } catch {
    return undefined
  }
}
