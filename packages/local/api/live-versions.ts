import { createMachines } from "../edge/machines.ts"
import { type RoutedScript, type RoutingTable, isRouted } from "../edge/routing-table.ts"
import type { SettingsStore } from "../faults/settings.ts"
import type { EventLog } from "../log/event-log.ts"
import { noHandlers } from "../plane/boot-version.ts"
import { type Plane, ScriptStartError } from "../plane/plane.ts"
import { zones } from "../state/seed.ts"
import type { Blobs, State } from "../state/state.ts"
import { createHostResolver, listDnsRecords, listDomains } from "./dns-record.ts"
import { ApiError, code } from "./envelope.ts"
import { listRoutes } from "./route.ts"
import { type Version, findVersion, listVersionIds, liveDeployment, specOf } from "./version.ts"
import { type Worker, findWorker, listWorkers } from "./worker.ts"

type FailedVersion = { versionId: string; script: string; message: string }

type Options = {
  state: State
  plane: Plane
  blobs: Blobs
  log: EventLog
  settings: SettingsStore
}

/** Keeps running versions and the routing table in step with the state. */
export class LiveVersions {
  readonly #options: Options
  readonly #failures = new Map<string, FailedVersion>()
  readonly #tables: ReturnType<typeof createMachines<RoutingTable>>

  constructor(options: Options) {
    const { state, plane, settings } = options
    this.#options = options
    this.#tables = createMachines({
      first: readRoutingTable(state),
      settings,
      // Versions that the edge still routes to must keep running.
      onChange: () => plane.pin(this.#tables.values().flatMap(pinned)),
    })
  }

  /** Returns the routing table of the machine that accepted the connection. */
  table(connection: object): RoutingTable {
    return this.#tables.read(connection)
  }

  /** Returns whether any machine of the edge routes the host to a Worker. */
  routes(hostname: string): boolean {
    return this.#tables.values().some((table) => isRouted(table, hostname))
  }

  /** Publishes the state's routing table. Call it after every commit that changes routing. */
  refresh() {
    this.#tables.publish(readRoutingTable(this.#options.state))
  }

  /** Boots a version. @returns milliseconds @throws ApiError 10021 with the script's message */
  async start(version: Version, script: string): Promise<number> {
    const { plane, blobs } = this.#options
    const spec = await specOf(version, script, blobs)
    try {
      const { startupMilliseconds } = await plane.start(spec)
      this.#failures.delete(version.id)
      return startupMilliseconds
    } catch (error) {
      if (!(error instanceof ScriptStartError)) throw error
      if (error.message.includes(noHandlers)) throw new ApiError(400, code.noHandlers, noHandlers)
      throw new ApiError(400, code.startup, error.message)
    }
  }

  /** Boots the version of a preview URL. */
  async wake(versionId: string) {
    const { state } = this.#options
    const version = findVersion(state, versionId)
    const worker = version && findWorker(state, version.worker_id)
    if (version === undefined || worker === undefined) throw new Error(`No version ${versionId}`)
    await this.start(version, worker.name)
  }

  /** Boots every live version. Logs failures, which do not stop the others. */
  async startAll() {
    const { state, plane } = this.#options
    const versions = listWorkers(state).flatMap((worker) =>
      (liveDeployment(state, worker.id)?.versions ?? [])
        .map(({ version_id }) => findVersion(state, version_id))
        .filter((version) => version !== undefined)
        .map((version) => ({ version, script: worker.name })),
    )
    plane.pin(versions.map(({ version }) => version.id))
    await Promise.all(versions.map(({ version, script }) => this.#startLive(version, script)))
  }

  async #startLive(version: Version, script: string) {
    try {
      await this.start(version, script)
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error)
      this.#failures.set(version.id, { versionId: version.id, script, message })
      this.#report(`Version ${version.number} of ${script} no longer starts: ${message}`)
    }
  }

  /** Stops deleted versions after their requests in flight. */
  retire(versionIds: string[]) {
    const { propagationMs, machines } = this.#options.settings.read()
    const delay = propagationMs + machines.spreadMs
    if (delay === 0) return this.#stop(versionIds)
    setTimeout(() => this.#stop(versionIds), delay).unref()
  }

  #stop(versionIds: string[]) {
    for (const versionId of versionIds) {
      this.#options.plane.retire(versionId).catch((error: unknown) => {
        this.#report(`Version ${versionId} did not stop: ${String(error)}`)
      })
    }
  }

  #report(message: string) {
    this.#options.log.record({ event: "problem", message })
  }

  /** Lists the live versions that failed to boot. */
  failed(): FailedVersion[] {
    return [...this.#failures.values()]
  }

  close() {
    this.#tables.stop()
  }
}

function pinned({ scripts }: RoutingTable): string[] {
  return [...scripts.values()].flatMap(({ versions }) => versions.map(({ versionId }) => versionId))
}

/** Reads the part of the state that the edge needs. */
function readRoutingTable(state: State): RoutingTable {
  return {
    domains: new Map(listDomains(state).map(({ hostname, service }) => [hostname, service])),
    routes: listRoutes(state).map(({ pattern, script }) => ({ pattern, script })),
    scripts: new Map(listWorkers(state).map((worker) => [worker.name, routed(state, worker)])),
    zones: new Map(
      zones.map(({ id, name }) => [name, createHostResolver(listDnsRecords(state, id))]),
    ),
  }
}

function routed(state: State, { id, settings }: Worker): RoutedScript {
  const versions = liveDeployment(state, id)?.versions ?? []
  return {
    versions: versions.map(({ version_id, percentage }) => ({ versionId: version_id, percentage })),
    workersDev: settings.subdomain.enabled,
    previews: settings.subdomain.previews_enabled,
    uploaded: listVersionIds(state, id),
  }
}
