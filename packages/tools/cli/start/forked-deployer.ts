import { fork, type ChildProcess } from "node:child_process"
import { once } from "node:events"

import * as z from "zod"

import { Failure } from "../../base/failure.ts"
import type { LocalOptions } from "../local-options.ts"
import { Deployment } from "./deployment-result.ts"

/** Message to the child process: where to deploy, and whether to empty the database first. */
export const DeployCommand = z.strictObject({
  state: z.string(),
  apiPort: z.number(),
  port: z.number(),
  engine: z.string().optional(),
  fresh: z.boolean(),
})

const Reply = z.discriminatedUnion("event", [
  z.strictObject({ event: z.literal("deployed"), deployment: Deployment }),
  z.strictObject({ event: z.literal("failed"), message: z.string() }),
  /** Nothing was deployed, because a file that the process had loaded has changed. */
  z.strictObject({ event: z.literal("outdated") }),
])
export type Reply = z.infer<typeof Reply>

/** How long an interrupted deployment may take to stop (ms). */
const exitTimeout = 15_000

/**
 * Deploys from a child process, for two reasons. Node never reloads a module, so an edit of the
 * Pulumi program needs a new process. And the engine must not get the terminal's Ctrl-C:
 * after the abort from here it would be a second signal, which means "stop without waiting".
 */
export class Deployer {
  readonly #options: LocalOptions
  #child: ChildProcess | undefined

  constructor(options: LocalOptions) {
    this.#options = options
  }

  /** @throws Failure after the diagnostics were printed */
  async deploy({ fresh } = { fresh: false }): Promise<Deployment> {
    for (;;) {
      if (!this.#child || hasExited(this.#child)) this.#child = launch()
      const reply = await request(this.#child, { ...this.#options, fresh })
      if (reply.event === "deployed") return reply.deployment
      if (reply.event === "failed") throw new Failure("COMMAND_FAILED", reply.message)
      await this.end()
    }
  }

  /** Ends the child process, so that the next deployment loads everything again. */
  async end(): Promise<void> {
    const child = this.#child
    if (!child || hasExited(child)) return
    const exited = once(child, "exit")
    const timer = setTimeout(() => child.kill("SIGKILL"), exitTimeout)
    // It exits when its parent disconnects, which also happens when the parent is killed.
    if (child.connected) child.disconnect()
    await exited
    clearTimeout(timer)
  }
}

function launch(): ChildProcess {
  return fork(new URL("./forked-deployer-main.ts", import.meta.url), {
    detached: true,
    // Keeps stdout for the result of the command.
    stdio: ["ignore", 2, 2, "ipc"],
  })
}

async function request(
  child: ChildProcess,
  command: z.infer<typeof DeployCommand>,
): Promise<Reply> {
  const settled = new AbortController()
  const { signal } = settled
  const replied = once(child, "message", { signal }).then(([message]) => Reply.parse(message))
  const exited = once(child, "exit", { signal }).then(([code, name]) => {
    const exit = `The deploying process exited (${name ?? code}).`
    throw new Failure("COMMAND_FAILED", `${exit} Its error is above.`)
  })
  child.send(command)
  try {
    return await Promise.race([replied, exited])
  } finally {
    settled.abort()
  }
}

function hasExited({ exitCode, signalCode }: ChildProcess) {
  return exitCode !== null || signalCode !== null
}
