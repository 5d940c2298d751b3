import { readdirSync, readFileSync, statSync, watch } from "node:fs"
import { join } from "node:path"

/** Milliseconds between two looks. */
const interval = 15

/** Sees what others could see of other processes meanwhile: arguments, environments, and files of a directory. */
export function openSpy(directory: string) {
  const seen = new Set<string>()
  const environments = new Set<string>()
  const names = new Set<string>()

  const see = (path: string, into = seen) => {
    try {
      if (statSync(path).isFile()) into.add(readFileSync(path, "latin1"))
    } catch {
      // It is gone, or belongs to somebody else.
    }
  }
  const look = () => {
    for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
      if (Number(pid) === process.pid) continue
      see(join("/proc", pid, "cmdline"))
      see(join("/proc", pid, "environ"), environments)
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
    text: () => [...seen].join("\n"),
    /** All environments so far: each with its variables, which end in NUL. */
    environments: () => [...environments],
    /** The files and folders of the directory so far, by their names in it. */
    files: () => [...names],
    [Symbol.dispose]() {
      clearInterval(timer)
      watcher.close()
    },
  }
}
