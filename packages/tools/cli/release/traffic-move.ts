import { Failure, isFailure, messageOf } from "../../base/failure.ts"
import type { Log } from "../../provider/protocol/log.ts"
import { openDeploymentRun, overSecrets } from "../../provider/release/deployment-run.ts"
import {
  allTraffic,
  describeSplit,
  nameOf,
  openDeployments,
  sameSplit,
  withTraffic,
  type Deployment,
  type Deployments,
  type Split,
} from "../../provider/release/deployments.ts"
import { moves } from "../../provider/release/own-moves.ts"
import { promote } from "../../provider/release/promotion.ts"
import { cutMessage, releaseMessage } from "../../provider/release/provenance.ts"
import { openSchemaCheck, type SchemaCheck } from "../../provider/release/schema-check.ts"
import { misfitOf } from "../../provider/release/schema-fit-words.ts"
import type { DeployedStack } from "../stack/deployed-stack.ts"

type History = [Deployment, ...Deployment[]]

export type TrafficMove = {
  /** Newest first: the first one is live. */
  history: History
  /** What will serve in its place. */
  to: Split
  /** How the deployment's message begins. */
  why: string
  /** Without asking the service, and without the schema where that cannot be asked. */
  untried?: boolean
}

type Site = Pick<DeployedStack, "api" | "accountId" | "worker" | "address">

/**
 * Back to what served before, a split included.
 * @param version the version that gets all traffic instead
 * @throws Failure if there is none, or if the live schema lacks what it uses
 */
export async function planRollback(
  site: Site,
  version?: string,
  untried = false,
): Promise<TrafficMove> {
  const history = await historyOf(site)
  const serving = withTraffic(history[0].split)
  const before = version === undefined ? servedBefore(serving, history) : allTraffic(version)
  if (before === undefined) {
    const message = `No version of ${site.worker} has served before ${nameOf(serving)}.`
    throw new Failure("COMMAND_FAILED", message)
  }
  if (sameSplit(serving, before)) {
    throw new Failure("USAGE", `${nameOf(before)} serves all traffic already.`)
  }
  return await expectPossible(site, { history, to: before, why: moves.rollback, untried })
}

/** Back to what served before a release that did not come to its end, be it a trial at 0 %. */
export async function planCancel(site: Site): Promise<TrafficMove> {
  const { history, before } = await unfinishedOf(site)
  if (before !== undefined) {
    return await expectPossible(site, { history, to: before, why: moves.cancel })
  }
  throw new Failure(
    "COMMAND_FAILED",
    `What served before ${describeSplit(history[0].split)} cannot be told: name the version that is to serve, with release finish.`,
  )
}

/**
 * On to the version for which the traffic was split.
 * @param version the one of the two that gets all traffic
 */
export async function planFinish(site: Site, version?: string): Promise<TrafficMove> {
  const { history, before } = await unfinishedOf(site)
  const { split } = history[0]
  const wanted = split.filter(({ versionId }) =>
    version === undefined
      ? before !== undefined && !includes(before, versionId)
      : versionId === version,
  )
  const [newcomer, ...more] = wanted
  if (newcomer !== undefined && more.length === 0) {
    const to = allTraffic(newcomer.versionId)
    return await expectPossible(site, { history, to, why: moves.finish })
  }
  const problem =
    version === undefined
      ? "Which of two versions is the new one cannot be told: name it"
      : `${version} is none of the versions that are deployed`
  throw new Failure("USAGE", `${problem}. Live is ${describeSplit(split)}.`)
}

async function unfinishedOf(site: Site): Promise<{ history: History; before: Split | undefined }> {
  const history = await historyOf(site)
  const { split } = history[0]
  if (split.length > 1) return { history, before: servedBefore(split, history) }
  const message = `No release of ${site.worker} is under way: ${nameOf(split)} serves alone.`
  throw new Failure("COMMAND_FAILED", message)
}

async function historyOf(site: Site): Promise<History> {
  const [live, ...earlier] = await deploymentsOf(site).list()
  if (live !== undefined) return [live, ...earlier]
  throw new Failure("COMMAND_FAILED", `${site.worker} has never been deployed.`)
}

/** What served before these versions came together; a trial and the steps of a release have them all. */
function servedBefore(versions: Split, [, ...earlier]: History): Split | undefined {
  const before = earlier.find(
    ({ split }) => !versions.every(({ versionId }) => includes(split, versionId)),
  )
  return before && withTraffic(before.split)
}

function includes(split: Split, versionId: string): boolean {
  return split.some((part) => part.versionId === versionId)
}

/** Before anything moves. A version that does not say what it uses is left to its trial. */
async function expectPossible(site: Site, move: TrafficMove): Promise<TrafficMove> {
  const { split } = move.history[0]
  for (const { versionId } of move.to) {
    if (!includes(split, versionId) && !(await deploymentsOf(site).owns(versionId))) {
      throw new Failure("USAGE", `${site.worker} has no version ${versionId}. See: release list.`)
    }
    const fit = await checkOf(site)(versionId).catch((error: unknown) => {
      if (move.untried !== true) throw error
      return { fits: "unknown" as const }
    })
    if (fit.fits === false) {
      throw new Failure("COMMAND_FAILED", `${versionId} does not fit the schema: ${fit.reason}.`)
    }
  }
  return move
}

/**
 * Tries what is to serve at the traffic that it has, as a release does: its health, and whether the
 * schema of now fits it. Then gives it the traffic.
 * @throws Error with what serves; what was done is undone
 */
export async function moveTraffic(
  site: Site,
  { history, to, why, untried = false }: TrafficMove,
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
  const message = cutMessage(`${why} ${nameOf(live.split)}, at ${await releaseMessage()}`)
  const { log, force = false, ...trial } = options
  const onFormerSecrets = (names: string) =>
    log.warn(`secrets have former values again, those of ${nameOf(to)}: ${names}`)
  const run = openDeploymentRun({
    deployments,
    start: live,
    message,
    ...(force && { onFormerSecrets }),
  })
  if (untried) {
    const what = `${nameOf(to)}: nothing was asked of it. Whether it is healthy nobody knows, nor whether all machines have it: look at release status, and at what members get`
    log.warn(what)
    return await run.deploy(to).catch(refuseSecrets)
  }
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
