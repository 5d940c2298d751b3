import type { Log } from "@accounts-stack/pulumi-host/log"

import { Failure, isFailure, messageOf } from "../../base/failure.ts"
import { openDeploymentRun, overSecrets } from "../../deploy/release/deployment-run.ts"
import {
  type Deployment,
  type Deployments,
  type Split,
  allTraffic,
  moves,
  nameOf,
  openDeployments,
  sameSplit,
  withTraffic,
} from "../../deploy/release/deployments.ts"
import { promote } from "../../deploy/release/promotion.ts"
import { cutMessage, releaseMessage } from "../../deploy/release/provenance.ts"
import { type SchemaCheck, misfitOf, openSchemaCheck } from "../../deploy/release/schema-fit.ts"
import type { DeployedStack } from "../stack/deployed-stack.ts"

export type TrafficMove = {
  /** Newest first: the first one is live. */
  history: [Deployment, ...Deployment[]]
  /** What will serve in its place. */
  to: Split
}

type Site = Pick<DeployedStack, "api" | "accountId" | "worker" | "address">

/**
 * Back to what served before, a split included; of a release that did not come to its end, be it a trial at 0 %,
 * back to what served before that.
 * @param version the version that gets all traffic instead
 * @throws Failure if there is none, or if the live schema lacks what it uses
 */
export async function planRollback(site: Site, version?: string): Promise<TrafficMove> {
  const [live, ...earlier] = await deploymentsOf(site).list()
  if (live === undefined) {
    throw new Failure("COMMAND_FAILED", `${site.worker} has never been deployed.`)
  }
  const { split } = live
  // A trial and the steps of a release have all of these versions.
  const before = earlier.find(
    (one) => !split.every(({ versionId }) => includes(one.split, versionId)),
  )
  const to = version === undefined ? before && withTraffic(before.split) : allTraffic(version)
  if (to === undefined) {
    const message = `No version of ${site.worker} has served before ${nameOf(split)}. One of several is to be named.`
    throw new Failure("COMMAND_FAILED", message)
  }
  if (sameSplit(split, to)) throw new Failure("USAGE", `${nameOf(to)} serves all traffic already.`)
  for (const { versionId } of to) await expectPossible(site, split, versionId)
  return { history: [live, ...earlier], to }
}

function includes(split: Split, versionId: string): boolean {
  return split.some((part) => part.versionId === versionId)
}

/** Before anything moves. A version that does not say what it uses is left to its trial. */
async function expectPossible(site: Site, live: Split, versionId: string): Promise<void> {
  if (!includes(live, versionId) && !(await deploymentsOf(site).owns(versionId))) {
    throw new Failure("USAGE", `${site.worker} has no version ${versionId}. See: release list.`)
  }
  const fit = await checkOf(site)(versionId)
  if (fit.fits !== false) return
  throw new Failure("COMMAND_FAILED", `${versionId} does not fit the schema: ${fit.reason}.`)
}

/**
 * Tries what is to serve at the traffic that it has, as a release does: its health, and whether the
 * schema of now fits it. Then gives it the traffic.
 * @throws Error with what serves; what was done is undone
 */
export async function moveTraffic(
  site: Site,
  { history, to }: TrafficMove,
  options: {
    /** Milliseconds for a version to become healthy. */
    patience: number
    /** Also where secrets have changed since a version served: its own values serve then. */
    force?: boolean
    log: Log
    signal: AbortSignal
  },
): Promise<Deployment> {
  const { worker: scriptName, address } = site
  const [live] = history
  const deployments = deploymentsOf(site)
  const message = cutMessage(
    `${moves.rollback} ${nameOf(live.split)}, at ${await releaseMessage()}`,
  )
  const { log, force = false, ...trial } = options
  const onFormerSecrets = (names: string) =>
    log.warn(`secrets have former values again, those of ${nameOf(to)}: ${names}`)
  const run = openDeploymentRun({
    deployments,
    start: live,
    message,
    ...(force && { onFormerSecrets }),
  })
  const others = withTraffic(live.split).filter(({ versionId }) => !includes(to, versionId))
  const unfit = await misfitOf({ check: checkOf(site), split: others, log })
  const place = { deployments, run, scriptName, address, log }
  const moved = promote({ ...place, ...trial, to, history, steps: [100], unfit })
  return await moved.catch(refuseSecrets)
}

function refuseSecrets(error: unknown): never {
  const causes = [error, error instanceof Error ? error.cause : undefined]
  const isOverSecrets = causes.some(
    (cause) => isFailure(cause, "API_FAILED") && overSecrets.test(cause.message),
  )
  if (!isOverSecrets) throw error
  const way = "To go back to the secrets of then as well: --force"
  throw new Failure("COMMAND_FAILED", `${messageOf(error)} ${way}`, { cause: error })
}

function deploymentsOf({ api, accountId, worker }: Site): Deployments {
  return openDeployments({ api, accountId, scriptName: worker })
}

function checkOf({ api, accountId, worker }: Site): SchemaCheck {
  return openSchemaCheck({ api, accountId, scriptName: worker })
}
