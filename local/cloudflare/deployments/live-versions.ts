import { readSubdomain } from "../account/account-setting.store.ts"
import { createHostResolver, listDnsRecords } from "../account/dns-record.store.ts"
import { readZoneSetting } from "../account/zone-setting.store.ts"
import { createMachines } from "../edge/machines.ts"
import type { RoutedScript, RoutingTable } from "../edge/routing-table.ts"
import { isRouted } from "../edge/routing-table.ts"
import type { SettingsStore } from "../faults/settings.ts"
import type { EventLog } from "../log/event-log.ts"
import { noHandlers } from "../plane/boot-version.ts"
import type { Plane } from "../plane/plane.ts"
import { ScriptStartError } from "../plane/plane.ts"
import { ApiError } from "../protocol/envelope.ts"
import { code } from "../protocol/error-code.ts"
import { zones } from "../seed.ts"
import type { Blobs } from "../state/blobs.ts"
import type { State } from "../state/state.ts"
import { listDomains } from "../triggers/domain.store.ts"
import { listRoutes } from "../triggers/route.store.ts"
import type { Version } from "../workers/version.store.ts"
import { findVersion, listAliases, listVersionIds, specOf } from "../workers/version.store.ts"
import { findWorker, listWorkers } from "../workers/worker.store.ts"
import { liveDeployment } from "./deployment.store.ts"

type FailedVersion = { versionId: string; script: string; message: string }

/** Keeps running versions and the routing table in step with the state. */
export type LiveVersions = {
  /** The routing table of the machine that accepted the connection. */
  table: (connection: object) => RoutingTable
  /** Whether any machine of the edge routes the host to a Worker. */
  routes: (hostname: string) => boolean
  /** Must be called after every commit that changes routing. */
  refresh(): void
  /** Boots a version. @returns milliseconds @throws ApiError 10021 with the script's message */
  start(version: Version, script: string): Promise<number>
  /** Boots the version of a preview URL. */
  wake: (versionId: string) => Promise<void>
  /** Boots every live version; a failure is logged and does not stop the others. */
  startAll(): Promise<void>
  /** Stops deleted versions once their requests in flight are done. */
  retire(versionIds: string[]): void
  /** Live versions that failed to boot. */
  failed(): FailedVersion[]
  stop(): void
}

export function createLiveVersions({
  state,
  plane,
  blobs,
  log,
  settings,
}: {
  state: State
  plane: Plane
  blobs: Blobs
  log: EventLog
  settings: SettingsStore
}): LiveVersions {
  const failures = new Map<string, FailedVersion>()
  const tables = createMachines({
    first: readTable(),
    settings,
    // Versions that the edge still routes to must keep running.
    onChange: () => plane.pin(tables.held().flatMap(pinned)),
  })

  function readTable(): RoutingTable {
    const workers = listWorkers(state)
    return {
      subdomain: readSubdomain(state),
      domains: new Map(listDomains(state).map(({ hostname, service }) => [hostname, service])),
      routes: listRoutes(state).map(({ pattern, script }) => ({ pattern, script })),
      scripts: new Map(
        workers.map((worker) => [worker.name, routed(worker.id, worker.settings.subdomain)]),
      ),
      zones: new Map(
        zones.map(({ id, name }) => [
          name,
          {
            resolve: createHostResolver(listDnsRecords(state, id)),
            browserCheck: readZoneSetting(state, id, "browser_check").on,
            fightMode: readZoneSetting(state, id, "fight_mode").on,
          },
        ]),
      ),
    }
  }

  function routed(
    workerId: string,
    subdomain: { enabled: boolean; previews_enabled: boolean },
  ): RoutedScript {
    const versions = liveDeployment(state, workerId)?.versions ?? []
    return {
      versions: versions.map(({ version_id, percentage }) => ({
        versionId: version_id,
        percentage,
      })),
      workersDev: subdomain.enabled,
      previews: subdomain.previews_enabled,
      uploaded: listVersionIds(state, workerId),
      aliases: listAliases(state, workerId),
    }
  }

  async function start(version: Version, script: string): Promise<number> {
    const spec = await specOf(version, script, blobs)
    try {
      const { startupMilliseconds } = await plane.start(spec)
      failures.delete(version.id)
      return startupMilliseconds
    } catch (error) {
      if (!(error instanceof ScriptStartError)) throw error
      if (error.message.includes(noHandlers)) throw new ApiError(400, code.noHandlers, noHandlers)
      throw new ApiError(400, code.startup, error.message)
    }
  }

  async function startLive(version: Version, script: string) {
    try {
      await start(version, script)
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error)
      failures.set(version.id, { versionId: version.id, script, message })
      log.record({
        event: "problem",
        message: `Version ${version.number} of ${script} no longer starts: ${message}`,
      })
    }
  }

  function stop(versionIds: string[]) {
    for (const versionId of versionIds) {
      plane.retire(versionId).catch((error: unknown) => {
        const message = `Version ${versionId} did not stop: ${String(error)}`
        log.record({ event: "problem", message })
      })
    }
  }

  return {
    table: (connection) => tables.read(connection),
    routes: (hostname) => tables.held().some((table) => isRouted(table, hostname)),
    refresh: () => tables.publish(readTable()),
    start,
    async wake(versionId) {
      const version = findVersion(state, versionId)
      const worker = version && findWorker(state, version.worker_id)
      if (version === undefined || worker === undefined) throw new Error(`No version ${versionId}`)
      await start(version, worker.name)
    },
    async startAll() {
      const versions = listWorkers(state).flatMap((worker) =>
        (liveDeployment(state, worker.id)?.versions ?? [])
          .map(({ version_id }) => findVersion(state, version_id))
          .filter((version) => version !== undefined)
          .map((version) => ({ version, script: worker.name })),
      )
      plane.pin(versions.map(({ version }) => version.id))
      await Promise.all(versions.map(({ version, script }) => startLive(version, script)))
    },
    retire(versionIds) {
      const { propagationMs, machines } = settings.read()
      const delay = propagationMs + machines.spreadMs
      if (delay === 0) return stop(versionIds)
      setTimeout(() => stop(versionIds), delay).unref()
    },
    failed: () => [...failures.values()],
    stop: () => tables.stop(),
  }
}

function pinned({ scripts }: RoutingTable): string[] {
  return [...scripts.values()].flatMap(({ versions }) => versions.map(({ versionId }) => versionId))
}
