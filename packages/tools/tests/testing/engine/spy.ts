import { readdirSync, readFileSync, statSync, watch } from "node:fs"
import { join } from "node:path"

import { createProcessRecord } from "./process-record.ts"

/** Milliseconds between two looks. */
const interval = 15

/** A process soon is the program that it stays. After so many looks it is looked at so much less often. */
const [young, less] = [100, 20]

/** Sees what others could see of other processes meanwhile: arguments, environments, and files of a directory. */
export function openSpy(directory: string) {
  const contents = new Set<string>()
  const names = new Set<string>()
  const record = createProcessRecord()
  const written = new Map<string, bigint>()
  const list = () => readdirSync("/proc").filter((name) => /^\d+$/.test(name))
  let looks = new Map(list().map((pid) => [pid, young]))

  const see = (path: string) => {
    try {
      const file = statSync(path, { bigint: true })
      if (!file.isFile() || written.get(path) === file.mtimeNs) return
      contents.add(readFileSync(path, "latin1"))
      written.set(path, file.mtimeNs)
    } catch {
      // It is gone.
    }
  }
  const look = () => {
    looks = new Map(list().map((pid) => [pid, (looks.get(pid) ?? 0) + 1]))
    for (const [pid, count] of looks) {
      const isDue = count < young || count % less === 0
      if (isDue && Number(pid) !== process.pid) record.look(Number(pid))
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
