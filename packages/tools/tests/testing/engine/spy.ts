import { readdirSync, readFileSync, statSync, watch } from "node:fs"
import { join } from "node:path"

import { createProcessRecord } from "./process-record.ts"

/** Milliseconds between two looks. */
const interval = 15

/** Sees what others could see of other processes meanwhile: arguments, environments, and files of a directory. */
export function openSpy(directory: string) {
  const contents = new Set<string>()
  const names = new Set<string>()
  const record = createProcessRecord()

  const see = (path: string) => {
    try {
      if (statSync(path).isFile()) contents.add(readFileSync(path, "latin1"))
    } catch {
      // It is gone.
    }
  }
  const look = () => {
    for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
      if (Number(pid) !== process.pid) record.look(Number(pid))
    }
    for (const file of readdirSync(directory, { recursive: true })) {
      names.add(String(file))
      see(join(directory, String(file)))
    }
  }
  const watcher = watch(directory, { recursive: true }, (_event, name) => {
    if (name === null) return
    names.add(name)
    see(join(directory, name))
  })
  const timer = setInterval(look, interval)

  return {
    /** All arguments and files so far. */
    text: () => [...record.programs(), ...contents].join("\n"),
    environments: record.environments,
    holders: record.holders,
    /** The files and folders of the directory so far, by their names in it. */
    files: () => [...names],
    [Symbol.dispose]() {
      clearInterval(timer)
      watcher.close()
    },
  }
}
