import { openDeployments, type Deployment } from "../../provider/release/deployments.ts"
import { askLiveVersion, type LiveVersion } from "../database/live-version.ts"
import type { DeployedStack } from "../stack/deployed-stack.ts"
import { describeDeployments } from "./describe-deployments.ts"

export type ReleaseStatus = {
  worker: string
  url: string
  /** Undefined where nothing was ever deployed. */
  deployment: Deployment | undefined
  /** The version that answered at `url`. */
  version: LiveVersion
  /** What is wrong; undefined when all is well. */
  attention: string | undefined
}

type Site = Pick<DeployedStack, "api" | "accountId" | "worker" | "address">

/** What the API says is deployed, and what answers at the stack's own host. */
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
  if ("stopped" in version) return `Traffic is stopped: ${version.stopped}`
  const { id, schema, expected, found } = version
  if (!deployment.split.some((part) => part.versionId === id)) {
    return `Version ${id} answers, and it is not deployed: the change may be under way still.`
  }
  if (schema === "ok") return undefined
  const state = `The database stands at ${found ?? "no migration"}, and ${id} was built for ${expected}.`
  return schema === "behind"
    ? `${state} Deploy, or restore the schema.`
    : `${state} What it uses was dropped.`
}

/** For people. */
export function describeStatus({ worker, url, deployment, version }: ReleaseStatus): string {
  const live = deployment === undefined ? "" : `\n${describeDeployments([deployment])}`
  return `${worker}  ${url}${live}\n      ${describeAnswer(version)}`
}

function describeAnswer(version: LiveVersion): string {
  if ("unknown" in version) return `no version answered: ${version.unknown}`
  if ("stopped" in version) return `${version.id} stands in: ${version.stopped}`
  const fit = version.schema === "ok" ? "fits its schema" : "does not fit its schema"
  return `${version.id} answers, and ${fit} (${version.expected})`
}
