import { messageOf } from "../../failure.ts"
import type { Log } from "../protocol/log.ts"
import { type Deployment, type Deployments, describeSplit } from "./deployments.ts"
import { type HealthCheck, type Limits, awaitHealth } from "./health.ts"
import type { ServiceAddress, SmokeTest } from "./shared-inputs.ts"
import { trySignIn } from "./sign-in-trial.ts"

export type Promotion = {
  deployments: Deployments
  scriptName: string
  versionId: string
  /** The deployment that is live before the promotion. */
  live: Deployment
  /** The version that gets all of the traffic again if anything fails. */
  previous: string
  /** Rising percentages, the last of them 100. */
  steps: number[]
  address: ServiceAddress
  /** Without it the version gets traffic without a trial sign-in. */
  smoke: SmokeTest | undefined
  limits: Limits
  message: string
  log: Log
  signal: AbortSignal
}

/** Several, because one answer speaks for only one of the edge's machines. */
const confirmations = 3

/**
 * Tries a version at 0 % of the traffic by the override header, then moves the traffic to it step by
 * step. When this throws, it has restored `previous`, or the error says that it could not.
 */
export async function promote(promotion: Promotion): Promise<Deployment> {
  const { versionId } = promotion
  try {
    const live = await moveTraffic(promotion)
    await confirmLive(promotion)
    promotion.log.info(`version ${versionId} serves 100 %`)
    return live
  } catch (error) {
    const after = await restore(promotion)
    throw new Error(`version ${versionId} was not released: ${messageOf(error)}. ${after}`, {
      cause: error,
    })
  }
}

async function moveTraffic(promotion: Promotion): Promise<Deployment> {
  const { deployments, versionId, live, previous, steps, message, log } = promotion
  const alone = [{ versionId, percentage: 100 }]
  // An earlier run was interrupted between the last step and its confirmation.
  if (describeSplit(live.split) === describeSplit(alone)) return live

  const known = live.split.some((part) => part.versionId === versionId)
  for (const percentage of [0, ...steps.slice(0, -1)]) {
    const rest = { versionId: previous, percentage: 100 - percentage }
    // The trial only needs the version in the deployment, at any share an interrupted run left.
    if (percentage > 0 || !known) {
      await deployments.deploy([rest, { versionId, percentage }], message)
    }
    await awaitHealth({ ...healthCheckOf(promotion), override: promotion })
    log.info(`version ${versionId} is healthy at ${percentage} %`)
    if (percentage === 0) {
      await trySignIn({ ...promotion, override: promotion, expected: versionId })
    }
  }
  return deployments.deploy(alone, message)
}

async function confirmLive(promotion: Promotion): Promise<void> {
  for (let confirmed = 0; confirmed < confirmations; confirmed += 1) {
    await awaitHealth(healthCheckOf(promotion))
  }
}

function healthCheckOf({ versionId, address, limits, signal, log }: Promotion): HealthCheck {
  const onWait = (problem: string) => log.info(`not yet: ${problem}`)
  return { address, expected: versionId, limits, signal, onWait }
}

/** Returns a sentence on what is live now, which the reader of the error wants to know first. */
async function restore(promotion: Promotion): Promise<string> {
  const { deployments, previous, versionId, address } = promotion
  const before = [{ versionId: previous, percentage: 100 }]
  try {
    const now = await deployments.live()
    if (describeSplit(now?.split ?? []) !== describeSplit(before)) {
      await deployments.deploy(before, `restored after ${versionId} failed`)
    }
  } catch (error) {
    return (
      `Restoring version ${previous} failed, too: ${messageOf(error)}. ` +
      `Deploy it with wrangler versions deploy or in the dashboard.`
    )
  }
  // Not the engine's signal: a cancelled release still has to find out what is live.
  const { signal } = new AbortController()
  const limits = { total: 5000, request: 5000, pause: 500 }
  const answers = await awaitHealth({ address, expected: previous, limits, signal }).then(
    () => "and is healthy",
    (error: unknown) => `but is not healthy: ${messageOf(error)}`,
  )
  return `Version ${previous} serves again at 100 % ${answers}.`
}
