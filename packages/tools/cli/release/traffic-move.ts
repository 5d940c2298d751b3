import { execFileSync } from "node:child_process"

import type { Log } from "@accounts-stack/pulumi-host/log"
import * as z from "zod"

import { Failure, isFailure, messageOf } from "../../base/failure.ts"
import { migrationsDirectory, root } from "../../base/root.ts"
import { parseJson } from "../../deploy/api.ts"
import { build } from "../../deploy/build/build.ts"
import { DeploymentRun, secretsConflict } from "../../deploy/release/deployment-run.ts"
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
import { readMigrations } from "../../environment/own-names.ts"
import { project } from "../../environment/project/own-project.ts"
import { readText } from "../../environment/stack-source.ts"
import type { DeployedStack } from "../stack/deployed-stack.ts"

/** The artifacts that a commit releases in every environment, by their names. */
const Candidate = z.strictObject({ commit: z.string(), content: z.record(z.string(), z.string()) })
type Candidate = z.infer<typeof Candidate>

/** Reads the content that is equal in every environment: no hosts, values of bindings, secrets or account ids. */
export async function readCandidate(): Promise<Candidate> {
  const migrations = await readMigrations(migrationsDirectory)
  const { whole } = await build({ migrationsHead: migrations.at(-1)?.name ?? "" })
  const { compatibilityDate, compatibilityFlags } = project.runtime
  const commit = execFileSync("git", ["rev-parse", "HEAD"], { cwd: root, encoding: "utf8" })
  return {
    commit: commit.trim(),
    content: {
      bundle: whole,
      "compatibility date": compatibilityDate,
      "compatibility flags": compatibilityFlags.join(", "),
      ...Object.fromEntries(migrations.map(({ name, sha256 }) => [`migration ${name}`, sha256])),
      ...Object.fromEntries(
        Object.entries(project.bindings).map(([name, { type, required }]) => [
          `binding ${name}`,
          `${type}, required ${required}`,
        ]),
      ),
    },
  }
}

/** @param file output of `release candidate` @throws Failure listing all differences, or if it is no candidate */
export function expectSame(file: string, { content }: Candidate): void {
  const { data: released } = Candidate.safeParse(parseJson(readText(file) ?? ""))
  if (released === undefined) {
    const message = `${file} is not what ./accounts release candidate has printed.`
    throw new Failure("COMMAND_FAILED", message)
  }
  const names = new Set([...Object.keys(released.content), ...Object.keys(content)])
  const lines = [...names]
    .filter((name) => released.content[name] !== content[name])
    .map((name) => `  ${name}: ${released.content[name] ?? "none"} → ${content[name] ?? "none"}`)
  if (lines.length === 0) return
  const message = `This is not what commit ${released.commit} released, by ${file}:\n${lines.join("\n")}`
  throw new Failure("COMMAND_FAILED", message)
}

export type TrafficMove = {
  /** Newest first: the first one is live. */
  history: [Deployment, ...Deployment[]]
  /** The split that will serve instead. */
  to: Split
  /** Beginning of the deployment's message. */
  why?: (typeof moves)["rollback" | "restore"]
}

type Site = Pick<DeployedStack, "api" | "accountId" | "worker" | "address">

/**
 * Plans a return to the previous split. If the live deployment belongs to an unfinished release, even to
 * its trial at 0 %, returns to the split before the release.
 * @param version the version that gets all traffic instead
 * @throws Failure if there is no such version, or if the live schema lacks a table or column that it uses
 */
export async function planRollback(site: Site, version?: string): Promise<TrafficMove> {
  const [live, ...earlier] = await deploymentsOf(site).list()
  if (live === undefined) {
    throw new Failure("COMMAND_FAILED", `${site.worker} has never been deployed.`)
  }
  const { split } = live
  // Every deployment of an unfinished release contains all of the live versions.
  const before = earlier.find(
    (deployment) => !split.every(({ versionId }) => includes(deployment.split, versionId)),
  )
  const to = version === undefined ? before && withTraffic(before.split) : allTraffic(version)
  if (to === undefined) {
    const message = `No version of ${site.worker} has served before ${nameOf(split)}. Name one of several.`
    throw new Failure("COMMAND_FAILED", message)
  }
  if (sameSplit(split, to)) throw new Failure("USAGE", `${nameOf(to)} serves all traffic already.`)
  for (const { versionId } of to) await expectPossible(site, split, versionId)
  return { history: [live, ...earlier], to }
}

function includes(split: Split, versionId: string): boolean {
  return split.some((part) => part.versionId === versionId)
}

/** Checks a version before any traffic moves. If it does not state its schema use, its trial decides. */
async function expectPossible(site: Site, live: Split, versionId: string): Promise<void> {
  if (!includes(live, versionId) && !(await deploymentsOf(site).owns(versionId))) {
    throw new Failure("USAGE", `${site.worker} has no version ${versionId}. See: release list.`)
  }
  const fit = await checkOf(site)(versionId)
  if (fit.fits !== false) return
  throw new Failure("COMMAND_FAILED", `${versionId} does not fit the schema: ${fit.reason}.`)
}

/**
 * Tries the versions at their current share, as a release does (health, sign-in, schema), and then moves the
 * traffic to them.
 * @throws Error that names the live versions, after the previous split was restored
 */
export async function moveTraffic(
  site: Site,
  { history, to, why = moves.rollback }: TrafficMove,
  options: {
    /** Milliseconds for a version to become healthy. */
    patience: number
    /** Moves traffic even if secrets have changed since: the version then uses its former values. */
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
  const run = new DeploymentRun({
    deployments,
    start: live,
    message,
    ...(force && { onFormerSecrets }),
  })
  const otherVersions = withTraffic(live.split).filter(({ versionId }) => !includes(to, versionId))
  const unfit = await misfitOf({ check: checkOf(site), split: otherVersions, log })
  const undone = why === moves.restore ? moves.standIn : `serves again: ${nameOf(to)} failed`
  const place = { deployments, run, scriptName, address, log, undone }
  const moved = promote({ ...place, ...trial, to, history, steps: [100], unfit })
  return await moved.catch(refuseSecrets)
}

function refuseSecrets(error: unknown): never {
  const causes = [error, error instanceof Error ? error.cause : undefined]
  const isSecretsConflict = causes.some(
    (cause) => isFailure(cause, "API_FAILED") && secretsConflict.test(cause.message),
  )
  if (!isSecretsConflict) throw error
  const next = "To restore the earlier secrets as well: --force"
  throw new Failure("COMMAND_FAILED", `${messageOf(error)} ${next}`, { cause: error })
}

function deploymentsOf({ api, accountId, worker }: Site): Deployments {
  return openDeployments({ api, accountId, scriptName: worker })
}

function checkOf({ api, accountId, worker }: Site): SchemaCheck {
  return openSchemaCheck({ api, accountId, scriptName: worker })
}
