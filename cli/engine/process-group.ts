import { spawn } from "node:child_process"
import { once } from "node:events"
import { createInterface } from "node:readline"

type Run = {
  command: string
  args: string[]
  env: NodeJS.ProcessEnv
  cwd?: string
  signal?: AbortSignal
  /** Each line of standard error as it comes; `true` says that it was understood and is no problem. */
  onLine?: (line: string) => boolean
}

const tailLines = 8
const graceMilliseconds = 5_000

/**
 * Runs a command in a process group of its own and returns its standard output. When `signal`
 * aborts, the whole group is interrupted, killed after five seconds, and the reason thrown.
 *
 * @throws Error whose message is the end of standard error when the command fails
 */
export async function run({ command, args, env, cwd, signal, onLine }: Run): Promise<string> {
  signal?.throwIfAborted()
  const child = spawn(command, args, {
    env,
    ...(cwd && { cwd }),
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
  })
  const end = (name: NodeJS.Signals) => endGroup(child.pid, name)
  const kill = () => end("SIGKILL")
  const timers: NodeJS.Timeout[] = []
  const abort = () => {
    end("SIGINT")
    timers.push(setTimeout(kill, graceMilliseconds))
  }
  const problems: string[] = []
  const output: string[] = []
  createInterface({ input: child.stdout }).on("line", (line) => output.push(line))
  createInterface({ input: child.stderr }).on("line", (line) => {
    if (!onLine?.(line) && line.trim()) problems.push(line)
    if (problems.length > tailLines) problems.shift()
  })

  signal?.addEventListener("abort", abort, { once: true })
  process.once("exit", kill)
  try {
    const [code, name] = await once(child, "close")
    if (code === 0 && !signal?.aborted) return output.join("\n")
    // A grandchild that let go of the pipes would outlive its parent.
    if (signal?.aborted) kill()
    signal?.throwIfAborted()
    throw new Error(problems.join("\n") || `${command} ended with ${name ?? `exit code ${code}`}`)
  } finally {
    for (const timer of timers) clearTimeout(timer)
    signal?.removeEventListener("abort", abort)
    process.off("exit", kill)
  }
}

function endGroup(pid: number | undefined, name: NodeJS.Signals) {
  if (pid === undefined) return
  try {
    process.kill(-pid, name)
  } catch {
    // The group has ended by itself.
  }
}
