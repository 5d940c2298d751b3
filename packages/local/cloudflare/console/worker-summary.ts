import type { Control } from "../control.ts"
import { findDatabase } from "../d1/database.store.ts"
import { type Deployment, listDeployments } from "../deployments/deployment.store.ts"
import { listDomains } from "../triggers/domain.store.ts"
import { listRoutes } from "../triggers/route.store.ts"
import { listSchedules } from "../triggers/schedule.store.ts"
import { withoutSecret } from "../workers/binding.ts"
import { listVersions, type Version } from "../workers/version.store.ts"
import { listWorkers } from "../workers/worker.store.ts"

/** Versions and deployments of a Worker: every deployed edit adds one of each. */
const listLimit = 50

/** Workers with their versions and deployments. Bindings to secrets have no value. */
export function summarizeWorkers({ state, plane, live }: Control) {
  return listWorkers(state).map((worker) => {
    const deployments = listDeployments(state, worker.id)
    const [current] = deployments
    const versions = listVersions(state, worker.id)
    const share = (id: string) =>
      current?.versions.find(({ version_id }) => version_id === id)?.percentage ?? null
    const listed = versions.filter(({ id }, index) => index < listLimit || share(id) !== null)
    return {
      id: worker.id,
      name: worker.name,
      createdOn: worker.created_on,
      tags: worker.settings.tags,
      hostnames: listDomains(state)
        .filter(({ worker_id }) => worker_id === worker.id)
        .map(({ hostname }) => hostname),
      routes: listRoutes(state)
        .filter(({ worker_id }) => worker_id === worker.id)
        .map(({ pattern }) => pattern),
      crons: listSchedules(state, worker.id).map(({ cron }) => cron),
      versionCount: versions.length,
      versions: listed.map((version) =>
        Object.assign(describeVersion(version), {
          percentage: share(version.id),
          running: plane.running(version.id),
          failure: live.failed().find(({ versionId }) => versionId === version.id)?.message ?? null,
          bindings: version.bindings.map((binding) => describeBinding(binding)),
        }),
      ),
      deployments: deployments.slice(0, listLimit).map((one) => describeDeployment(one)),
    }
  })

  function describeBinding(binding: Version["bindings"][number]) {
    const { name, type, ...rest } = withoutSecret(binding)
    return { name, type, value: valueOf(type, rest) }
  }

  /** A readable value; null for a secret. */
  function valueOf(type: string, rest: Record<string, unknown>): string | null {
    if (type === "d1") {
      const id = String(rest["database_id"] ?? rest["id"])
      return findDatabase(state, id)?.name ?? id
    }
    if (type === "plain_text") return String(rest["text"])
    return Object.keys(rest).length === 0 ? null : JSON.stringify(rest["json"] ?? rest)
  }
}

function describeDeployment({ id, created_on, source, annotations, versions }: Deployment) {
  return {
    id,
    createdOn: created_on,
    source,
    message: annotations["workers/message"] ?? "",
    versions: versions.map(({ version_id, percentage }) => ({ id: version_id, percentage })),
  }
}

function describeVersion(version: Version) {
  return {
    id: version.id,
    number: version.number,
    createdOn: version.created_on,
    source: version.source,
    tag: version.annotations["workers/tag"] ?? "",
    message: version.annotations["workers/message"] ?? "",
    startupMilliseconds: version.startup_time_ms,
    compatibilityDate: version.compatibility_date,
    compatibilityFlags: version.compatibility_flags,
    modules: version.modules.map(({ name }) => name),
  }
}
