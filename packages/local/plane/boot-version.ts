import { readFileSync } from "node:fs"
import { setTimeout as sleep } from "node:timers/promises"

import { unsupportedReason, toEnv } from "./binding.ts"
import { type ChildProcesses, findProcess } from "./child-processes.ts"
import { newestCompatibilityDate } from "./miniflare/miniflare-package.ts"
import { type Instance, type ModuleType, bootInstance } from "./miniflare/miniflare.ts"
import { type Module, ScriptStartError, type VersionSpec } from "./plane.ts"
import type { StorageAddress } from "./storage/storage-binding.ts"

/**
 * Cloudflare allows a script one second of CPU time to start. The limit here is higher, because it includes the start
 * of workerd and the machine may be slow. The limit of wall-clock time stops scripts that wait instead of computing.
 */
const startupLimit = { processorSeconds: 3, wallSeconds: 30 }

export type BootOptions = {
  version: VersionSpec
  /** Name of the process; unique among running ones. */
  name: string
  storage: StorageAddress
  children: ChildProcesses
  onLog: (line: string) => void
  /** Called with each line that the script prints after its start, including uncaught errors. */
  onOutput: (line: string) => void
  onFailure: (reason: Error) => void
}

/** Starts a version in its own process. @throws ScriptStartError; then no process is left */
export async function bootVersion(options: BootOptions): Promise<Instance> {
  const { version, name, storage, children, onLog } = options
  const log = (line: string) => onLog(`${version.script} (version ${version.number}): ${line}`)
  const print = (line: string) => {
    log(line)
    options.onOutput(line)
  }
  const { mainModule, modules } = codeOf(version)
  const env = toEnv(version, storage)
  for (const shortcoming of version.bindings.flatMap(
    (binding) => unsupportedReason(binding) ?? [],
  )) {
    log(`binding ${shortcoming}`)
  }

  // workerd's output before the start explains a failure, so the error includes it.
  const printed: string[] = []
  let started = false
  const done = new AbortController()
  const startupTimer = killAtLimit({ name, children, signal: done.signal })
  try {
    const instance = await children.adopt(name, () =>
      bootInstance({
        name: version.script,
        modules,
        mainModule,
        compatibilityDate: supportedDate(version.compatibilityDate, log),
        compatibilityFlags: version.compatibilityFlags,
        env,
        takesUrls: true,
        onLog: (line) => (started ? print(line) : printed.push(line)),
        onRestart: () => log("the process died and was restarted"),
        onFailure: options.onFailure,
      }),
    )
    started = true
    for (const line of printed) print(line)
    return instance
  } catch (error) {
    if (await startupTimer.expired()) {
      throw new ScriptStartError("Script startup exceeded CPU time limit.", { cause: error })
    }
    throw new ScriptStartError(reasonOf(printed, error), { cause: error })
  } finally {
    done.abort()
  }
}

/**
 * Returns the date to run with. Cloudflare supports every date up to today, this workerd only dates up to its release:
 * a date between the two gets workerd's newest. workerd rejects a future date, like Cloudflare.
 */
function supportedDate(requestedDate: string, log: (line: string) => void): string {
  const today = new Date().toISOString().slice(0, 10)
  if (requestedDate <= newestCompatibilityDate || requestedDate > today) return requestedDate
  log(
    `compatibility date ${requestedDate} is newer than this workerd: it runs with ${newestCompatibilityDate}`,
  )
  return newestCompatibilityDate
}

function codeOf({ mainModule, modules }: VersionSpec) {
  if (!modules.some(({ name }) => name === mainModule)) {
    throw new ScriptStartError(`The main module ${mainModule} is not among the modules`)
  }
  const typed = modules.map((module) => ({
    name: module.name,
    type: moduleType(module),
    content: module.content,
  }))
  if (typed.some(({ name, type }) => name === mainModule && type !== "esm")) {
    return { mainModule, modules: typed }
  }
  return { mainModule: handlerCheck, modules: [checkOf(mainModule), runtimeLimits, ...typed] }
}

const handlerCheck = "local-cloudflare-handlers.js"

/** Cloudflare's own text (workers-sdk#2767). */
export const noHandlers = "The uploaded script has no registered event handlers."

/**
 * Returns a module that wraps the main module. It fails like Cloudflare if no event could reach the main module's
 * exports: the default export has no handler, and no class extends an entrypoint.
 */
function checkOf(mainModule: string) {
  const main = JSON.stringify(`./${mainModule}`)
  const content = `import "./${runtimeLimits.name}";
import * as main from ${main};
export * from ${main};
export default main.default;
const handlers = ["fetch", "scheduled", "queue", "email", "tail", "tailStream", "trace", "test", "connect"];
const isEntrypoint = (one) => typeof one === "function" && Object.getPrototypeOf(one) !== Function.prototype;
const has = (one) => one != null && handlers.some((name) => typeof one[name] === "function");
const usable = (one) => has(one) || isEntrypoint(one) || (typeof one === "function" && has(one.prototype));
if (!usable(main.default) && !Object.values(main).some(isEntrypoint)) throw new Error(${JSON.stringify(noHandlers)});
`
  return { name: handlerCheck, type: "esm" as const, content: Buffer.from(content) }
}

const runtimeLimits = {
  name: "local-cloudflare-limits.js",
  type: "esm" as const,
  content: readFileSync(`${import.meta.dirname}/runtime-limits.js`),
}

function killAtLimit({
  name,
  children,
  signal,
}: {
  name: string
  children: ChildProcesses
  signal: AbortSignal
}) {
  const started = performance.now()
  const watching = watch()

  async function watch(): Promise<boolean> {
    while (!signal.aborted) {
      await sleep(100)
      const pid = children.pidOf(name)
      const used = pid === undefined ? 0 : (findProcess(pid)?.processorSeconds ?? 0)
      const waited = (performance.now() - started) / 1000
      if (
        !signal.aborted &&
        (used > startupLimit.processorSeconds || waited > startupLimit.wallSeconds)
      ) {
        children.kill(name)
        return true
      }
    }
    return false
  }

  return { expired: () => Promise.race([watching, sleep(0, false)]) }
}

/** Returns workerd's message about the script, without workerd's service name. */
function reasonOf(printed: string[], error: unknown): string {
  const line = printed.find((candidate) => candidate.startsWith("service ")) ?? printed[0]
  const reason = line ?? (error instanceof Error ? error.message : String(error))
  return reason.replace(/^service core:user:[^:]+: /, "")
}

/** Returns Miniflare's module type for a MIME type. @throws ScriptStartError for an unsupported type */
function moduleType({ name, contentType }: Module): ModuleType {
  const type = types[contentType.split(";", 1)[0]?.trim().toLowerCase() ?? ""]
  if (type === undefined) {
    throw new ScriptStartError(`Module ${name} has the unsupported content type ${contentType}`)
  }
  return type
}

const types: Partial<Record<string, ModuleType>> = {
  "application/javascript+module": "esm",
  "text/javascript+module": "esm",
  "application/javascript": "cjs",
  "text/javascript": "cjs",
  "application/json": "json",
  "application/octet-stream": "data",
  "application/source-map": "sourcemap",
  "application/wasm": "wasm",
  "text/plain": "text",
}
