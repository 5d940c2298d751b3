import type { ChildProcess } from "node:child_process"
import { setTimeout as sleep } from "node:timers/promises"

/** Milliseconds to wait for any output. */
const timeLimit = 120_000

export type StartProcess = AsyncDisposable & {
  pid: number
  /** URL of the service. */
  url: string
  stdout(): string
  stderr(): string
  /** Waits for matching text on stderr after the previous match, and returns it. */
  waitForOutput(pattern: RegExp): Promise<string>
  /** Resolves when the process has exited and its streams are closed. */
  exitCode: Promise<number | null>
}

/** Waits until a spawned `start` is ready. */
export async function followStart(child: ChildProcess): Promise<StartProcess> {
  const printed = { stdout: "", stderr: "" }
  for (const stream of ["stdout", "stderr"] as const) {
    child[stream]?.on("data", (chunk: Buffer) => (printed[stream] += chunk.toString()))
  }
  const exitCode = new Promise<number | null>((resolve) => child.once("close", resolve))
  let searchedTo = 0

  const until = async (isDone: () => boolean, description: string) => {
    const deadline = performance.now() + timeLimit
    while (!isDone()) {
      if (performance.now() > deadline || child.exitCode !== null) {
        throw new Error(`start never printed ${description}:\n${printed.stdout}${printed.stderr}`)
      }
      await sleep(50)
    }
  }
  const url = () => /(?:^ready |"url":")(http[^"\s]+)/m.exec(printed.stdout)?.[1] ?? ""

  try {
    await until(() => url() !== "" && printed.stdout.endsWith("\n"), "ready")
  } catch (error) {
    child.kill("SIGKILL")
    throw error
  }
  return {
    pid: child.pid ?? 0,
    url: url(),
    stdout: () => printed.stdout,
    stderr: () => printed.stderr,
    async waitForOutput(pattern) {
      await until(() => pattern.test(printed.stderr.slice(searchedTo)), String(pattern))
      const [text = ""] = pattern.exec(printed.stderr.slice(searchedTo)) ?? []
      searchedTo = printed.stderr.indexOf(text, searchedTo) + text.length
      return text
    },
    exitCode,
    async [Symbol.asyncDispose]() {
      if (child.exitCode === null && child.signalCode === null) child.kill("SIGTERM")
      await exitCode
    },
  }
}
