import type { Control } from "../control.ts"
import type { Binding } from "../plane/plane.ts"
import { ApiError } from "../protocol/envelope.ts"
import { code } from "../protocol/error-code.ts"
import type { State } from "../state/state.ts"
import { copyOfVersion } from "../workers/script.ts"
import { prepareVersion } from "../workers/upload.ts"
import { insertVersion, latestVersion, type Version } from "../workers/version.store.ts"
import type { Worker } from "../workers/worker.store.ts"
import { alone, publish } from "./deploy.ts"
import { liveDeployment } from "./deployment.store.ts"

/** Deploys a copy of the newest version with other bindings, as a change of its secrets does. */
export async function deployCopy(
  control: Control,
  worker: Worker,
  { latest, bindings, source }: { latest: Version; bindings: Binding[]; source: string },
): Promise<Version> {
  const { state } = control
  const trigger = { "workers/triggered_by": "secret" }
  const upload = await copyOfVersion(control, latest, bindings)
  // That a copy keeps the others is assumed, as the merge patch of the newer route does it.
  const annotations = { ...upload.annotations, ...trigger }
  const version = await prepareVersion(control, worker, { ...upload, source, annotations })
  const plan = { versions: alone(version), source, annotations: trigger }
  publish(control, worker, plan, () => insertVersion(state, version))
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
