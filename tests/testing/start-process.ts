import type { ChildProcess } from "node:child_process"
import { setTimeout as sleep } from "node:timers/promises"

/** Milliseconds that anything may take to be said. */
const timeLimit = 120_000

export type StartProcess = AsyncDisposable & {
  pid: number
  /** URL of the service. */
  url: string
  stdout(): string
  stderr(): string
  /** Waits for text on stderr beyond what an earlier call has found, and returns it. */
  said(pattern: RegExp): Promise<string>
  /** Exit code, once it and its streams have ended. */
  ended: Promise<number | null>
}

/** Follows a `start` that was just spawned until it is ready. */
export async function followStart(child: ChildProcess): Promise<StartProcess> {
  const printed = { stdout: "", stderr: "" }
  for (const stream of ["stdout", "stderr"] as const) {
    child[stream]?.on("data", (chunk: Buffer) => (printed[stream] += chunk.toString()))
  }
  const ended = new Promise<number | null>((resolve) => child.once("close", resolve))
  let told = 0

  const until = async (found: () => boolean, what: string) => {
    const patience = performance.now() + timeLimit
    while (!found()) {
      if (performance.now() > patience || child.exitCode !== null) {
        throw new Error(`start never said ${what}:\n${printed.stdout}${printed.stderr}`)
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
    async said(pattern) {
      await until(() => pattern.test(printed.stderr.slice(told)), String(pattern))
      const [text = ""] = pattern.exec(printed.stderr.slice(told)) ?? []
      told = printed.stderr.indexOf(text, told) + text.length
      return text
    },
    ended,
    async [Symbol.asyncDispose]() {
      if (child.exitCode === null && child.signalCode === null) child.kill("SIGTERM")
      await ended
    },
  }
}
