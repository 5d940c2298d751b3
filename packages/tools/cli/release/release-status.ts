import {
  type Deployment,
  describeSplit,
  openDeployments,
  withTraffic,
} from "../../deploy/release/deployments.ts"
import {
  askLiveVersion,
  attentionForLive,
  describeLive,
  type LiveVersion,
} from "../database/live-version.ts"
import { paintFor, printable } from "../output.ts"
import type { DeployedStack } from "../stack/deployed-stack.ts"

export type ReleaseStatus = {
  worker: string
  url: string
  /** Undefined if nothing was ever deployed. */
  deployment: Deployment | undefined
  /** The version that answered at `url`. */
  version: LiveVersion
  /** The problem; undefined if there is none. */
  attention: string | undefined
}

type Site = Pick<DeployedStack, "api" | "accountId" | "worker" | "address">

/** Reads the live deployment from the API, and the version that answers at the stack's own host. */
export async function readReleaseStatus(site: Site): Promise<ReleaseStatus> {
  const { api, accountId, worker, address } = site
  const [deployment, version] = await Promise.all([
    openDeployments({ api, accountId, scriptName: worker }).live(),
    askLiveVersion(address),
  ])
  const attention = attentionFor({ worker, deployment, version })
  return { worker, url: address.url, deployment, version, attention }
}

function attentionFor({
  worker,
  deployment,
  version,
}: Pick<ReleaseStatus, "worker" | "deployment" | "version">): string | undefined {
  if (deployment === undefined) return `${worker} has never been deployed.`
  if ("unknown" in version) return `The service could not be asked: ${version.unknown}`
  const deployed = deployment.split.some(({ versionId }) => versionId === version.id)
  return deployed
    ? attentionForLive(version)
    : `Version ${version.id} answers, and it is not deployed: the change may be under way still.`
}

/** Formats the status for the terminal. */
export function describeStatus({ worker, url, deployment, version }: ReleaseStatus): string {
  const live = deployment === undefined ? "" : `\n${describeDeployments([deployment])}`
  const ways =
    deployment !== undefined && deployment.split.length > 1
      ? "\n      a release is under way, or was killed: release rollback or the next `up` ends it"
      : ""
  return `${worker}  ${url}${live}\n      ${describeLive(version)}${ways}`
}

/** Leaves out a trial if the next deployment gave the tried version traffic. */
export function withoutTrials(deployments: Deployment[]): Deployment[] {
  return deployments.filter(({ split }, index) => {
    const next = withTraffic(deployments[index - 1]?.split ?? [])
    const hasTraffic = (id: string) => next.some(({ versionId }) => versionId === id)
    return !split.some(({ versionId, percentage }) => percentage === 0 && hasTraffic(versionId))
  })
}

/** Formats a block for each deployment, newest first. */
export function describeDeployments(deployments: Deployment[]): string {
  const paint = paintFor(process.stdout)
  const blocks = deployments.map((deployment, index) => {
    const { split, author, at, message } = deployment
    // Each release deploys its version twice: first for the trial.
    const trials = split.filter(({ percentage }) => percentage === 0)
    const trial = trials.length === 0 ? "" : `, while ${describeSplit(trials)} is tried`
    const traffic = `${describeSplit(withTraffic(split))}${trial}`
    const mark = index === 0 ? paint.green("live  ") : "      "
    // The deployer wrote the message, so control characters are removed.
    const why = message === "" ? "without a message" : printable(message)
    return `${mark}${traffic}\n      ${paint.dim(`${at}  ${printable(author)}: ${why}`)}`
  })
  return blocks.join("\n")
}
