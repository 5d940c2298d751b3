import { readIfThere } from "./file.ts"

/** True while a process with this id runs, whoever owns it: one that may not be signalled runs as well. */
export function alive(pid: number): boolean {
  try {
    process.kill(pid, 0)
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM"
  }
  return !ended(pid)
}

/**
 * A process that ended stays in the table until its parent asks for its exit code. Where the parent
 * was killed too that is the first process of the machine, which in a container may take its time.
 */
function ended(pid: number): boolean {
  // proc(5): the state follows the name, which may hold parentheses itself. No other system has the file.
  const state = readIfThere(`/proc/${pid}/stat`)?.split(") ").at(-1)?.[0]
  return state === "Z" || state === "X"
}
