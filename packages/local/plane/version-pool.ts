import { bootVersion } from "./boot-version.ts"
import { type ChildProcesses, findProcess, waitUntilListening } from "./child-processes.ts"
import { type Exchange, badGateway, createForward } from "./forward.ts"
import type { Instance } from "./miniflare/miniflare.ts"
import { NotRunningError, type VersionSpec, type WorkerOutput } from "./plane.ts"
import type { StorageAddress } from "./storage/storage-binding.ts"

/** How many idle versions outside live deployments keep their process, such as the last upload. */
const warmLimit = 3
/** Milliseconds that a retiring version gets to finish its requests. */
const drainTimeout = 30_000

/** A retiring version finishes its requests and gets no new ones, unless it is started again. */
type Stage = "booting" | "running" | "retiring"

type Entry = {
  version: VersionSpec
  instance: Promise<Instance>
  stage: Stage
  /** CPU time that the version's own code used to start. */
  startupMilliseconds: number
  inFlight: number
  lastUsed: number
  /** Called when the last request in flight is done. */
  onIdle: () => void
}

type Options = {
  children: ChildProcesses
  storage: () => StorageAddress
  onLog: (line: string) => void
  onOutput?: (output: WorkerOutput) => void
}

/** Runs versions, each in its own process. */
export class VersionPool {
  readonly #options: Options
  readonly #entries = new Map<string, Entry>()
  readonly #forward = createForward()
  #pinned = new Set<string>()
  /** CPU time of the fastest start so far, taken as the runtime's own share. */
  #baseMilliseconds = Number.POSITIVE_INFINITY

  constructor(options: Options) {
    this.#options = options
  }

  async start(version: VersionSpec): Promise<{ startupMilliseconds: number }> {
    const existing = this.#entries.get(version.id)
    if (existing) {
      // A rollback may need a version that is still retiring.
      if (existing.stage === "retiring") existing.stage = "running"
      existing.lastUsed = performance.now()
      await existing.instance
      return existing
    }
    const entry: Entry = {
      version,
      instance: this.#boot(version),
      stage: "booting",
      startupMilliseconds: 0,
      inFlight: 0,
      lastUsed: performance.now(),
      onIdle: () => {},
    }
    this.#entries.set(version.id, entry)
    try {
      await entry.instance
    } catch (error) {
      this.#entries.delete(version.id)
      throw error
    }
    entry.startupMilliseconds = this.#startupOf(version)
    if (entry.stage === "booting") entry.stage = "running"
    this.#retireIdle()
    return entry
  }

  running(versionId: string): boolean {
    return this.#entries.get(versionId)?.stage === "running"
  }

  pin(versionIds: Iterable<string>) {
    this.#pinned = new Set(versionIds)
    this.#retireIdle()
  }

  processorMilliseconds(versionId: string): number {
    const entry = this.#entries.get(versionId)
    return entry === undefined ? 0 : this.#processorTimeOf(entry.version)
  }

  async retire(versionId: string): Promise<void> {
    const entry = this.#entries.get(versionId)
    if (!entry) return
    entry.stage = "retiring"
    await untilIdle(entry)
    // The version was started again while it finished its requests.
    if (!isRetiring(entry) || this.#entries.get(versionId) !== entry) return
    this.#entries.delete(versionId)
    await dispose(entry)
  }

  serve(versionId: string, exchange: Omit<Exchange, "address">): Promise<void> {
    return this.#use(versionId, async (instance) => {
      try {
        await waitUntilListening(async () =>
          this.#forward.send({ ...exchange, address: await instance.address() }),
        )
      } catch (error) {
        this.#options.onLog(`${exchange.request.method} ${exchange.url}: ${String(error)}`)
        badGateway(exchange.response)
      }
    })
  }

  fireCron(versionId: string, cron: string, scheduledTime: Date) {
    return this.#use(versionId, (instance) => instance.scheduled({ cron, scheduledTime }))
  }

  rebootAll() {
    for (const versionId of this.#entries.keys()) this.#reboot(versionId)
  }

  async close() {
    const ending = [...this.#entries.values()]
    this.#entries.clear()
    await Promise.all(ending.map(dispose))
    this.#forward.close()
  }

  /**
   * Returns the startup time in milliseconds. Cloudflare reports the CPU time of a script's global scope, usually 0 to
   * 2 (the snapshots of wrangler's e2e tests lack its line, which means 0). Here a start also boots a process.
   */
  #startupOf(version: VersionSpec): number {
    const used = this.#processorTimeOf(version)
    this.#baseMilliseconds = Math.min(this.#baseMilliseconds, used)
    // The kernel counts in steps of 10 ms, so a difference below two steps is noise.
    const usedByVersion = used - this.#baseMilliseconds
    return usedByVersion < 20 ? 0 : Math.round(usedByVersion)
  }

  #processorTimeOf(version: VersionSpec): number {
    const pid = this.#options.children.pidOf(nameOf(version))
    return ((pid === undefined ? 0 : findProcess(pid)?.processorSeconds) ?? 0) * 1000
  }

  #boot(version: VersionSpec): Promise<Instance> {
    const { children, storage, onLog, onOutput } = this.#options
    const { script, id: versionId } = version
    return bootVersion({
      version,
      name: nameOf(version),
      storage: storage(),
      children,
      onLog,
      onOutput: (message) => onOutput?.({ script, versionId, message }),
      onFailure: () => this.#reboot(versionId),
    })
  }

  /** Replaces the process of a version; requests wait for the new one. */
  #reboot(versionId: string) {
    const entry = this.#entries.get(versionId)
    if (!entry) return
    const before = entry.instance
    entry.instance = this.#boot(entry.version)
    entry.instance.catch((error: unknown) => {
      this.#entries.delete(versionId)
      const line = `${entry.version.script}: version ${versionId} can't be restarted: ${String(error)}`
      this.#options.onLog(line)
    })
    before.then((instance) => instance.dispose()).catch(() => {})
  }

  async #use<T>(versionId: string, act: (instance: Instance) => Promise<T>): Promise<T> {
    const entry = this.#entries.get(versionId)
    if (!entry || isRetiring(entry)) {
      throw new NotRunningError(`Version ${versionId} is not running`)
    }
    entry.inFlight += 1
    entry.lastUsed = performance.now()
    try {
      return await act(await entry.instance)
    } finally {
      entry.inFlight -= 1
      if (entry.inFlight === 0) entry.onIdle()
    }
  }

  /** Retires idle versions that are not live, except the most recently used. */
  #retireIdle() {
    const idle = [...this.#entries.values()].filter(
      ({ version, inFlight, stage }) =>
        !this.#pinned.has(version.id) && inFlight === 0 && stage === "running",
    )
    for (const { version } of idle.toSorted((a, b) => b.lastUsed - a.lastUsed).slice(warmLimit)) {
      this.retire(version.id).catch((error: unknown) => this.#options.onLog(String(error)))
    }
  }
}

function isRetiring({ stage }: Entry): boolean {
  return stage === "retiring"
}

function nameOf({ script, id }: VersionSpec): string {
  return `${script} ${id.slice(0, 8)}`
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
