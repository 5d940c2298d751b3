import { fork, type ChildProcess } from "node:child_process"
import { once } from "node:events"

import * as z from "zod"

import { Failure } from "../../base/failure.ts"
import type { LocalOptions } from "../local-options.ts"
import { Deployment } from "./deployment-result.ts"

/**
 * Deploys from a child process, for two reasons. Node never reloads a module, so an edit of the
 * Pulumi program needs a new process. And the engine must not get the terminal's Ctrl-C: together
 * with the abort from here it would be the second one, which means "stop at once".
 */
export type Deployer = AsyncDisposable & {
  /**
   * @param options.fresh empties the database before
   * @throws Failure after its diagnostics were printed
   */
  deploy(options?: { fresh: boolean }): Promise<Deployment>
  /** Makes the next deployment read the stack file again, for which the program stays loaded. */
  reopen(): void
}

/** Message to the child process: where to deploy. */
export const Order = z.strictObject({
  state: z.string(),
  apiPort: z.number(),
  port: z.number(),
  engine: z.string().optional(),
  fresh: z.boolean(),
  /** Reads the stack file again. */
  reopen: z.boolean(),
})
export type Order = z.infer<typeof Order>

const Reply = z.discriminatedUnion("event", [
  z.strictObject({ event: z.literal("deployed"), deployment: Deployment }),
  z.strictObject({ event: z.literal("failed"), message: z.string() }),
  /** Nothing was done: a file that the process has loaded has changed. */
  z.strictObject({ event: z.literal("outdated") }),
])
export type Reply = z.infer<typeof Reply>

/** How long an interrupted deployment may take to stop (ms). */
const exitTimeout = 15_000

export function openDeployer(options: LocalOptions): Deployer {
  let child: ChildProcess | undefined
  let reopen = false
  const end = async () => {
    if (child) await stop(child)
    child = undefined
  }
  return {
    async deploy({ fresh } = { fresh: false }) {
      const order = { ...options, fresh, reopen }
      reopen = false
      for (;;) {
        if (!child || hasExited(child)) child = launch()
        const reply = await ask(child, order)
        if (reply.event === "deployed") return reply.deployment
        if (reply.event === "failed") throw new Failure("COMMAND_FAILED", reply.message)
        await end()
      }
    },
    reopen: () => {
      reopen = true
    },
    [Symbol.asyncDispose]: end,
  }
}

function launch(): ChildProcess {
  const hooks = ["./loaded-files.ts"]
  return fork(new URL("./forked-deployer-entry.ts", import.meta.url), {
    detached: true,
    execArgv: hooks.flatMap((hook) => ["--import", import.meta.resolve(hook)]),
    // stdout is reserved for the result of the command.
    stdio: ["ignore", 2, 2, "ipc"],
  })
}

async function ask(child: ChildProcess, order: Order): Promise<Reply> {
  const settled = new AbortController()
  const { signal } = settled
  const replied = once(child, "message", { signal }).then(([message]) => Reply.parse(message))
  const exited = once(child, "exit", { signal }).then(([code, name]) => {
    const exit = `The deploying process exited (${name ?? code}).`
    throw new Failure("COMMAND_FAILED", `${exit} Its error is above.`)
  })
  child.send(order)
  try {
    return await Promise.race([replied, exited])
  } finally {
    settled.abort()
  }
}

async function stop(child: ChildProcess): Promise<void> {
  if (hasExited(child)) return
  const exited = once(child, "exit")
  const timer = setTimeout(() => child.kill("SIGKILL"), exitTimeout)
  // It exits when its parent disconnects, which also happens when the parent is killed.
  if (child.connected) child.disconnect()
  await exited
  clearTimeout(timer)
}

function hasExited({ exitCode, signalCode }: ChildProcess) {
  return exitCode !== null || signalCode !== null
}
