import { setTimeout as delay } from "node:timers/promises"

import { messageOf } from "../../failure.ts"
import type { Log } from "../protocol/log.ts"
import { type DeploymentRun, foreignTo } from "./deployment-run.ts"
import {
  type Deployment,
  type Deployments,
  describeDeployment,
  describeSplit,
  sameSplit,
  withTraffic,
} from "./deployments.ts"
import { awaitHealth, type HealthCheck } from "./health.ts"
import type { ServiceAddress, SmokeTest } from "./shared-inputs.ts"
import { trySignIn } from "./sign-in-trial.ts"

type Trial = {
  deployments: Deployments
  run: DeploymentRun
  scriptName: string
  versionId: string
  /** The deployment that is live before the promotion. */
  live: Deployment
  /** Rising percentages, the last of them 100. */
  steps: number[]
  /** Seconds for which it must stay healthy at each of them but the last. */
  bake?: number | undefined
  address: ServiceAddress
  /** Without it the version gets traffic without a trial sign-in. */
  smoke?: SmokeTest | undefined
  /** Milliseconds for a deployment to reach every machine and to prove itself there. */
  patience: number
  log: Log
  signal: AbortSignal
}

type Promotion = Trial & {
  /** The version that gets all of the traffic again if anything fails. */
  previous: string
  /** Why that version cannot work with the schema; undefined where it can, or where nobody knows. */
  unfit: string | undefined
}

/** Several, because one answer speaks for only one of the edge's machines. */
const confirmations = 3
/** Milliseconds to find out whether a restored version answers. */
const restoredPatience = 5000

/**
 * Tries a version at 0 % of the traffic by the override header, then moves the traffic to it step by
 * step. When this throws, it has undone what it did, and the error says what serves.
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

/** Tries the version that serves alone. When this throws, nothing has changed, and the error says what serves. */
export async function confirmAlone(trial: Trial): Promise<Deployment> {
  const { run, versionId, live } = trial
  try {
    await tryVersion(trial, 100)
    await confirmLive(trial)
    return live
  } catch (error) {
    const foreign = await run.foreign().catch(() => undefined)
    const serves =
      foreign === undefined
        ? "It serves 100 %, and no version from before is known that could be restored."
        : staysSentence(foreign)
    throw new Error(`version ${versionId} was not confirmed: ${messageOf(error)}. ${serves}`, {
      cause: error,
    })
  }
}

async function moveTraffic(promotion: Promotion): Promise<Deployment> {
  const { run, versionId, live, previous, steps, log } = promotion
  const alone = [{ versionId, percentage: 100 }]
  // An earlier run was interrupted between the last step and its confirmation.
  if (sameSplit(live.split, alone)) {
    await tryVersion(promotion, 100)
    return live
  }
  const known = live.split.some((part) => part.versionId === versionId)
  for (const percentage of [0, ...steps.slice(0, -1)]) {
    const rest = { versionId: previous, percentage: 100 - percentage }
    // The trial only needs the version in the deployment, at any share an interrupted run left.
    if (percentage > 0 || !known) await run.deploy([rest, { versionId, percentage }])
    await tryVersion(promotion, percentage)
    if (percentage > 0) await bake(promotion)
    log.info(`version ${versionId} is healthy at ${percentage} %`)
  }
  return run.deploy(alone)
}

/** Signs in once, where the version has no traffic yet; its health is asked for at every step. */
async function tryVersion(trial: Trial, percentage: number): Promise<void> {
  const { versionId, patience } = trial
  const deadline = Date.now() + patience
  const check = healthCheckOf(trial, deadline)
  await awaitHealth({ ...check, override: trial, schema: true })
  if (percentage > 0 && percentage < 100) return
  // Waits for Cloudflare's API may have outlasted the first deadline.
  const signInDeadline = Date.now() + patience
  await trySignIn({ ...trial, override: trial, expected: versionId, deadline: signInDeadline })
}

/** Milliseconds between two looks at a version that bakes. */
const bakingPause = 2000

/** Looks again and again: what breaks under traffic seldom does so at its first request. */
async function bake(promotion: Promotion): Promise<void> {
  const until = Date.now() + (promotion.bake ?? 0) * 1000
  while (Date.now() < until) {
    await delay(Math.min(bakingPause, until - Date.now()), undefined, { signal: promotion.signal })
    const check = healthCheckOf(promotion, Date.now() + promotion.patience)
    await awaitHealth({ ...check, override: promotion, schema: true })
    await refuseForeign(promotion)
  }
}

async function confirmLive(trial: Trial): Promise<void> {
  const deadline = Date.now() + trial.patience
  for (let confirmed = 0; confirmed < confirmations; confirmed += 1) {
    await awaitHealth(healthCheckOf(trial, deadline))
  }
  await refuseForeign(trial)
}

function healthCheckOf(trial: Trial, deadline: number): HealthCheck {
  const { versionId, address, signal, log, deployments } = trial
  return {
    address,
    expected: [versionId],
    deadline,
    signal,
    onWait: (problem) => log.info(`not yet: ${problem}`),
    watch: () => refuseForeign(trial),
    owns: (id) => deployments.owns(id),
  }
}

/** A release that waits for a version that somebody replaced would wait in vain. */
async function refuseForeign({ run }: Trial): Promise<void> {
  const foreign = await run.foreign()
  if (foreign !== undefined) throw foreignTo(foreign)
}

/** Returns a sentence on what is live now, which the reader of the error wants to know first. */
async function restore(promotion: Promotion): Promise<string> {
  const { deployments, run, previous, unfit, versionId, address } = promotion
  const before = [{ versionId: previous, percentage: 100 }]
  let changed = ""
  try {
    await run.giveBack()
    const foreign = await run.foreign()
    if (foreign !== undefined) return staysSentence(foreign)
    const now = await deployments.live()
    const hasTraffic = withTraffic(now?.split ?? []).some((part) => part.versionId === versionId)
    if (unfit !== undefined && hasTraffic) {
      return `Version ${previous} was not restored, because it does not fit the schema: ${unfit}. Live is ${describeSplit(now?.split ?? [])}.`
    }
    if (!sameSplit(now?.split ?? [], before)) {
      changed = await run.restore(before, `restored after ${versionId} failed`)
    }
  } catch (error) {
    const foreign = await run.foreign().catch(() => undefined)
    if (foreign !== undefined) return staysSentence(foreign)
    return (
      `Putting that right failed, too: ${messageOf(error)}. When last seen, ` +
      `${describeSplit(run.seen()?.split ?? [])} was live. Run again once that is solved, or deploy what ` +
      `should serve with wrangler versions deploy or in the dashboard.`
    )
  }
  // Not the engine's signal: a cancelled release still has to find out what is live.
  const { signal } = new AbortController()
  const deadline = Date.now() + restoredPatience
  const answers = await awaitHealth({ address, expected: [previous], deadline, signal }).then(
    () => "and is healthy",
    (error: unknown) => `but is not healthy: ${messageOf(error)}`,
  )
  return `Version ${previous} serves again at 100 % ${answers}.${changed}`
}

function staysSentence(foreign: Deployment): string {
  return `That deployment is not this run's, so it stays: live is ${describeDeployment(foreign)}.`
}
