import { bootVersion } from "./boot-version.ts"
import type { ChildProcesses } from "./child-processes.ts"
import type { Exchange } from "./forward.ts"
import { badGateway, createForward } from "./forward.ts"
import type { Instance } from "./miniflare/miniflare.ts"
import type { Traces, VersionSpec, WorkerOutput } from "./plane.ts"
import { NotRunningError } from "./plane.ts"
import { findProcess } from "./process-table.ts"
import { createProcessorLimit } from "./processor-limit.ts"
import type { StorageAddress } from "./storage/storage-binding.ts"
import { createTraceSubscription } from "./trace-subscription.ts"
import { waitUntilListening } from "./wait-until-listening.ts"

/** How many versions outside live deployments stay warm, such as the last upload and rollback. */
const warmLimit = 3
/** Milliseconds that a retiring version has to finish its requests. */
const drainTimeout = 30_000

type Entry = {
  version: VersionSpec
  instance: Promise<Instance>
  /** Of processor time that its own code took; undefined until the version has booted. */
  startupMilliseconds: number | undefined
  /** Name of the process; unique among running ones. */
  name: string
  inFlight: number
  /** How many requests have ever begun. */
  begun: number
  lastUsed: number
  retiring: boolean
  /** Called when the last request in flight is done. */
  onIdle: () => void
}

export type VersionPoolOptions = {
  children: ChildProcesses
  storage: () => StorageAddress
  onLog: (line: string) => void
  onOutput?: (output: WorkerOutput) => void
  onTraces?: (traces: Traces) => void
  /** Milliseconds of processor time that a request may use; undefined for no limit. */
  processorLimit?: () => number | undefined
}

export function createVersionPool(options: VersionPoolOptions) {
  const { children, storage, onLog, onOutput, onTraces } = options
  const entries = new Map<string, Entry>()
  const forward = createForward()
  const measure = createProcessorLimit(children, options.processorLimit ?? (() => undefined))
  const traces = createTraceSubscription(() => [...entries.values()].map(candidate))
  let pinned = new Set<string>()
  /** Milliseconds of processor time of the fastest start so far, which the runtime itself takes. */
  let baseMilliseconds = Number.POSITIVE_INFINITY

  async function start(version: VersionSpec): Promise<{ startupMilliseconds: number }> {
    const known = entries.get(version.id)
    if (known) {
      // A rollback may start a version that is still retiring.
      known.retiring = false
      known.lastUsed = performance.now()
      await known.instance
      return { startupMilliseconds: known.startupMilliseconds ?? 0 }
    }
    const entry: Entry = {
      version,
      instance: boot(version),
      startupMilliseconds: undefined,
      name: nameOf(version),
      inFlight: 0,
      begun: 0,
      lastUsed: performance.now(),
      retiring: false,
      onIdle: () => {},
    }
    entries.set(version.id, entry)
    try {
      await entry.instance
    } catch (error) {
      entries.delete(version.id)
      throw error
    }
    await traces.renew(candidate(entry))
    entry.startupMilliseconds = startupOf(entry.name)
    retireIdle()
    return { startupMilliseconds: entry.startupMilliseconds }
  }

  /**
   * Cloudflare tells the processor time of a script's global scope, 0 to 2 for most: the snapshots of
   * wrangler's e2e tests lack the line that it prints for more than 0. Here a start boots a process.
   */
  function startupOf(name: string): number {
    const pid = children.pidOf(name)
    const used = ((pid === undefined ? 0 : findProcess(pid)?.processorSeconds) ?? 0) * 1000
    baseMilliseconds = Math.min(baseMilliseconds, used)
    // The kernel counts in steps of 10 ms, so less than two of them are nothing.
    return used - baseMilliseconds < 20 ? 0 : Math.round(used - baseMilliseconds)
  }

  function boot(version: VersionSpec): Promise<Instance> {
    return bootVersion({
      version,
      name: nameOf(version),
      storage: storage(),
      children,
      onLog,
      onOutput: (message) => report(version, message),
      onTraces: (json) => onTraces?.({ script: version.script, versionId: version.id, json }),
      onFailure: () => reboot(version.id),
    })
  }

  function report({ script, id: versionId }: VersionSpec, message: string) {
    onOutput?.({ script, versionId, message })
  }

  /** Replaces the process of a version; requests wait for the new one. */
  function reboot(versionId: string) {
    const entry = entries.get(versionId)
    if (!entry) return
    const before = entry.instance
    entry.instance = boot(entry.version)
    entry.instance.catch((error: unknown) => {
      entries.delete(versionId)
      onLog(`${entry.version.script}: version ${versionId} can't be restarted: ${String(error)}`)
    })
    before.then((instance) => instance.dispose()).catch(() => {})
  }

  async function use<T>(
    versionId: string,
    act: (instance: Instance, entry: Entry) => Promise<T>,
  ): Promise<T> {
    const entry = entries.get(versionId)
    if (!entry || entry.retiring) throw new NotRunningError(`Version ${versionId} is not running`)
    entry.inFlight += 1
    entry.begun += 1
    entry.lastUsed = performance.now()
    try {
      return await act(await entry.instance, entry)
    } finally {
      entry.inFlight -= 1
      if (entry.inFlight === 0) entry.onIdle()
    }
  }

  async function retire(versionId: string): Promise<void> {
    const entry = entries.get(versionId)
    if (!entry) return
    entry.retiring = true
    await untilIdle(entry)
    // It was started again in the meantime.
    if (!entry.retiring || entries.get(versionId) !== entry) return
    entries.delete(versionId)
    await dispose(entry)
  }

  /** Retires the versions that are neither live nor among the few used last. */
  function retireIdle() {
    const idleVersions = [...entries.values()].filter(
      ({ version, inFlight, retiring, startupMilliseconds }) =>
        !pinned.has(version.id) && inFlight === 0 && !retiring && startupMilliseconds !== undefined,
    )
    for (const { version } of idleVersions
      .toSorted((a, b) => b.lastUsed - a.lastUsed)
      .slice(warmLimit)) {
      retire(version.id).catch((error: unknown) => onLog(String(error)))
    }
  }

  return {
    start,
    retire,
    running: (versionId: string) =>
      entries.get(versionId)?.startupMilliseconds !== undefined &&
      entries.get(versionId)?.retiring === false,
    pin: (versionIds: Iterable<string>) => {
      pinned = new Set(versionIds)
      retireIdle()
    },
    rebootAll: () => {
      for (const versionId of entries.keys()) reboot(versionId)
    },
    serve: (versionId: string, exchange: Omit<Exchange, "address">) =>
      use(versionId, async (instance, entry) => {
        const { exceeded, stop } = measure(entry, () => reboot(versionId))
        try {
          await waitUntilListening(async () =>
            forward.send({ ...exchange, exceeded, address: await instance.address() }),
          )
          if (exceeded()) report(entry.version, "Worker exceeded CPU time limit.")
        } catch (error) {
          onLog(`${exchange.request.method} ${exchange.url}: ${String(error)}`)
          badGateway(exchange.response)
        } finally {
          stop()
        }
      }),
    fireCron: (versionId: string, cron: string, scheduledTime: Date) =>
      use(versionId, (instance) => instance.scheduled({ cron, scheduledTime })),
    followTraces: (scripts: Iterable<string>) => traces.follow(scripts),
    close: async () => {
      traces.stop()
      const ending = [...entries.values()]
      entries.clear()
      await Promise.all(ending.map(dispose))
      forward.close()
    },
  }
}

function nameOf({ script, id }: VersionSpec): string {
  return `${script} ${id.slice(0, 8)}`
}

function candidate({ version, instance }: Entry) {
  return { script: version.script, instance }
}

async function dispose({ instance }: Entry) {
  const running = await instance.catch(() => undefined)
  await running?.dispose()
}

function untilIdle(entry: Entry): Promise<void> {
  if (entry.inFlight === 0) return Promise.resolve()
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, drainTimeout)
    entry.onIdle = () => {
      clearTimeout(timer)
      resolve()
    }
  })
}
