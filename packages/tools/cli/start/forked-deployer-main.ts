import process from "node:process"

import { useProxies } from "../../base/process-environment.ts"
import { describeError } from "../error-report.ts"
import { flushed } from "../output.ts"
import { expectRunning } from "../process/local-cloudflare.ts"
import { openLocalStack, type LocalStack } from "../stack/local-stack.ts"
import { deploy } from "./deploy.ts"
import { Order, type Reply } from "./forked-deployer.ts"
import { isOutdated } from "./loaded-files.ts"

/** How long the engine may take to stop after the parent has disconnected (ms). */
const exitTimeout = 10_000

useProxies()
const stop = new AbortController()
let local: LocalStack | undefined
/** True until a deployment has succeeded. */
let first = true
let work: Promise<void> = Promise.resolve()

process.once("disconnect", shutDown)
process.on("message", (message) => {
  // A parent that has left takes no answer; without the last argument that would be thrown.
  work = answer(message).then((reply) => void process.send?.(reply, undefined, {}, () => {}))
})
// The parent may have disconnected while the modules were loading.
if (!process.connected) shutDown()

async function answer(message: unknown): Promise<Reply> {
  if (isOutdated()) return { event: "outdated" }
  try {
    const deployment = await deployTo(Order.parse(message))
    return { event: "deployed", deployment }
  } catch (error) {
    return { event: "failed", message: describeError(error) }
  }
}

async function deployTo({ engine, fresh, reopen, ...order }: Order) {
  const running = await expectRunning(order.state)
  if (reopen) local = undefined
  local ??= await openLocalStack({ ...order, engine }, { running })
  const deployment = await deploy(local, { signal: stop.signal, first, fresh })
  first = false
  return deployment
}

/** Waits for the engine to stop; after the timeout, kills the whole process group. */
function shutDown(): void {
  stop.abort()
  setTimeout(() => {
    process.once("exit", () => process.kill(-process.pid, "SIGKILL"))
    process.exit(1)
  }, exitTimeout).unref()
  void work.then(flushed).finally(() => process.exit())
}
