import { fork, type ChildProcess } from "node:child_process"
import { once } from "node:events"

import * as z from "zod"

import { Failure } from "../output.ts"
import type { LocalOptions } from "../stack/local-stack.ts"
import { Deployment } from "./deployment.ts"

/**
 * Deploys from a process of its own. A module once loaded never changes, so an edit of the Pulumi
 * program needs a new process; and the engine is then out of reach of the terminal's Ctrl-C, which
 * it would otherwise get twice and take for "at once".
 */
export type Deployer = AsyncDisposable & {
  /** @throws Failure whose diagnostics have been shown */
  deploy(): Promise<Deployment>
  /** Has the next deployment load the program anew. */
  renew(): Promise<void>
}

/** What the process is asked: where to deploy. */
export const Order = z.strictObject({
  state: z.string(),
  apiPort: z.number(),
  port: z.number(),
  engine: z.string().optional(),
})
export type Order = z.infer<typeof Order>

const Reply = z.discriminatedUnion("event", [
  z.strictObject({ event: z.literal("deployed"), deployment: Deployment }),
  z.strictObject({ event: z.literal("failed"), message: z.string() }),
])
export type Reply = z.infer<typeof Reply>

/** Milliseconds that a deployment which is interrupted may take to end in order. */
const exitLimit = 15_000

export function openDeployer(order: LocalOptions): Deployer {
  let child: ChildProcess | undefined
  const renew = async () => {
    if (child) await end(child)
    child = undefined
  }
  return {
    async deploy() {
      if (!child || ended(child)) child = launch()
      const reply = await ask(child, order)
      if (reply.event === "failed") throw new Failure(reply.message)
      return reply.deployment
    },
    renew,
    [Symbol.asyncDispose]: renew,
  }
}

function launch(): ChildProcess {
  return fork(new URL("./deployer-process.ts", import.meta.url), {
    detached: true,
    // stdout belongs to the result of the command.
    stdio: ["ignore", 2, 2, "ipc"],
  })
}

async function ask(child: ChildProcess, order: LocalOptions): Promise<Reply> {
  const settled = new AbortController()
  const { signal } = settled
  const replied = once(child, "message", { signal }).then(([message]) => Reply.parse(message))
  const gone = once(child, "exit", { signal }).then(([code, name]) => {
    throw new Failure(`The process that deploys ended (${name ?? code}).`)
  })
  child.send(order)
  try {
    return await Promise.race([replied, gone])
  } finally {
    settled.abort()
  }
}

async function end(child: ChildProcess): Promise<void> {
  if (ended(child)) return
  const gone = once(child, "exit")
  const timer = setTimeout(() => child.kill("SIGKILL"), exitLimit)
  // It ends when its parent lets go, and so it does when its parent is killed.
  if (child.connected) child.disconnect()
  await gone
  clearTimeout(timer)
}

function ended({ exitCode, signalCode }: ChildProcess) {
  return exitCode !== null || signalCode !== null
}
