import { execFileSync } from "node:child_process"
import { readdirSync, readFileSync } from "node:fs"

/** Pids of everything that a process has started, at any depth, and of itself. */
export function processTree(root: number): number[] {
  const parents = process.platform === "linux" ? fromProc() : fromPs()
  const found = [root]
  for (const parent of found) {
    found.push(...parents.filter((row) => row.parent === parent).map(({ pid }) => pid))
  }
  return found
}

/** A zombie is gone: it only waits for its parent to notice. */
export function running(pid: number): boolean {
  const parents = process.platform === "linux" ? fromProc() : fromPs()
  return parents.some((row) => row.pid === pid)
}

type Row = { pid: number; parent: number }

/** Of Linux; proc_pid_stat(5). Containers often have no `ps`. */
function fromProc(): Row[] {
  return readdirSync("/proc").flatMap((name) => {
    if (!/^\d+$/.test(name)) return []
    try {
      const stat = readFileSync(`/proc/${name}/stat`, "utf8")
      // The command, second field, is in parentheses and may hold spaces: count from its end.
      const [state, parent] = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
      return state === "Z" ? [] : [{ pid: Number(name), parent: Number(parent) }]
    } catch {
      // It ended in the same moment.
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
