import { readFileSync } from "node:fs"

import { Log, LogLevel, Miniflare, Response } from "miniflare"
import type { MiniflareOptions, WorkerOptions } from "miniflare"

import { assetRouter } from "./asset-binding.ts"
import { cf } from "./request-cf.ts"

/** A Worker in a workerd process of its own. Everything that is Miniflare's stays in this file. */
export type Instance = {
  /**
   * Host and port of the Worker's socket, as soon as it listens again after a restart. What the
   * header `cfHeader` holds becomes `request.cf`.
   */
  address(): Promise<string>
  /** Has `onTraces` called for a while, in milliseconds. */
  follow(lifetime: number): Promise<void>
  scheduled(event: { cron: string; scheduledTime: Date }): Promise<{ outcome: string }>
  dispose(): Promise<void>
}

export type InstanceOptions = {
  name: string
  modules: { name: string; type: ModuleType; content: Uint8Array }[]
  mainModule: string
  compatibilityDate: string
  compatibilityFlags: string[]
  env: Env
  /** Whether a request line holds a whole URL, which becomes `request.url`, rather than a path. */
  takesUrls: boolean
  /** Whether `env` holds static assets, which then are asked before the Worker is. */
  hasAssets?: boolean
  /** Where databases, namespaces and counters live; absent for a Worker that owns none. */
  storageDirectory?: string
  onLog: (line: string) => void
  /** Traces of what the Worker did, a JSON array, while it is followed. */
  onTraces?: (json: string) => void
  /** workerd died and Miniflare has started it again, at the same address. */
  onRestart: () => void
  /** workerd died and could not be started again; the instance is of no use any more. */
  onFailure: (reason: Error) => void
}

export type Env = NonNullable<WorkerOptions["config"]["env"]>
export type ModuleType = "esm" | "cjs" | "text" | "data" | "wasm" | "json" | "sourcemap"

/** @throws with workerd's own words when the Worker can't start; no process is left then. */
export async function bootInstance(options: InstanceOptions): Promise<Instance> {
  const miniflare = withoutSignalHandlers(() => new Miniflare(toMiniflare(options)))
  try {
    await miniflare.ready
  } catch (error) {
    // It rejects with the same reason after it has cleaned up.
    await miniflare.dispose().catch(() => {})
    throw error
  }
  return {
    address: async () => (await miniflare.unsafeGetDirectURL(options.name)).host,
    async follow(lifetime) {
      const worker = await miniflare.getWorker(observerName)
      await worker.fetch("http://observer/", { method: "POST", body: String(lifetime) })
    },
    async scheduled(event) {
      const worker = await miniflare.getWorker(options.name)
      return worker.scheduled(event)
    },
    dispose: () => miniflare.dispose(),
  }
}

function toMiniflare(options: InstanceOptions): MiniflareOptions {
  const { name, mainModule, modules, compatibilityDate, compatibilityFlags, env } = options
  return {
    host: "127.0.0.1",
    port: 0,
    cf,
    log: logOf(options),
    logRequests: false,
    // Processes find each other by the addresses in their bindings.
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
            // Stack traces then show the modules' own names instead of paths of this machine.
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
          // The Worker itself, without the paths that Miniflare's own front would answer.
          unsafeDirectSockets: [
            {
              host: "127.0.0.1",
              port: 0,
              proxy: options.takesUrls,
              ...(options.hasAssets && { serviceName: assetRouter }),
            },
          ],
          // Otherwise `fetch()` to another Worker of this machine carries the zone example.com.
          zone: "localhost",
        },
      },
      observer(options),
    ],
  }
}

/** How workerd begins a line on an exception of a Worker's; the Worker below prints more of it. */
const exceptionWithoutStack = "Uncaught exception: workerd/jsg/"

/** No script can be called so. */
const observerName = "the observer"

function observer({ onTraces }: InstanceOptions): WorkerOptions {
  return {
    config: {
      name: observerName,
      compatibilityDate: "2026-08-01",
      env: {
        PLANE: {
          type: "fetcher",
          handler: async (request: { text(): Promise<string> }) => {
            onTraces?.(await request.text())
            return new Response()
          },
        },
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

/** Miniflare tells of a restart that failed in its log alone. */
function logOf({ onFailure }: InstanceOptions): Log {
  return Object.assign(new Log(LogLevel.NONE), {
    error: (error: Error) => {
      if (error.message.includes("failed to restart")) onFailure(error)
    },
  })
}

/** A binding with `fetch()` that this process answers; an undefined answer is a 404. */
export function answeredHere(answer: (path: string, body: string) => Promise<string | undefined>) {
  return {
    type: "fetcher" as const,
    handler: async (request: { url: string; text(): Promise<string> }) => {
      const body = await answer(new URL(request.url).pathname, await request.text())
      return new Response(body ?? null, { status: body === undefined ? 404 : 200 })
    },
  }
}

function contentsOf(type: ModuleType, content: Uint8Array) {
  const isBinary = type === "wasm" || type === "data"
  return isBinary ? Uint8Array.from(content) : Buffer.from(content).toString("utf8")
}

/**
 * Miniflare ends the whole program on a signal, before anyone else can close anything. Whoever
 * opened the plane closes it; if that fails, the guard of the processes ends them.
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
