import { randomBytes } from "node:crypto"
import { readFileSync } from "node:fs"

import type { MiniflareOptions, WorkerOptions } from "miniflare"
import * as z from "zod"

import { cf } from "../edge-error.ts"
import { observerName, Log, LogLevel, Miniflare, Response } from "./miniflare-package.ts"

export type Instance = Awaited<ReturnType<typeof bootInstance>>

export type InstanceOptions = {
  name: string
  modules: { name: string; type: ModuleType; content: Uint8Array }[]
  mainModule: string
  compatibilityDate: string
  compatibilityFlags: string[]
  env: Env
  /** Whether request lines contain a full URL, which becomes `request.url`, instead of a path. */
  takesUrls: boolean
  /** Directory of databases; absent for a Worker that owns none. */
  storageDirectory?: string
  onLog: (line: string) => void
  /** Called when workerd died and Miniflare has restarted it at the same address. */
  onRestart: () => void
  /** Called when workerd died and could not be restarted; the instance is then unusable. */
  onFailure: (reason: Error) => void
}

export type Env = NonNullable<WorkerOptions["config"]["env"]>
export type ModuleType = "esm" | "cjs" | "text" | "data" | "wasm" | "json" | "sourcemap"

/**
 * Starts a Worker in its own workerd process. Only this file and the plugins use Miniflare.
 * @throws workerd's error if the Worker can't start; then no process is left
 */
export async function bootInstance(options: InstanceOptions) {
  const secret = randomBytes(24).toString("hex")
  const miniflare = withoutSignalHandlers(() => new Miniflare(toMiniflare(options, secret)))
  try {
    await miniflare.ready
  } catch (error) {
    // `dispose` cleans up, then rejects with the same reason.
    await miniflare.dispose().catch(() => {})
    throw error
  }

  return {
    /**
     * Returns host and port of the Worker's socket. Waits while the process restarts. A request's header `cfHeader`
     * becomes `request.cf`.
     */
    address: async () => (await miniflare.unsafeGetDirectURL(options.name)).host,
    async scheduled({ cron, scheduledTime }: { cron: string; scheduledTime: Date }) {
      const body = JSON.stringify({ cron, scheduledTime: +scheduledTime })
      const address = await miniflare.ready
      const response = await fetch(address, { method: "POST", headers: { secret }, body })
      if (!response.ok) throw new Error(`The observer answered ${response.status} to a cron`)
      return Outcome.parse(await response.json())
    },
    dispose: () => miniflare.dispose(),
  }
}

const Outcome = z.object({ outcome: z.string() })

function toMiniflare(options: InstanceOptions, secret: string): MiniflareOptions {
  const { name, mainModule, modules, compatibilityDate, compatibilityFlags, env } = options
  return {
    host: "127.0.0.1",
    port: 0,
    cf,
    log: logOf(options),
    logRequests: false,
    // Processes find each other by the addresses in their bindings instead.
    enableDevRegistry: false,
    handleStructuredLogs: ({ message }) => {
      if (!message.startsWith(exceptionWithoutStack)) {
        options.onLog(message.replaceAll("file:///", ""))
      }
    },
    unsafeHandleRuntimeRestart: () => options.onRestart(),
    ...(options.storageDirectory && { resourcePersistencePath: options.storageDirectory }),
    workers: [
      {
        config: {
          name,
          compatibilityDate,
          compatibilityFlags,
          env,
          tailConsumers: [{ worker: observerName }],
          manifest: {
            mainModule,
            // Makes stack traces show module names instead of local paths.
            modulesRoot: "/",
            modules: Object.fromEntries(
              modules.map(({ name: path, type, content }) => [
                path,
                { type, contents: contentsOf(type, content) },
              ]),
            ),
          },
        },
        dev: {
          // Connects to the Worker directly, without Miniflare's proxy and its routes.
          unsafeDirectSockets: [{ host: "127.0.0.1", port: 0, proxy: options.takesUrls }],
          // Otherwise `fetch()` to another Worker on this machine names the zone example.com.
          zone: "localhost",
        },
      },
      observer(options, secret),
    ],
  }
}

/** Prefix of workerd's log line for an exception, dropped because the observer prints the exception with a stack. */
const exceptionWithoutStack = "Uncaught exception: workerd/jsg/"

function observer({ name }: InstanceOptions, secret: string): WorkerOptions {
  return {
    config: {
      name: observerName,
      compatibilityDate: "2026-08-01",
      // The flag adds `scheduled` to service bindings.
      compatibilityFlags: ["service_binding_extra_handlers"],
      env: {
        SECRET: { type: "text", value: secret },
        WORKER: { type: "worker", worker: name },
      },
      manifest: {
        mainModule: "observer.js",
        modulesRoot: "/",
        modules: {
          "observer.js": {
            type: "esm",
            contents: readFileSync(`${import.meta.dirname}/observer.js`, "utf8"),
          },
        },
      },
    },
  }
}

/** Creates a log that detects failed restarts, which Miniflare reports only in its log. */
function logOf({ onFailure }: InstanceOptions) {
  return Object.assign(new Log(LogLevel.NONE), {
    error: (error: Error) => {
      if (error.message.includes("failed to restart")) onFailure(error)
    },
  })
}

/** Creates a binding whose `fetch()` calls `handle` in this process. Undefined becomes a 404. */
export function localFetcher(handle: (path: string, body: string) => Promise<string | undefined>) {
  return {
    type: "fetcher" as const,
    handler: async (request: { url: string; text(): Promise<string> }) => {
      const body = await handle(new URL(request.url).pathname, await request.text())
      return new Response(body ?? null, { status: body === undefined ? 404 : 200 })
    },
  }
}

function contentsOf(type: ModuleType, content: Uint8Array) {
  const isBinary = type === "wasm" || type === "data"
  return isBinary ? Uint8Array.from(content) : Buffer.from(content).toString("utf8")
}

/**
 * Runs `create` and removes the signal handlers that Miniflare adds, which exit before the program can shut down. The
 * opener of the plane closes it; if that fails, the guard kills the child processes.
 */
function withoutSignalHandlers<T>(create: () => T): T {
  const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const
  const before = signals.map((signal) => new Set(process.listeners(signal)))
  const created = create()
  for (const [index, signal] of signals.entries()) {
    for (const listener of process.listeners(signal)) {
      if (!before[index]?.has(listener)) process.removeListener(signal, listener)
    }
  }
  return created
}
