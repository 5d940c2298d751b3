import type { Control } from "../control.ts"
import { ApiError } from "../protocol/envelope.ts"
import { code } from "../protocol/error-code.ts"
import type { State } from "../state/state.ts"
import { copyOfVersion } from "../workers/script.ts"
import { prepareVersion, type Upload } from "../workers/upload.ts"
import { insertVersion, latestVersion, type Version } from "../workers/version.store.ts"
import type { Worker } from "../workers/worker.store.ts"
import { alone, publish } from "./deploy.ts"
import { liveDeployment } from "./deployment.store.ts"

type ChangedVersion = {
  /** Replaces these fields of `latest`. */
  changes: Partial<Upload>
  latest: Version
  source: string
  /** Value of the annotation `workers/triggered_by`. */
  trigger: string
}

/** Deploys a copy of the newest version with some changes. */
export async function deployChanges(
  control: Control,
  worker: Worker,
  { changes, latest, source, trigger }: ChangedVersion,
): Promise<Version> {
  const { state } = control
  const upload = await copyOfVersion(control, latest, changes.bindings ?? latest.bindings)
  const version = await prepareVersion(control, worker, {
    ...upload,
    ...changes,
    // That a copy keeps the others is assumed, as the merge patch of the newer route does it.
    annotations: { ...upload.annotations, ...changes.annotations, "workers/triggered_by": trigger },
  })
  const annotations = { "workers/triggered_by": trigger }
  publish(control, worker, { versions: alone(version), source, annotations }, () =>
    insertVersion(state, version),
  )
  return version
}

/**
 * Returns the newest version if it has all traffic: a copy of it is deployed, which must not deploy
 * code that is still waiting to be deployed.
 * @throws ApiError 10215, with a message that starts with `refusal`
 */
export function requireLatestDeployed(state: State, worker: Worker, refusal: string): Version {
  const latest = latestVersion(state, worker.id)
  const live = liveDeployment(state, worker.id)?.versions ?? []
  if (latest !== undefined && live.length === 1 && live[0]?.version_id === latest.id) return latest
  const message = `${refusal}, but the latest version of your Worker isn't currently deployed.`
  throw new ApiError(400, code.latestNotDeployed, message)
}
