import { listDnsRecords } from "../account/dns-record.store.ts"
import type { Control } from "../control.ts"
import { account, zones } from "../seed.ts"
import { nextRun } from "../triggers/crons.ts"
import { listDomains } from "../triggers/domain.store.ts"
import { listRoutes } from "../triggers/route.store.ts"
import { listSchedules } from "../triggers/schedule.store.ts"
import { listWorkers } from "../workers/worker.store.ts"

export function summarizeTriggers({ state }: Control) {
  const workers = listWorkers(state)
  const zoneName = (id: string) => zones.find((zone) => zone.id === id)?.name ?? id
  return {
    zones: zones.map(({ name }) => name),
    domains: listDomains(state).map(({ hostname, zone_id, service }) => ({
      hostname,
      zone: zoneName(zone_id),
      script: service,
    })),
    routes: listRoutes(state).map(({ pattern, zone_id, script }) => ({
      pattern,
      zone: zoneName(zone_id),
      script,
    })),
    records: zones.flatMap(({ id, name: zone }) =>
      listDnsRecords(state, id).map(({ name, type, content, proxied, worker }) => ({
        name,
        zone,
        type,
        content,
        proxied,
        script: worker,
      })),
    ),
    subdomains: workers
      .filter(({ settings }) => settings.subdomain.enabled)
      .map(({ name }) => ({
        hostname: `${name}.${account.workersDevelopmentSubdomain}.workers.dev`,
        script: name,
      })),
    crons: workers.flatMap(({ id, name }) =>
      listSchedules(state, id).map(({ cron }) => ({ cron, script: name, next: nextRun(cron) })),
    ),
  }
}
