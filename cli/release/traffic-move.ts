import { Failure, isFailure, messageOf } from "../../failure.ts"
import type { Log } from "../../provider/protocol/log.ts"
import { openDeploymentRun, secretsChanged } from "../../provider/release/deployment-run.ts"
import {
  describeSplit,
  openDeployments,
  withTraffic,
  type Deployment,
  type Deployments,
} from "../../provider/release/deployments.ts"
import { promote } from "../../provider/release/promotion.ts"
import { cutMessage, releaseMessage } from "../../provider/release/provenance.ts"
import { openSchemaCheck, type SchemaCheck } from "../../provider/release/schema-check.ts"
import { misfitOfPrevious } from "../../provider/release/schema-fit-words.ts"
import type { DeployedStack } from "../stack/deployed-stack.ts"

export type Rollback = {
  /** Of now. */
  live: Deployment
  /** The version that serves alone now. */
  from: string
  /** The version that will. */
  to: string
}

type Site = Pick<DeployedStack, "api" | "accountId" | "worker" | "address">

/**
 * What a rollback would do.
 * @param version the version to go back to; default: the last one that served alone before
 * @throws Failure if there is none, if a gradual deployment is under way, or if the live schema lacks
 * what the version uses
 */
export async function planRollback(site: Site, version?: string): Promise<Rollback> {
  const deployments = deploymentsOf(site)
  const list = await deployments.list()
  const [live] = list
  if (live === undefined) {
    throw new Failure("COMMAND_FAILED", `${site.worker} has never been deployed.`)
  }
  const from = aloneIn(live)
  if (from === undefined) {
    throw new Failure(
      "COMMAND_FAILED",
      `A gradual deployment is under way (${describeSplit(live.split)}): finish or cancel it first.`,
    )
  }
  const before = list.map(aloneIn).find((id) => id !== undefined && id !== from)
  const to = version ?? before
  if (to === undefined) {
    throw new Failure("COMMAND_FAILED", `No version of ${site.worker} has served before ${from}.`)
  }
  if (to === from) throw new Failure("USAGE", `${to} serves all traffic already.`)
  await expectOwn(deployments, { site, version: to })
  await expectFit(site, to)
  return { live, from, to }
}

/** The version that has all of the traffic, if one has. */
function aloneIn({ split }: Deployment): string | undefined {
  const [only, ...more] = withTraffic(split)
  return more.length === 0 ? only?.versionId : undefined
}

async function expectOwn(
  deployments: Deployments,
  { site, version }: { site: Site; version: string },
): Promise<void> {
  if (await deployments.owns(version)) return
  throw new Failure("USAGE", `${site.worker} has no version ${version}. See: release list.`)
}

/** Before anything moves. A version that does not say what it uses is left to its trial. */
async function expectFit(site: Site, version: string): Promise<void> {
  const fit = await checkOf(site)(version)
  if (fit.fits !== false) return
  throw new Failure("COMMAND_FAILED", `${version} does not fit the schema: ${fit.reason}.`)
}

/**
 * Tries the version at no traffic, as a release does: its health, and whether the schema of now fits
 * it. Then gives it all traffic.
 * @throws Error with what serves; what was done is undone
 */
export async function rollBack(
  site: Site,
  { live, from, to }: Rollback,
  options: {
    /** Milliseconds for the version to become healthy. */
    patience: number
    /** Also where secrets have changed since the version served: its own values serve then. */
    force?: boolean
    log: Log
    signal: AbortSignal
  },
): Promise<Deployment> {
  const { worker: scriptName, address } = site
  const deployments = deploymentsOf(site)
  const message = cutMessage(`rolled back from ${from}, at ${await releaseMessage()}`)
  const { log, force = false, ...trial } = options
  const onFormerSecrets = (names: string) =>
    log.warn(`secrets have former values again, those of ${to}: ${names}`)
  const run = openDeploymentRun({
    deployments,
    start: live,
    message,
    ...(force && { onFormerSecrets }),
  })
  const unfit = await misfitOfPrevious({ check: checkOf(site), versionId: from, log })
  const released = promote({
    deployments,
    run,
    scriptName,
    versionId: to,
    previous: from,
    unfit,
    live,
    steps: [100],
    address,
    log,
    ...trial,
  })
  return await released.catch((error: unknown) => {
    if (!isOverSecrets(error)) throw error
    const way = "To roll back to the secrets of then as well: --force"
    throw new Failure("COMMAND_FAILED", `${messageOf(error)} ${way}`, { cause: error })
  })
}

function isOverSecrets(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : undefined
  return isFailure(cause, "API_FAILED") && cause.facts.code === secretsChanged
}

function deploymentsOf({ api, accountId, worker }: Site): Deployments {
  return openDeployments({ api, accountId, scriptName: worker })
}

function checkOf({ api, accountId, worker }: Site): SchemaCheck {
  return openSchemaCheck({ api, accountId, scriptName: worker })
}
