/** True while a process has this id, whoever owns it: one that may not be signalled runs as well. */
export function alive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM"
  }
}
