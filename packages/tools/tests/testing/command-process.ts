import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { join } from "node:path"

import * as z from "zod"

export const Command = z.strictObject({
  args: z.array(z.string()),
  environment: z.record(z.string(), z.string()),
})
export type Command = z.infer<typeof Command>

export function definedOf(environment: NodeJS.ProcessEnv): Command["environment"] {
  const defined = Object.entries(environment).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value] as const],
  )
  return Object.fromEntries(defined)
}

const Outcome = z.strictObject({ code: z.number(), stdout: z.string(), stderr: z.string() })

/**
 * Runs commands of a checkout one after the other in one process, each from the entry of `./accounts` with
 * its own arguments and environment: by itself a command spends more than a second of processor time on
 * loading its modules. It ends with this process.
 */
export function startCommandProcess(directory: string) {
  let child: ChildProcess | undefined
  let running = 0

  function start({ environment }: Command): ChildProcess {
    const started = spawn(
      process.execPath,
      ["--no-warnings", join(import.meta.dirname, "command-main.ts"), directory],
      {
        cwd: directory,
        env: environment,
        detached: true,
        stdio: ["ignore", "inherit", "inherit", "ipc"],
      },
    )
    started.unref()
    started.channel?.unref()
    return started
  }

  return {
    /** A second command at the same time needs a process of its own. */
    isFree: () => running === 0,
    async run(command: Command) {
      running += 1
      if (!child?.connected) child = start(command)
      const done = new AbortController()
      const ended = once(child, "exit", done).then(() => [`${command.args.join(" ")} ended it`])
      const answered = once(child, "message", done)
      child.send(command)
      const [message] = await Promise.race([answered, ended]).finally(() => done.abort())
      running -= 1
      return Outcome.parse(message)
    },
    /** The next command has modules that are loaded anew. */
    end(): void {
      if (child?.connected) child.disconnect()
      child = undefined
    },
  }
}
