import { userInfo } from "node:os"

import * as z from "zod"

import type { Deployment, Split } from "../../../deploy/release/deployments.ts"
import { openUploads } from "../../../deploy/version/uploads.ts"
import { project } from "../../../environment/project/own-project.ts"
import { thisMachine } from "../../process/is-alive.ts"
import type { DeployedStack } from "../../stack/deployed-stack.ts"

export const Source = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("bookmark"), bookmark: z.string() }),
  z.object({ kind: z.literal("file"), name: z.string(), md5: z.string() }),
])
export type Source = z.infer<typeof Source>

/** What a restore needs to know of itself when it is run again, wherever that is. */
const Plan = z.object({
  databaseId: z.string(),
  source: Source,
  /** What served before. */
  before: z.array(z.object({ versionId: z.string(), percentage: z.number() })),
  /** The moment after the traffic had stopped; undefined as long as nothing is restored. */
  undo: z.string().optional(),
  /** ISO 8601. */
  at: z.string(),
  holder: z.object({ user: z.string(), host: z.string(), pid: z.number() }),
})
export type Plan = z.infer<typeof Plan>

/** Seconds for clients to wait before they ask again. */
const retryAfter = 60

const binding = "RESTORE"

/**
 * Answers for the service while its database is restored: 503 with the reason. A page of another
 * origin may read that, since it says nothing that is not public.
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

type Site = Pick<DeployedStack, "api" | "accountId" | "worker">

function uploadsOf({ api, accountId, worker }: Site) {
  return openUploads({ api, accountId, scriptName: worker })
}

/** Returns the id of a version that carries the plan. It has no access to the database. */
export async function uploadStandIn(site: Site, plan: Plan): Promise<string> {
  const uploads = uploadsOf(site)
  const [former] = plan.before
  const found = former && (await uploads.find(former.versionId))
  // With the same secrets, or Cloudflare would refuse to go back to the version that has them.
  const secrets = (found?.bindings ?? []).filter(({ type }) => type === "secret_text")
  const inherited = secrets.map(({ name }) => [
    name,
    { type: "inherit", version_id: former?.versionId },
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

/** The plan of a version; undefined unless it is a stand-in. */
export async function readPlan(site: Site, versionId: string): Promise<Plan | undefined> {
  const found = await uploadsOf(site).find(versionId)
  const carried = found?.bindings.find(({ name }) => name === binding)
  if (carried === undefined) return undefined
  return Plan.parse(JSON.parse(z.object({ text: z.string() }).parse(carried).text))
}

/** The plan of the restore that is under way, or that was interrupted. */
export async function planIn(site: Site, live: Deployment): Promise<Plan | undefined> {
  const [only] = live.split
  return only === undefined ? undefined : await readPlan(site, only.versionId)
}

export function newPlan(databaseId: string, given: { source: Source; before: Split }): Plan {
  const at = new Date().toISOString()
  const holder = { user: userInfo().username, host: thisMachine(), pid: process.pid }
  return { databaseId, ...given, at, holder }
}
