import { randomUUID } from "node:crypto"

import * as z from "zod"

import type { Control } from "../control.ts"
import { ApiError } from "../protocol/envelope.ts"
import { code } from "../protocol/error-code.ts"
import { definedOnly } from "../workers/upload.ts"
import { requireDeployable, requireVersion } from "../workers/version.store.ts"
import type { Worker } from "../workers/worker.store.ts"
import { refuseChangedSecrets } from "./changed-secrets.ts"
import { type Deployment, insertDeployment } from "./deployment.store.ts"

export const Shares = z
  .array(z.strictObject({ version_id: z.uuid(), percentage: z.number().min(0).max(100) }))
  .min(1)
  .max(2)

export type Plan = {
  versions: z.infer<typeof Shares>
  source: string
  annotations: Record<string, string | undefined>
  /** Gives an earlier version its traffic back although a secret has changed since. */
  force?: boolean
}

/** Boots the versions first, so that traffic never reaches one that does not run. */
export async function deploy(control: Control, worker: Worker, plan: Plan): Promise<Deployment> {
  checkShares(plan.versions)
  for (const { version_id } of plan.versions) requireDeployable(control.state, worker, version_id)
  if (plan.force !== true) refuseChangedSecrets(control.state, worker, plan.versions)
  for (const { version_id } of plan.versions) {
    await control.live.start(requireVersion(control.state, worker, version_id), worker.name)
  }
  return publish(control, worker, plan)
}

/** All traffic to one version. */
export function alone({ id }: { id: string }): Plan["versions"] {
  return [{ version_id: id, percentage: 100 }]
}

/** Switches traffic, once the deployment is stored together with what `store` stores, and logs it. */
export function publish(
  { state, live, log }: Control,
  worker: Worker,
  { versions, source, annotations }: Plan,
  store = () => {},
): Deployment {
  const deployment = {
    id: randomUUID(),
    worker_id: worker.id,
    created_on: new Date().toISOString(),
    source,
    annotations: definedOnly({ "workers/triggered_by": "deployment", ...annotations }),
    versions,
  }
  state.transaction(() => {
    store()
    insertDeployment(state, deployment)
  })
  live.refresh()
  log.record({ event: "deployment", script: worker.name, deploymentId: deployment.id, versions })
  return deployment
}

function checkShares(versions: Plan["versions"]) {
  const [first, second] = versions
  if (first?.version_id === second?.version_id) {
    throw new ApiError(400, code.badPercentages, "A deployment must name each version once")
  }
  // wrangler refuses other sums itself (versions deploy). Hundredths of a percent, because 33.4 + 66.6 is not 100 in floating point.
  const hundredths = versions.reduce((sum, { percentage }) => sum + Math.round(percentage * 100), 0)
  if (hundredths === 10_000) return
  throw new ApiError(
    400,
    code.badPercentages,
    `The percentages of a deployment must add up to 100, not ${hundredths / 100}`,
  )
}
