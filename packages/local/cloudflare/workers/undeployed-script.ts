import type { Control } from "../control.ts"
import { liveDeployment } from "../deployments/deployment.store.ts"
import { findWorker, noWorker } from "./worker.store.ts"

/**
 * A Worker without a deployment is none of the scripts, if the doubt about that is on.
 * @throws ApiError 404
 */
export function requireKnownScript({ state, settings }: Control, name: string): void {
  if (!settings.read().doubts.undeployedUnknown) return
  const worker = findWorker(state, name)
  if (worker !== undefined && liveDeployment(state, worker.id) === undefined) throw noWorker()
}
