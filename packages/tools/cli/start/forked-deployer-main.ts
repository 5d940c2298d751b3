import { statSync } from "node:fs"
import module from "node:module"
import process from "node:process"
import { fileURLToPath } from "node:url"

import type { LocalStack } from "../stack/local-stack.ts"
import type { Reply } from "./forked-deployer.ts"

/** Modification time (ms) of each file of the checkout when this process loaded it. */
const loaded = new Map<string, number>()

// Everything below is imported after this hook, so that it sees every file.
module.registerHooks({
  resolve(specifier, context, nextResolve) {
    const resolved = nextResolve(specifier, context)
    const path = resolved.url.startsWith("file:") ? fileURLToPath(resolved.url) : undefined
    const isWatched = path !== undefined && !path.includes("/node_modules/") && !loaded.has(path)
    if (isWatched) loaded.set(path, savedAt(path))
    return resolved
  },
})

const { useProxies } = await import("../../base/process-environment.ts")
const { Failure } = await import("../../base/failure.ts")
const { describeError } = await import("../error-report.ts")
const { flushed, say } = await import("../output.ts")
const { expectRunning } = await import("../process/local-cloudflare.ts")
const { openLocalStack } = await import("../stack/local-stack.ts")
const { DeployCommand } = await import("./forked-deployer.ts")
const { deploy } = await import("./deploy.ts").catch((error: unknown) => {
  // Node reports a module that cannot be loaded with file and line; a Failure needs only its message.
  if (!(error instanceof Failure)) throw error
  say(error.message)
  process.exit(1)
})

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
  // The empty callback ignores the error of a reply to a parent that has exited.
  work = answer(message).then((reply) => void process.send?.(reply, undefined, {}, () => {}))
})
// The parent may have disconnected while the modules were loading.
if (!process.connected) shutDown()

async function answer(message: unknown): Promise<Reply> {
  // Node never reloads a module, so a changed file needs a new process.
  const isOutdated = [...loaded].some(([path, time]) => savedAt(path) !== time)
  if (isOutdated) return { event: "outdated" }
  try {
    const { engine, fresh, ...command } = DeployCommand.parse(message)
    const running = await expectRunning(command.state)
    local ??= await openLocalStack({ ...command, engine }, { running })
    const deployment = await deploy(local, { signal: stop.signal, first, fresh })
    first = false
    return { event: "deployed", deployment }
  } catch (error) {
    return { event: "failed", message: describeError(error) }
  }
}

/** Returns the modification time (ms); 0 if the file does not exist. */
function savedAt(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0
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
