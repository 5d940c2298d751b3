import { spawn } from "node:child_process"
import { once } from "node:events"
import { join } from "node:path"
import { type Readable, Writable } from "node:stream"

import { endOfCommand, type Command } from "./wrangler-command.ts"

/** Milliseconds; a command takes a second, and far longer on a busy machine. */
const commandTimeout = 300_000

type Result = { code: number; stdout: string; stderr: string }

/**
 * A process that runs one command of the real wrangler after another, each from wrangler's own entry with its
 * own arguments and stdin, as wrangler's own tests do it. A process for each command spends more than a
 * second of processor time on loading 15 MB before the command begins.
 */
export function startWrangler({ cwd, env }: { cwd: string; env: NodeJS.ProcessEnv }) {
  const child = spawn(
    process.execPath,
    ["--no-warnings", join(import.meta.dirname, "wrangler-main.ts")],
    { cwd, env, stdio: ["ignore", "pipe", "pipe", "pipe"] },
  )
  const [, stdout, stderr, pipe] = child.stdio
  if (!stdout || !stderr || !(pipe instanceof Writable)) throw new Error("no pipes")
  const commands = pipe
  // What it ended with is told by the output that has no end.
  commands.on("error", () => {})
  const ended = once(child, "exit")
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
    run(command: Command): Promise<Result> {
      const result = last.then(() => runNext(command))
      last = result
      return result
    },
    async [Symbol.asyncDispose]() {
      commands.end()
      await ended
    },
  }
}

/** What a process writes, in parts that end with a command. */
function outputOf(stream: Readable) {
  let text = ""
  stream.setEncoding("utf8")
  const arrived = stream[Symbol.asyncIterator]()
  return {
    /** Code 1 also if the process ends before the command does. */
    async next(): Promise<{ text: string; code: number }> {
      for (;;) {
        const [all, before = "", code] =
          new RegExp(`^([^]*?)${endOfCommand}(\\d+)\n`).exec(text) ?? []
        if (all !== undefined) {
          text = text.slice(all.length)
          return { text: before, code: Number(code) }
        }
        const { value, done } = await arrived.next()
        if (done) return { text: `${text}\nwrangler's process has ended`, code: 1 }
        text += String(value)
      }
    },
  }
}
