import { spawn } from "node:child_process"
import { once } from "node:events"
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { createInterface } from "node:readline"

import * as z from "zod"

const StartError = z.object({
  event: z.literal("error"),
  code: z.string(),
  holder: z.number().optional(),
  message: z.string(),
})

type Options<Ready> = {
  /** The program, relative to `packages/local/`. */
  entry: string
  state: string
  /** The folder of the program in the state directory. */
  folder: string
  flags: string[]
  /** The line that the program prints when it is ready. */
  Ready: z.ZodType<Ready>
}

/**
 * Starts a program of `packages/local/` for a test and reads its first line. The commands have a starter of
 * their own, which joins a running process and never imports `packages/local/`.
 */
export async function startLocalProcess<Ready extends { event: "ready" }>({
  entry,
  state,
  folder,
  flags,
  Ready,
}: Options<Ready>) {
  const main = join(import.meta.dirname, "../..", entry)
  const child = spawn(process.execPath, [main, "--state", state, "--exit-with-parent", ...flags])
  let stderr = ""
  child.stderr.on("data", (chunk) => (stderr += String(chunk)))
  // "exit" can come before the last output, "close" cannot.
  const exited = once(child, "close").then(() => child.exitCode)
  const [first] = await Promise.race([
    once(createInterface(child.stdout), "line"),
    exited.then((exit) => {
      throw new Error(`${entry} printed no line and exited with ${exit}: ${stderr}`)
    }),
  ])
  const line = z.union([Ready, StartError]).parse(JSON.parse(String(first)))
  return {
    line,
    /** @throws what the process reported instead of `ready` */
    ready(): Ready {
      if (line.event === "ready") return line
      throw new Error(`${line.code}: ${line.message}`)
    },
    token: () => readFile(join(state, folder, "token"), "utf8"),
    stderr: () => stderr,
    /** Simulates the death of the parent process. */
    closeStdin: () => void child.stdin.end(),
    signal: (signal: NodeJS.Signals) => void child.kill(signal),
    /** The exit code; `null` after a signal. */
    exited,
  }
}
