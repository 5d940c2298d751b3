import { execFileSync } from "node:child_process"
import { readdirSync, readFileSync } from "node:fs"

export function processTree(root: number): number[] {
  const parents = process.platform === "linux" ? fromProc() : fromPs()
  const pids = [root]
  for (const parent of pids) {
    pids.push(...parents.filter((row) => row.parent === parent).map(({ pid }) => pid))
  }
  return pids
}

/** A zombie does not count: it has exited and only waits for its parent to collect it. */
export function running(pid: number): boolean {
  const parents = process.platform === "linux" ? fromProc() : fromPs()
  return parents.some((row) => row.pid === pid)
}

type Row = { pid: number; parent: number }

/** Linux: see proc_pid_stat(5). Containers often lack `ps`. */
function fromProc(): Row[] {
  return readdirSync("/proc").flatMap((name) => {
    if (!/^\d+$/.test(name)) return []
    try {
      const stat = readFileSync(`/proc/${name}/stat`, "utf8")
      // The second field, the command, is in parentheses and may contain spaces: split after it.
      const [state, parent] = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
      return state === "Z" ? [] : [{ pid: Number(name), parent: Number(parent) }]
    } catch {
      // It has exited in the meantime.
      return []
    }
  })
}

function fromPs(): Row[] {
  const rows = execFileSync("ps", ["-axo", "pid=,ppid=,state="], { encoding: "utf8" })
  return rows.split("\n").flatMap((line) => {
    const [pid, parent, state = "Z"] = line.trim().split(/\s+/)
    return state.startsWith("Z") ? [] : [{ pid: Number(pid), parent: Number(parent) }]
  })
}
