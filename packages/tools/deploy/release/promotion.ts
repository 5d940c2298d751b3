import { setTimeout as delay } from "node:timers/promises"

import type { Log } from "@accounts-stack/pulumi-host/log"
import type * as z from "zod"

import { messageOf } from "../../base/failure.ts"
import type { DeploymentRun } from "./deployment-run.ts"
import {
  type Deployment,
  type Deployments,
  type Split,
  describeDeployment,
  describeSplit,
  failureMessage,
  nameOf,
  sameSplit,
  shareOf,
  splitWith,
  withTraffic,
} from "./deployments.ts"
import { awaitHealth, type HealthCheck } from "./health.ts"
import { cutMessage } from "./provenance.ts"
import type { ServiceAddress, SmokeTest } from "./service-request.ts"
import { trySignIn } from "./sign-in-trial.ts"
import { type Traffic, type TrafficLimits, watchTraffic } from "./traffic.ts"

type Promotion = {
  deployments: Deployments
  run: DeploymentRun
  scriptName: string
  /** The split to serve: one version with all traffic, or an earlier split. */
  to: Split
  /** The deployments so far, newest first. The first is live, and a failure restores it. */
  history: [Deployment, ...Deployment[]]
  /** Rising percentages of the traffic; the last is 100. */
  steps: number[]
  /** Seconds for which a version must stay healthy at each step except the last. */
  bake?: number | undefined
  /** If undefined, only health checks judge a version during a step. */
  limits?: z.infer<typeof TrafficLimits> | undefined
  traffic?: Traffic
  address: ServiceAddress
  /** If undefined, a version gets traffic without a trial sign-in. */
  smoke?: SmokeTest | undefined
  /** Milliseconds for a deployment to reach every machine and become healthy. */
  patience: number
  /** Message of the deployment that restores the live split; by default, that a release failed. */
  undone?: string
  /**
   * The reason why the live split cannot be restored; undefined if it fits the schema, or if that is
   * unknown.
   */
  unfit: string | undefined
  log: Log
  signal: AbortSignal
}

/** Several, because each response comes from only one machine of the edge. */
const confirmations = 3
/** Milliseconds to wait until the restored version is healthy. */
const restoredPatience = 5000

/**
 * Tries each version with the override header, then moves the traffic to it step by step. On failure,
 * restores the previous split if possible, and throws an error that says what is live.
 */
export async function promote(promotion: Promotion): Promise<Deployment> {
  const { to, log } = promotion
  const versionText = to.length === 1 ? `version ${nameOf(to)}` : nameOf(to)
  try {
    const live = await moveTraffic(promotion)
    await confirmLive(promotion)
    log.info(to.length === 1 ? `${versionText} serves 100 %` : `${versionText} serve`)
    return live
  } catch (error) {
    const after = await restore(promotion, messageOf(error))
    throw new Error(`${versionText} was not released: ${messageOf(error)}. ${after}`, {
      cause: error,
    })
  }
}

async function moveTraffic(promotion: Promotion): Promise<Deployment> {
  const { run, to, history, steps, log } = promotion
  const [deployment] = history
  let live = deployment
  const deploy = async (split: Split) => {
    if (!sameSplit(live.split, split)) live = await run.deploy(split)
  }
  for (const { versionId } of to) {
    const isDeployed = live.split.some((part) => part.versionId === versionId)
    if (!isDeployed) await deploy(splitWith({ versionId, percentage: 0 }, history))
    await tryVersion(promotion, versionId)
    const reached = shareOf(deployment.split, versionId)
    log.info(`version ${versionId} is healthy at ${reached} %`)
    for (const percentage of steps.slice(0, -1).filter((step) => step >= reached)) {
      await deploy(splitWith({ versionId, percentage }, history))
      await bake(promotion, { versionId, percentage, live })
      log.info(`version ${versionId} is healthy at ${percentage} %`)
    }
  }
  await deploy(to)
  return live
}

async function tryVersion(promotion: Promotion, versionId: string): Promise<void> {
  const { scriptName, patience } = promotion
  await awaitHealthUnder(promotion, versionId)
  // Waits for Cloudflare's API may have outlasted the first deadline.
  const deadline = Date.now() + patience
  const override = { scriptName, versionId }
  await trySignIn({ ...promotion, override, expected: versionId, deadline })
}

/** Milliseconds between two health checks during a step. */
const bakingPause = 2000
/** Milliseconds between two progress messages: a longer silence would look like an outage. */
const longestSilence = 30_000

/** Checks repeatedly: a failure under traffic rarely shows at the first request. */
async function bake(promotion: Promotion, step: BakingStep): Promise<void> {
  const { versionId, percentage } = step
  const length = (promotion.bake ?? 0) * 1000
  const until = Date.now() + length
  let next = Date.now() + Math.min(longestSilence, length / 2)
  const watch = watchStep(promotion, step)
  await awaitHealthUnder(promotion, versionId)
  while (Date.now() < until) {
    await delay(Math.min(bakingPause, until - Date.now()), undefined, { signal: promotion.signal })
    await awaitHealthUnder(promotion, versionId)
    await promotion.run.refuseExternal()
    await watch?.look()
    const remainingSeconds = Math.ceil((until - Date.now()) / 1000)
    if (remainingSeconds <= 0 || Date.now() < next) continue
    promotion.log.info(
      `version ${versionId} is healthy, and stays at ${percentage} % for ${remainingSeconds} s more`,
    )
    next = Date.now() + longestSilence
  }
  if (watch === undefined) return
  const { seen, unjudged } = await watch.conclude()
  const text = `${unjudged ? "not judged" : "judged"} by its traffic at ${percentage} %: ${seen}`
  if (unjudged && promotion.limits?.requests !== 0) throw new Error(`it was ${text}`)
  promotion.log[unjudged ? "warn" : "info"](`version ${versionId} was ${text}`)
}

type BakingStep = { versionId: string; percentage: number; live: Deployment }

function watchStep(promotion: Promotion, { versionId, percentage, live }: BakingStep) {
  const { limits, traffic, bake: seconds = 0 } = promotion
  const otherVersionId = live.split.find((part) => part.versionId !== versionId)?.versionId
  if (limits === undefined || traffic === undefined || otherVersionId === undefined) {
    return undefined
  }
  const from = Date.parse(live.at) || Date.now()
  return watchTraffic({
    traffic,
    limits,
    versionId,
    percentage,
    other: otherVersionId,
    from,
    bake: seconds,
  })
}

async function awaitHealthUnder(promotion: Promotion, versionId: string): Promise<void> {
  const { scriptName, patience } = promotion
  const check = healthCheckOf(promotion, [versionId], Date.now() + patience)
  await awaitHealth({ ...check, override: { scriptName, versionId }, schema: true })
}

async function confirmLive(promotion: Promotion): Promise<void> {
  const deadline = Date.now() + promotion.patience
  const expected = promotion.to.map(({ versionId }) => versionId)
  for (let confirmed = 0; confirmed < confirmations; confirmed += 1) {
    await awaitHealth(healthCheckOf(promotion, expected, deadline))
  }
  await promotion.run.refuseExternal()
}

function healthCheckOf(promotion: Promotion, expected: string[], deadline: number): HealthCheck {
  const { address, signal, log, deployments, run } = promotion
  return {
    address,
    expected,
    deadline,
    signal,
    onWait: (problem) => log.info(`not yet: ${problem}`),
    // Stops waiting after another client has replaced the version.
    watch: () => run.refuseExternal(),
    owns: (id) => deployments.owns(id),
  }
}

/** Restores the previous split if possible. Returns a sentence about what is live, for the error. */
async function restore(
  { run, to, history, unfit, address, undone }: Promotion,
  reason: string,
): Promise<string> {
  const [deployment] = history
  let changed = ""
  try {
    await run.giveBack()
    const foreign = await run.external()
    if (foreign !== undefined) return staysSentence(foreign)
    const now = run.seen?.split ?? []
    if (sameSplit(now, deployment.split)) {
      const back = nameOf(now) === nameOf(to) ? " ./accounts release rollback leads back." : ""
      return `Nothing was changed: live is ${describeDeployment(deployment)}.${back}`
    }
    const gained = to.some(
      (part) => shareOf(now, part.versionId) > shareOf(deployment.split, part.versionId),
    )
    if (unfit !== undefined && gained) {
      return `What served before was not restored: ${unfit}. Live is ${describeSplit(now)}.`
    }
    const message = undone ?? failureMessage(nameOf(to), reason)
    changed = await run.restore(deployment.split, cutMessage(message))
  } catch (error) {
    const foreign = await run.external().catch(() => undefined)
    if (foreign !== undefined) return staysSentence(foreign)
    return (
      `Putting that right failed, too: ${messageOf(error)}. When last seen, ` +
      `${describeSplit(run.seen?.split ?? [])} was live. Run again once that is solved, or deploy what ` +
      `should serve with wrangler versions deploy or in the dashboard.`
    )
  }
  return `${await restoredSentence(deployment.split, address)}${changed}`
}

async function restoredSentence(liveSplit: Split, address: ServiceAddress): Promise<string> {
  const expected = withTraffic(liveSplit).map(({ versionId }) => versionId)
  const alone = expected.length === 1
  const sentenceSubject = alone
    ? `Version ${nameOf(liveSplit)} serves again at 100 %`
    : `${nameOf(liveSplit)} serve again as before`
  // Ignores the engine's signal, because a cancelled release must still find out what is live.
  const { signal } = new AbortController()
  const deadline = Date.now() + restoredPatience
  return await awaitHealth({ address, expected, deadline, signal }).then(
    (id) => `${sentenceSubject}${alone ? " and" : `, and version ${id}`} is healthy.`,
    (error: unknown) =>
      `${sentenceSubject}${alone ? " but is not healthy" : ", but no answer was healthy"}: ${messageOf(error)}.`,
  )
}

function staysSentence(foreign: Deployment): string {
  return `That deployment is not this run's, so it stays: live is ${describeDeployment(foreign)}.`
}
