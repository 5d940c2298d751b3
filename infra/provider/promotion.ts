import { type Deployment, type Deployments, type Split, describe } from "./deployments.ts"
import type { Place } from "./health-request.ts"
import { type Limits, awaitHealth } from "./health.ts"
import type { Log } from "./log.ts"

export type Promotion = {
  deployments: Deployments
  scriptName: string
  versionId: string
  /** What is live now. */
  live: Deployment
  /** What is live again if anything fails. */
  previous: Split
  /** Rising percentages, the last of them 100. */
  steps: number[]
  place: Place
  limits: Limits
  message: string
  log: Log
  signal: AbortSignal
}

/** The edge is many machines: one answer from the new version is not all of them. */
const confirmations = 3

/**
 * Brings a version to all of the traffic: first to none of it, tried by the override header, then
 * step by step. Whatever fails, `previous` is live again when this throws.
 */
export async function promote(promotion: Promotion): Promise<Deployment> {
  const { versionId } = promotion
  try {
    const live = await walk(promotion)
    await confirmLive(promotion)
    promotion.log.info(`version ${versionId} serves 100 %`)
    return live
  } catch (error) {
    const after = await restore(promotion)
    throw new Error(`version ${versionId} was not released: ${reason(error)}. ${after}`, {
      cause: error,
    })
  }
}

async function walk(promotion: Promotion): Promise<Deployment> {
  const { deployments, versionId, live, previous, steps, message, log } = promotion
  const alone: Split = [{ versionId, percentage: 100 }]
  // An earlier run was interrupted between the last step and its confirmation.
  if (describe(live.split) === describe(alone)) return live

  const known = live.split.some((part) => part.versionId === versionId)
  if (!known) await deployments.deploy([...previous, { versionId, percentage: 0 }], message)
  await tryOut(promotion)
  log.info(`version ${versionId} is well at 0 %`)
  for (const percentage of steps.slice(0, -1)) {
    const rest = previous.map((part) => ({
      versionId: part.versionId,
      percentage: 100 - percentage,
    }))
    await deployments.deploy([...rest, { versionId, percentage }], message)
    await tryOut(promotion)
    log.info(`version ${versionId} is well at ${percentage} %`)
  }
  return deployments.deploy(alone, message)
}

async function tryOut(promotion: Promotion): Promise<void> {
  const { scriptName, versionId, place, limits, signal } = promotion
  const override = { scriptName, versionId }
  await awaitHealth({ place, override, expected: versionId, limits, signal })
}

async function confirmLive({ versionId, place, limits, signal }: Promotion): Promise<void> {
  for (let confirmed = 0; confirmed < confirmations; confirmed += 1) {
    await awaitHealth({ place, expected: versionId, limits, signal })
  }
}

/** Says what is live in the end, which is the first thing that whoever reads the error asks. */
async function restore(promotion: Promotion): Promise<string> {
  const { deployments, previous, versionId, place } = promotion
  const before = describe(previous)
  try {
    await deployments.deploy(previous, `restored after ${versionId} failed`.slice(0, 100))
  } catch (error) {
    return (
      `Restoring the previous deployment (${before}) failed too: ${reason(error)}. ` +
      `Deploy it by hand: wrangler versions deploy, or the dashboard`
    )
  }
  const [only] = previous
  if (only === undefined) return "Nothing was live before"
  // Not the engine's signal: a cancelled release still has to say what serves.
  const { signal } = new AbortController()
  const limits = { total: 10_000, request: 5000, pause: 500 }
  const answers = await awaitHealth({ place, expected: only.versionId, limits, signal }).then(
    () => "and answers well",
    (error: unknown) => `but: ${reason(error)}`,
  )
  return `The previous deployment (${before}) is live again ${answers}`
}

function reason(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
