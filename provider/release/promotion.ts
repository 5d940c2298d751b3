import type { Log } from "../protocol/log.ts"
import { type Deployment, type Deployments, describe } from "./deployments.ts"
import { type Limits, type Question, awaitHealth } from "./health.ts"
import type { Smoke } from "./inputs.ts"
import type { Place } from "./service-request.ts"
import { trySignIn } from "./sign-in-trial.ts"

export type Promotion = {
  deployments: Deployments
  scriptName: string
  versionId: string
  /** What is live now. */
  live: Deployment
  /** The version that is live again, alone, if anything fails. */
  previous: string
  /** Rising percentages, the last of them 100. */
  steps: number[]
  place: Place
  /** With it, signing in is tried before there is traffic. */
  smoke: Smoke | undefined
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
  const alone = [{ versionId, percentage: 100 }]
  // An earlier run was interrupted between the last step and its confirmation.
  if (describe(live.split) === describe(alone)) return live

  const known = live.split.some((part) => part.versionId === versionId)
  for (const percentage of [0, ...steps.slice(0, -1)]) {
    const rest = { versionId: previous, percentage: 100 - percentage }
    // At 0 % it only has to be there, whatever share an interrupted run left it with.
    if (percentage > 0 || !known) {
      await deployments.deploy([rest, { versionId, percentage }], message)
    }
    await awaitHealth({ ...questionOf(promotion), override: promotion })
    log.info(`version ${versionId} is well at ${percentage} %`)
    if (percentage === 0) {
      await trySignIn({ ...promotion, override: promotion, expected: versionId })
    }
  }
  return deployments.deploy(alone, message)
}

async function confirmLive(promotion: Promotion): Promise<void> {
  for (let confirmed = 0; confirmed < confirmations; confirmed += 1) {
    await awaitHealth(questionOf(promotion))
  }
}

function questionOf({ versionId, place, limits, signal, log }: Promotion): Question {
  const onWait = (problem: string) => log.info(`not yet: ${problem}`)
  return { place, expected: versionId, limits, signal, onWait }
}

/** Says what is live in the end: the first thing that whoever reads the error asks. */
async function restore(promotion: Promotion): Promise<string> {
  const { deployments, previous, versionId, place } = promotion
  const before = [{ versionId: previous, percentage: 100 }]
  try {
    const now = await deployments.live()
    if (describe(now?.split ?? []) !== describe(before)) {
      await deployments.deploy(before, `restored after ${versionId} failed`)
    }
  } catch (error) {
    return (
      `Bringing version ${previous} back failed too: ${reason(error)}. ` +
      `Deploy it by hand with wrangler versions deploy, or in the dashboard.`
    )
  }
  // Not the engine's signal: a cancelled release still has to say what serves.
  const { signal } = new AbortController()
  const limits = { total: 5000, request: 5000, pause: 500 }
  const answers = await awaitHealth({ place, expected: previous, limits, signal }).then(
    () => "and answers well",
    (error: unknown) => `but does not answer well: ${reason(error)}`,
  )
  return `Version ${previous} serves again at 100 % ${answers}.`
}

function reason(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
