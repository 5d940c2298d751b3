import { execFileSync, spawn } from "node:child_process"
import { once } from "node:events"
import { constants } from "node:fs"
import { access, stat } from "node:fs/promises"
import { delimiter, resolve } from "node:path"
import { createInterface } from "node:readline"

/** Path of an executable file, or undefined if PATH leads to none. */
export async function findOnPath(name: string, env: NodeJS.ProcessEnv) {
  for (const directory of (env["PATH"] ?? "").split(delimiter)) {
    const file = resolve(directory, name)
    if (directory && (await isExecutable(file))) return file
  }
  return undefined
}

export async function isExecutable(file: string) {
  try {
    await access(file, constants.X_OK)
    return (await stat(file)).isFile()
  } catch {
    return false
  }
}

/** Called with each step when it begins, and without a step when the last step has ended. */
export type OnProgress = (step?: string) => void

const interval = 15_000

/** Prints a line for each step, and repeats it every 15 seconds while the step lasts. */
export function engineProgress(
  write: (text: string) => unknown = (text) => process.stderr.write(text),
): OnProgress {
  let timer: NodeJS.Timeout | undefined
  return (step) => {
    clearInterval(timer)
    if (step === undefined) return
    const began = performance.now()
    const repeat = () => write(`${step} (${Math.round((performance.now() - began) / 1000)} s)\n`)
    write(`${step}\n`)
    timer = setInterval(repeat, interval).unref()
  }
}

const tailLines = 8
/** Time to exit after SIGINT (ms). */
const graceTime = 5_000

/**
 * Runs a command in its own process group and returns its stdout. When `signal` aborts, the group
 * gets SIGINT, and SIGKILL after five seconds; the signal's reason is thrown. When this process exits, all
 * processes that the command started are killed.
 *
 * @throws Error with the last lines of stderr if the command fails
 */
export async function run(options: {
  command: string
  args: string[]
  env: NodeJS.ProcessEnv
  cwd?: string
  signal?: AbortSignal
  /** Text for its stdin; default: empty. */
  input?: string
  onOutput?: ((text: string) => void) | undefined
  /** Waits after an abort without a time limit, and forwards every abort as SIGINT. */
  patient?: boolean
}): Promise<string> {
  const { command, args, env, cwd, signal, input = "", onOutput, patient = false } = options
  signal?.throwIfAborted()
  const child = spawn(command, args, { env, cwd, detached: true, stdio: "pipe" })
  // A command may exit before it has read all of its stdin.
  child.stdin.on("error", () => {}).end(input)
  const kill = () => killTree(child.pid)
  let timer: NodeJS.Timeout | undefined
  const abort = () => {
    signalGroup(child.pid, "SIGINT")
    if (!patient) timer = setTimeout(kill, graceTime)
  }
  const problems: string[] = []
  const output: string[] = []
  createInterface({ input: child.stdout }).on("line", (line) => {
    output.push(line)
    onOutput?.(`${line}\n`)
  })
  createInterface({ input: child.stderr }).on("line", (line) => {
    if (line.trim()) problems.push(line)
  })
  signal?.addEventListener("abort", abort)
  process.once("exit", kill)
  try {
    const [code, name] = await once(child, "close")
    if (code === 0 && (patient || !signal?.aborted)) return output.join("\n")
    // A grandchild that closed the pipes may still be running.
    if (signal?.aborted) kill()
    signal?.throwIfAborted()
    const reasons = problems.length > 0 ? problems.slice(-tailLines) : diagnosticsOf(output)
    throw new Error(reasons.join("\n") || `${command} failed with ${name ?? `exit code ${code}`}`)
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener("abort", abort)
    process.off("exit", kill)
  }
}

/** The engine prints the diagnostics of an operation on stdout, where a message may have several lines. */
function diagnosticsOf(output: string[]) {
  const heading = output.findIndex((line) => line.trim() === "Diagnostics:")
  const first = output.findIndex((line) => /\berror: /.test(line))
  if (heading < 0 && first < 0) return []
  return output.slice(heading < 0 ? first : heading + 1)
}

/** Kills all descendants: the engine's plugins are in their own process groups. */
function killTree(root: number | undefined) {
  if (root === undefined) return
  const pids = [root]
  try {
    const rows = execFileSync("ps", ["-A", "-o", "pid=,ppid="], { encoding: "utf8" })
      .split("\n")
      .map((row) => row.trim().split(/\s+/).map(Number))
    for (const parent of pids) {
      pids.push(...rows.flatMap(([pid = 0, of]) => (of === parent ? [pid] : [])))
    }
  } catch {
    // Some containers have no ps.
  }
  for (const pid of pids) signalGroup(pid, "SIGKILL")
}

function signalGroup(pid: number | undefined, name: NodeJS.Signals) {
  if (pid === undefined) return
  try {
    process.kill(-pid, name)
  } catch {
    // The group has exited.
  }
}
