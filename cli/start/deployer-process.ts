import process from "node:process"

import { isFailure } from "../../failure.ts"
import { EngineFailure } from "../engine/failure.ts"
import { Failure } from "../output.ts"
import { findRunning } from "../process/local-cloudflare.ts"
import { openLocalStack, type LocalStack } from "../stack/local-stack.ts"
import { deploy } from "./deploy.ts"
import { Order, type Reply } from "./deployer.ts"

/** Milliseconds for the engine to end in order once the parent has let go. */
const exitLimit = 10_000

const stop = new AbortController()
let local: LocalStack | undefined
/** False until a deployment has succeeded here: what came before may have been killed. */
let clean = false
let work: Promise<void> = Promise.resolve()

process.once("disconnect", leave)
process.on("message", (message) => {
  work = answer(message).then((reply) => void process.send?.(reply))
})
// The parent may have gone while the modules were loading.
if (!process.connected) leave()

async function answer(message: unknown): Promise<Reply> {
  try {
    const deployment = await deployTo(Order.parse(message))
    return { event: "deployed", deployment }
  } catch (error) {
    return { event: "failed", message: messageOf(error) }
  }
}

async function deployTo({ engine, ...order }: Order) {
  const running = await findRunning(order.state)
  if (!running) throw new Failure(`No local Cloudflare runs on ${order.state}.`)
  local ??= await openLocalStack({ ...order, engine }, { running })
  const deployment = await deploy(local, { signal: stop.signal, mend: !clean })
  clean = true
  return deployment
}

/** Ends with the engine: in order when it can, with everything it has started when it cannot. */
function leave(): void {
  stop.abort()
  setTimeout(() => {
    process.once("exit", () => process.kill(-process.pid, "SIGKILL"))
    process.exit(1)
  }, exitLimit).unref()
  void work.finally(() => process.exit())
}

/** Only what nobody foresaw brings its stack trace. */
function messageOf(error: unknown): string {
  if (error instanceof Failure || error instanceof EngineFailure) return error.message
  if (isFailure(error, "ENVIRONMENT_INVALID")) return error.message
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}
