import { userInfo } from "node:os"
import { setTimeout as delay } from "node:timers/promises"

import * as z from "zod"

import { Failure, messageOf } from "../../../base/failure.ts"
import { DeploymentRun } from "../../../deploy/release/deployment-run.ts"
import {
  type Deployment,
  type Split,
  moves,
  openDeployments,
  allTraffic,
} from "../../../deploy/release/deployments.ts"
import { openSchemaCheck } from "../../../deploy/release/schema-fit.ts"
import { openUploads } from "../../../deploy/version/uploads.ts"
import { project } from "../../../environment/project/own-project.ts"
import { nextCommand } from "../../local-options.ts"
import { machineName } from "../../process/is-alive.ts"
import { moveTraffic, type TrafficMove } from "../../release/traffic-move.ts"
import type { DeployedStack } from "../../stack/deployed-stack.ts"
import { askLiveVersion } from "../live-version.ts"

export type Site = Pick<
  DeployedStack,
  "stack" | "place" | "api" | "accountId" | "databaseId" | "database" | "worker" | "address"
>

export type Waiting = {
  signal: AbortSignal
  /** Milliseconds for a version to reach every machine. */
  patience: number
  say: (line: string) => void
}

/** Consecutive answers to wait for: each comes from only one of the edge's machines. */
const confirmations = 3
/** Milliseconds. */
const pollInterval = 500

export function deploymentsOf({ api, accountId, worker }: Site) {
  return openDeployments({ api, accountId, scriptName: worker })
}

/** Deploys a version that answers 503. @throws Error if another deployment was made since `live` */
export async function deployMaintenanceWorker(
  site: Site,
  plan: Plan,
  live: Deployment,
): Promise<Deployment> {
  const versionId = await uploadMaintenanceWorker(site, plan)
  const message = moves.standIn
  const run = new DeploymentRun({ deployments: deploymentsOf(site), start: live, message })
  return await run.deploy([{ versionId, percentage: 100 }])
}

/**
 * Gives all traffic to a version that answers 503, and waits until it does. Otherwise members would
 * write rows that the restore then silently removes.
 * @throws Failure if the old version still answers; the previous split is then live again
 */
export async function pauseTraffic(
  site: Site,
  { plan, live }: { plan: Plan; live: Deployment },
  waiting: Waiting,
): Promise<Deployment> {
  const stopped = await deployMaintenanceWorker(site, plan, live)
  try {
    await untilStopped(site, stopped, waiting)
    return stopped
  } catch (error) {
    await restoreTraffic(site, { before: live.split, live: stopped })
    const message = `Traffic could not be stopped: ${messageOf(error)}. What served before serves again. Nothing was restored.`
    throw new Failure("COMMAND_FAILED", message, { cause: error })
  }
}

async function untilStopped(site: Site, { split }: Deployment, waiting: Waiting): Promise<void> {
  const { signal, patience } = waiting
  const liveVersion = split[0]?.versionId
  const deadline = Date.now() + patience
  for (let confirmed = 0; confirmed < confirmations;) {
    signal.throwIfAborted()
    const version = await askLiveVersion(site.address)
    const answers = "stopped" in version && version.id === liveVersion
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

/** Makes the earlier split live again, without a trial: its database has not changed. */
export async function restoreTraffic(
  site: Site,
  { before, live }: { before: Split; live: Deployment },
): Promise<void> {
  const message = "serves again: no database was restored"
  const run = new DeploymentRun({ deployments: deploymentsOf(site), start: live, message })
  await run.restore(before, message)
}

/** Maximum number of earlier versions to try; versions that do not fit the schema do not count. */
const limit = 5

/**
 * Releases the newest version that fits the current schema, and returns its id. It checks what a version uses
 * before it moves traffic, then tries the version without traffic, as a release does.
 * @throws Failure if no version fits; the traffic stays stopped
 */
export async function releaseCompatible(
  site: Site,
  { signal, patience, say }: Waiting,
): Promise<string> {
  const { api, accountId, worker: scriptName, database } = site
  const check = openSchemaCheck({ api, accountId, scriptName })
  const refusals: string[] = []
  const refuse = (reason: string) => {
    refusals.push(reason)
    say(`passed over: ${reason}`)
  }
  let attempts = 0
  for (const to of await earlierVersions(site)) {
    signal.throwIfAborted()
    const fit = await check(to)
    if (fit.fits === false) {
      refuse(`version ${to} does not fit the schema: ${fit.reason}`)
      continue
    }
    if (attempts === limit) break
    attempts += 1
    const [live, ...earlier] = await deploymentsOf(site).list()
    if (live === undefined) break
    const history: TrafficMove["history"] = [live, ...earlier]
    const move = { history, to: allTraffic(to), why: moves.restore }
    try {
      await moveTraffic(site, move, { patience, signal, log: { info: say, warn: say } })
      return to
    } catch (error) {
      refuse(messageOf(error))
    }
  }
  const { stack, place } = site
  const head = (await database.applied()).at(-1)?.name ?? "no migration"
  const reasons = refusals.map((reason) => `\n  ${reason}`).join("")
  throw new Failure(
    "COMMAND_FAILED",
    `The database stands at ${head}, and no version that served before fits it, so traffic stays stopped. ` +
      `To go on, deploy ${stack} from a commit whose newest migration is ${head} or a later one: that applies what is missing, and releases. ` +
      `To go back: ${nextCommand("database restore", place, "--undo")}.${reasons}`,
  )
}

/** Lists versions that had traffic, newest first, without maintenance versions. */
async function earlierVersions(site: Site): Promise<string[]> {
  const versionIds: string[] = []
  for (const deployment of await deploymentsOf(site).list()) {
    for (const versionId of versionsIn(deployment)) {
      if (versionIds.includes(versionId)) continue
      if ((await readPlan(site, versionId)) === undefined) versionIds.push(versionId)
    }
  }
  return versionIds
}

function versionsIn({ split }: Deployment): string[] {
  return split
    .filter(({ percentage }) => percentage > 0)
    .toSorted((a, b) => b.percentage - a.percentage)
    .map(({ versionId }) => versionId)
}

export const Source = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("bookmark"), bookmark: z.string() }),
  z.object({ kind: z.literal("file"), name: z.string(), md5: z.string() }),
])
export type Source = z.infer<typeof Source>

/** The state of a restore, from which another run can continue on any machine. */
const Plan = z.object({
  databaseId: z.string(),
  source: Source,
  /** The earlier split. */
  before: z.array(z.object({ versionId: z.string(), percentage: z.number() })),
  /** Bookmark of the moment after the traffic stopped; undefined until the restore begins. */
  undo: z.string().optional(),
  /** ISO 8601. */
  at: z.string(),
  holder: z.object({ user: z.string(), host: z.string(), pid: z.number() }),
})
export type Plan = z.infer<typeof Plan>

/** Seconds that clients wait before a retry. */
const retryAfter = 60

const binding = "RESTORE"

/**
 * Worker that answers 503 and the reason while the database is restored. Pages of other origins may read
 * the response: it contains only public facts.
 */
const source = `export default {
  fetch(request, { VERSION, ${binding} }) {
    const origin = request.headers.get("origin")
    const headers = {
      "accounts-version": VERSION.id,
      "cache-control": "no-store",
      "retry-after": "${retryAfter}",
      ...(origin && {
        "access-control-allow-origin": origin,
        "access-control-allow-credentials": "true",
        "access-control-allow-headers": request.headers.get("access-control-request-headers") ?? "*",
        "access-control-allow-methods": "GET, POST, PUT, PATCH, DELETE",
        "access-control-expose-headers": "retry-after",
        vary: "origin",
      }),
    }
    if (request.method === "OPTIONS") return new Response(null, { status: 204, headers })
    const reason = "The database is being restored since " + JSON.parse(${binding}).at
    const version = { id: VERSION.id, tag: VERSION.tag }
    const health = new URL(request.url).pathname === "/api/health"
    const body = health
      ? { status: "maintenance", reason, version }
      : { code: "MAINTENANCE", message: reason + ". Try again later." }
    return Response.json(body, { status: 503, headers })
  },
  scheduled() {},
}
`

function uploadsOf({ api, accountId, worker }: Site) {
  return openUploads({ api, accountId, scriptName: worker })
}

/** Uploads a version that carries the plan, without access to the database, and returns its id. */
async function uploadMaintenanceWorker(site: Site, plan: Plan): Promise<string> {
  const uploads = uploadsOf(site)
  const [lastServed] = plan.before
  const version = lastServed && (await uploads.find(lastServed.versionId))
  // Inherits the secrets: otherwise Cloudflare would refuse to return to the version that has them.
  const secrets = (version?.bindings ?? []).filter(({ type }) => type === "secret_text")
  const inherited = secrets.map(({ name }) => [
    name,
    { type: "inherit", version_id: lastServed?.versionId },
  ])
  const uploaded = await uploads.create({
    modules: [{ name: "worker.js", content: Buffer.from(source) }],
    bindings: {
      ...Object.fromEntries(inherited),
      VERSION: { type: "version_metadata" },
      [binding]: { type: "plain_text", text: JSON.stringify(plan) },
    },
    compatibilityDate: project.runtime.compatibilityDate,
    compatibilityFlags: [],
    message: "answers 503 while the database is restored",
  })
  return uploaded.id
}

/** Returns the plan of a maintenance version; undefined for any other version. */
async function readPlan(site: Site, versionId: string): Promise<Plan | undefined> {
  const upload = await uploadsOf(site).find(versionId)
  const carried = upload?.bindings.find(({ name }) => name === binding)
  if (carried === undefined) return undefined
  return Plan.parse(JSON.parse(z.object({ text: z.string() }).parse(carried).text))
}

/** Returns the plan of a running or interrupted restore; undefined if there is none. */
export async function planIn(site: Site, live: Deployment): Promise<Plan | undefined> {
  const [only] = live.split
  return only === undefined ? undefined : await readPlan(site, only.versionId)
}

export function newPlan(databaseId: string, planInput: { source: Source; before: Split }): Plan {
  const at = new Date().toISOString()
  const holder = { user: userInfo().username, host: machineName(), pid: process.pid }
  return { databaseId, ...planInput, at, holder }
}
