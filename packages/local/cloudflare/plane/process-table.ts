import { execFileSync } from "node:child_process"
import { readFileSync } from "node:fs"

export type ProcessEntry = {
  /** Start time and command; tells apart processes that had the same pid. */
  identity: string
  residentBytes: number
  /** Seconds of processor time so far. */
  processorSeconds: number
}

export function findProcess(pid: number): ProcessEntry | undefined {
  return process.platform === "linux" ? fromProc(pid) : fromPs(pid)
}

/** Linux: see proc_pid_stat(5). Containers often lack `ps`. */
function fromProc(pid: number): ProcessEntry | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8")
    // The second field, the command, is in parentheses and may contain spaces: split after it.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
    const [state, userTicks, systemTicks, startTicks] = [0, 11, 12, 19].map((at) => fields[at])
    if (state === "Z" || state === "X") return undefined
    const command = readFileSync(`/proc/${pid}/cmdline`, "utf8")
    const status = readFileSync(`/proc/${pid}/status`, "utf8")
    return {
      identity: `${startTicks} ${command}`,
      residentBytes: Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1] ?? 0) * 1024,
      processorSeconds: (Number(userTicks) + Number(systemTicks)) / ticksPerSecond,
    }
  } catch {
    return undefined
  }
}

/** USER_HZ, the same on every architecture that Node and workerd support. */
const ticksPerSecond = 100

function fromPs(pid: number): ProcessEntry | undefined {
  const columns = ["lstart=", "rss=", "time=", "command="].flatMap((column) => ["-o", column])
  try {
    const line = execFileSync("ps", [...columns, "-p", String(pid)], {
      encoding: "utf8",
      env: { ...process.env, LC_ALL: "C" },
    }).trim()
    // "Sat Nov 21 02:00:00 2026  1234  0:01.23 /path/to/workerd serve"
    const match = /^(\S+ +\S+ +\S+ +\S+ +\S+) +(\d+) +(\S+) +(.*)$/.exec(line)
    if (match === null) return undefined
    const [, started, kilobytes, time = "", command] = match
    return {
      identity: `${started} ${command}`,
      residentBytes: Number(kilobytes) * 1024,
      processorSeconds: time.split(":").reduce((sum, part) => sum * 60 + Number(part), 0),
    }
  } catch {
    return undefined
  }
}
