import { spawn } from "node:child_process"
import { Socket } from "node:net"
import { join } from "node:path"
import type { Readable } from "node:stream"

import { commandTimeout, endOfCommand, type Command } from "./wrangler-command.ts"

type Result = { code: number; stdout: string; stderr: string }

let shared: ReturnType<typeof startProcess> | undefined

/**
 * Runs commands of the real wrangler, each from wrangler's own entry with its own directory, environment,
 * arguments and stdin, as wrangler's own tests do it. All tests of this process share one process of it, which
 * ends with this one: each spends more than a second of processor time on loading 15 MB before the first command.
 */
export function runWrangler(command: Command): Promise<Result> {
  if (shared === undefined || shared.hasEnded()) shared = startProcess(command.env)
  return shared.run(command)
}

function startProcess(env: Command["env"]) {
  const child = spawn(
    process.execPath,
    ["--no-warnings", join(import.meta.dirname, "wrangler-main.ts")],
    // Its esbuild starts later in the directory it was loaded in, which must still be there.
    { cwd: import.meta.dirname, env, stdio: ["ignore", "pipe", "pipe", "pipe"] },
  )
  const [, ...pipes] = child.stdio
  const [stdout, stderr, commands] = [socketOf(pipes[0]), socketOf(pipes[1]), socketOf(pipes[2])]
  // An idle process does not keep the tests from exiting.
  for (const handle of [child, stdout, stderr, commands]) handle.unref()
  // A write to a process that exited fails; the command reports it, since its output has no end mark.
  commands.on("error", () => {})
  const [out, err] = [outputOf(stdout), outputOf(stderr)]
  let last: Promise<unknown> = Promise.resolve()

  async function runNext(command: Command): Promise<Result> {
    const timeout = setTimeout(() => child.kill("SIGKILL"), commandTimeout)
    commands.write(`${JSON.stringify(command)}\n`)
    const [{ text, code }, { text: errors }] = await Promise.all([out.next(), err.next()])
    clearTimeout(timeout)
    return { code, stdout: text, stderr: errors }
  }

  return {
    hasEnded: () => child.exitCode !== null || child.signalCode !== null,
    run(command: Command): Promise<Result> {
      const result = last.then(() => runNext(command))
      last = result
      return result
    },
  }
}

function socketOf(pipe: unknown): Socket {
  if (pipe instanceof Socket) return pipe
  throw new TypeError("no pipe")
}

/** Splits the output of the process by command. */
function outputOf(stream: Readable) {
  let text = ""
  stream.setEncoding("utf8")
  const arrived = stream[Symbol.asyncIterator]()
  return {
    /** Code 1 also if the process ends before the command does. */
    async next(): Promise<{ text: string; code: number }> {
      for (;;) {
        const [output, before = "", code] =
          new RegExp(`^([^]*?)${endOfCommand}(\\d+)\n`).exec(text) ?? []
        if (output !== undefined) {
          text = text.slice(output.length)
          return { text: before, code: Number(code) }
        }
        const { value, done } = await arrived.next()
        if (done) return { text: `${text}\nwrangler's process has ended`, code: 1 }
        text += String(value)
      }
    },
  }
}
