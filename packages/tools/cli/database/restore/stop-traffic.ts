import { setTimeout as delay } from "node:timers/promises"

import { Failure, messageOf } from "../../../base/failure.ts"
import { openDeploymentRun } from "../../../deploy/release/deployment-run.ts"
import {
  type Deployment,
  type Split,
  moves,
  openDeployments,
} from "../../../deploy/release/deployments.ts"
import type { DeployedStack } from "../../stack/deployed-stack.ts"
import { askLiveVersion } from "../live-version.ts"
import { uploadStandIn, type Plan } from "./stand-in.ts"

export type Site = Pick<
  DeployedStack,
  "stack" | "api" | "accountId" | "databaseId" | "database" | "worker" | "address"
>

export type Waiting = {
  signal: AbortSignal
  /** Milliseconds for a version to reach every machine. */
  patience: number
  say: (line: string) => void
}

/** Several, because one answer speaks for only one of the edge's machines. */
const confirmations = 3
/** Milliseconds. */
const pollInterval = 500

export function deploymentsOf({ api, accountId, worker }: Site) {
  return openDeployments({ api, accountId, scriptName: worker })
}

/** @throws Error when somebody else deployed since `live` */
export async function deployStandIn(site: Site, plan: Plan, live: Deployment): Promise<Deployment> {
  const versionId = await uploadStandIn(site, plan)
  const message = moves.standIn
  const run = openDeploymentRun({ deployments: deploymentsOf(site), start: live, message })
  return await run.deploy([{ versionId, percentage: 100 }])
}

/**
 * Gives all traffic to a version that answers 503, and waits until it does. With traffic, members would go
 * on writing what the restore then takes, unseen.
 * @throws Failure when the old one still answers; then it has the traffic again
 */
export async function stopTraffic(
  site: Site,
  { plan, live }: { plan: Plan; live: Deployment },
  waiting: Waiting,
): Promise<Deployment> {
  const stopped = await deployStandIn(site, plan, live)
  try {
    await untilStopped(site, stopped, waiting)
    return stopped
  } catch (error) {
    await giveBack(site, { before: live.split, live: stopped })
    const message = `Traffic could not be stopped: ${messageOf(error)}. What served before serves again. Nothing was restored.`
    throw new Failure("COMMAND_FAILED", message, { cause: error })
  }
}

async function untilStopped(site: Site, { split }: Deployment, waiting: Waiting): Promise<void> {
  const { signal, patience } = waiting
  const wanted = split[0]?.versionId
  const deadline = Date.now() + patience
  for (let confirmed = 0; confirmed < confirmations;) {
    signal.throwIfAborted()
    const version = await askLiveVersion(site.address)
    const answers = "stopped" in version && version.id === wanted
    confirmed = answers ? confirmed + 1 : 0
    if (answers) continue
    if (Date.now() > deadline) {
      throw new Error(
        "unknown" in version ? version.unknown : `version ${version.id} still answers`,
      )
    }
    await delay(pollInterval, undefined, { signal })
  }
}

/** What served before serves again, without a trial: nothing of its database has changed. */
export async function giveBack(
  site: Site,
  { before, live }: { before: Split; live: Deployment },
): Promise<void> {
  const message = "serves again: no database was restored"
  const run = openDeploymentRun({ deployments: deploymentsOf(site), start: live, message })
  await run.restore(before, message)
}
