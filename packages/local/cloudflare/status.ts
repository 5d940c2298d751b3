import type { Control } from "./control.ts"
import { listDatabases } from "./d1/database.store.ts"
import { liveDeployment } from "./deployments/deployment.store.ts"
import { listDomains } from "./triggers/domain.store.ts"
import { listSchedules } from "./triggers/schedule.store.ts"
import { findVersion } from "./workers/version.store.ts"
import { listWorkers } from "./workers/worker.store.ts"

/** The body of `/local/status`, without the endpoint. */
export function describeStatus({ state, plane, live, log, faults, settings }: Control) {
  const domains = listDomains(state)
  return {
    databases: listDatabases(state).map(({ id, name }) => ({
      id,
      name,
      bytes: plane.databaseSize(id),
    })),
    workers: listWorkers(state).map(({ id, name }) => ({
      id,
      name,
      hostnames: domains
        .filter((domain) => domain.worker_id === id)
        .map(({ hostname }) => hostname),
      crons: listSchedules(state, id).map(({ cron }) => cron),
      versions: (liveDeployment(state, id)?.versions ?? []).map(({ version_id, percentage }) => ({
        id: version_id,
        number: findVersion(state, version_id)?.number ?? 0,
        percentage,
        running: plane.running(version_id),
      })),
    })),
    processes: plane.processes(),
    failed: live.failed(),
    counts: log.counts(),
    faults: faults.list(),
    settings: settings.read(),
  }
}
