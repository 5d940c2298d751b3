import { createHostResolver, listDnsRecords } from "../account/dns-record.store.ts"
import type { RoutedScript, RoutingTable } from "../edge/routing-table.ts"
import { zones } from "../seed.ts"
import type { State } from "../state/state.ts"
import { listDomains } from "../triggers/domain.store.ts"
import { listRoutes } from "../triggers/route.store.ts"
import { listVersionIds } from "../workers/version.store.ts"
import { listWorkers, type Worker } from "../workers/worker.store.ts"
import { liveDeployment } from "./deployment.store.ts"

/** What the edge needs to know of the state. */
export function readRoutingTable(state: State): RoutingTable {
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
