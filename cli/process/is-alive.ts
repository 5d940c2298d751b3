import { readIfExists } from "./read-file.ts"

/** True while a process with this id runs, even one of another user, which may not be signalled. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM"
  }
  return !isZombie(pid)
}

/**
 * An exited process stays in the table until its parent collects the exit code. If the parent was
 * killed too, that is up to the first process of the machine, which is slow in some containers.
 */
function isZombie(pid: number): boolean {
  // proc(5): the state follows the name, which may contain parentheses. Only Linux has the file.
  const state = readIfExists(`/proc/${pid}/stat`)?.split(") ").at(-1)?.[0]
  return state === "Z" || state === "X"
}
