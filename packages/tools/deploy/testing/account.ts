import { zones } from "@accounts-stack/local/seed"
import * as z from "zod"

import type { LocalCloudflare } from "./local-cloudflare.ts"

const Answer = z.object({
  success: z.boolean(),
  errors: z.array(z.unknown()),
  result: z.unknown().optional(),
})
const Identified = z.object({ id: z.string() })
const Deployed = z.object({ deployed_on: z.string().nullable() })
const Routes = z.array(z.object({ id: z.string(), script: z.string().optional() }))
const Deployments = z.object({
  deployments: z.array(
    z.object({
      id: z.string(),
      annotations: z.record(z.string(), z.string()).optional(),
      versions: z.array(z.object({ version_id: z.string(), percentage: z.number() })),
    }),
  ),
})

/**
 * How a version behaves: healthy, unhealthy, under another id, without the version header, healthy
 * only while requests ask for it by the override header, or at odds with the schema of its database.
 */
export type Behaviour =
  | "well"
  | "sick"
  | "misnamed"
  | "silent"
  | "sick at 100 %"
  | "sick in time"
  | Misfit
/** Its schema is older, or has dropped what it uses. */
type Misfit = "behind" | "ahead"

/** A binding of a version, as the API takes it. */
export type Binding = { type: string; name: string; text?: string; database_id?: string }

/** "sick in time": after its third answer. */
const source = `let answers = 0
export default {
  fetch(request, { BEHAVIOUR, VERSION }) {
    if (BEHAVIOUR === "silent") return new Response("hello")
    const id = BEHAVIOUR === "misnamed" ? "another" : VERSION.id
    const asked = request.headers.has("cloudflare-workers-version-overrides")
    const tired = BEHAVIOUR === "sick in time" && answers >= 3
    const sick = tired || BEHAVIOUR === "sick" || (BEHAVIOUR === "sick at 100 %" && !asked)
    answers += 1
    const found = { behind: "0001_b.sql", ahead: "0003_d.sql" }[BEHAVIOUR]
    if (found !== undefined && request.url.endsWith("?schema=1")) {
      const body = { status: BEHAVIOUR, version: { id: VERSION.id }, migrations: { expected: "0002_c.sql", found } }
      return Response.json(body, { status: 503, headers: { "accounts-version": VERSION.id } })
    }
    const health = { status: sick ? "broken" : "ok", version: { id, tag: VERSION.tag } }
    const headers = { "accounts-version": VERSION.id }
    return Response.json(health, { status: sick ? 500 : 200, headers })
  },
}`

/** Acts in the account as a person would with another tool than this provider. */
export function openAccount({
  api,
  token,
  accountId,
}: Pick<LocalCloudflare, "api" | "token" | "accountId">) {
  const send = async (method: string, path: string, body?: unknown): Promise<unknown> => {
    const response = await fetch(api + path, {
      method,
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const { success, errors, result } = Answer.parse(await response.json())
    if (success) return result
    throw new Error(`${method} ${path}: ${JSON.stringify(errors)}`)
  }

  const call = (method: string, path: string, body?: unknown) =>
    send(method, `/accounts/${accountId}${path}`, body)

  /** The rows of each statement. */
  const queryAll = async (databaseId: string, sql: string): Promise<unknown[][]> => {
    const results = await call("POST", `/d1/database/${databaseId}/query`, { sql })
    const statements = z.array(z.object({ results: z.array(z.unknown()) })).parse(results)
    return statements.map(({ results: rows }) => rows)
  }

  /** @returns the id of a version with this code, and more settings */
  const upload = async (workerId: string, code: string, settings: object = {}): Promise<string> => {
    const content = Buffer.from(code).toString("base64")
    const type = "application/javascript+module"
    const version = await call("POST", `/workers/workers/${workerId}/versions`, {
      main_module: "worker.js",
      compatibility_date: "2026-08-01",
      modules: [{ name: "worker.js", content_type: type, content_base64: content }],
      ...settings,
    })
    return Identified.parse(version).id
  }

  return {
    call,
    upload,
    async createDatabase(name: string): Promise<string> {
      const settings = { name, read_replication: { mode: "disabled" } }
      return z.object({ uuid: z.string() }).parse(await call("POST", "/d1/database", settings)).uuid
    },
    /** The rows of the first statement. */
    async query(databaseId: string, sql: string): Promise<unknown[]> {
      const [first] = await queryAll(databaseId, sql)
      return first ?? []
    },
    queryAll,
    /** @param workersDev whether the Worker answers on workers.dev */
    async createWorker(name: string, workersDev = true): Promise<string> {
      const subdomain = { enabled: workersDev, previews_enabled: workersDev }
      return Identified.parse(await call("POST", "/workers/workers", { name, subdomain })).id
    },
    /** @param extraBindings bindings beside its own */
    async createVersion(
      workerId: string,
      behaviour: Behaviour,
      extraBindings: Binding[] = [],
    ): Promise<string> {
      return upload(workerId, source, {
        bindings: [
          { type: "version_metadata", name: "VERSION" },
          { type: "plain_text", name: "BEHAVIOUR", text: behaviour },
          ...extraBindings,
        ],
        annotations: { "workers/tag": behaviour.replaceAll(/[^a-z0-9]+/g, "-") },
      })
    },
    /** @param options.force deploys even a version whose secrets have changed since */
    async deploy(
      name: string,
      shares: Record<string, number>,
      message?: string,
      { force } = { force: false },
    ): Promise<void> {
      const versions = Object.entries(shares).map(([version_id, percentage]) => ({
        version_id,
        percentage,
      }))
      await call("POST", `/workers/scripts/${name}/deployments${force ? "?force=true" : ""}`, {
        strategy: "percentage",
        versions,
        ...(message !== undefined && { annotations: { "workers/message": message } }),
      })
    },
    async attachDomain(name: string, hostname: string): Promise<void> {
      await call("PUT", "/workers/domains", { hostname, service: name })
    },
    /** Replaces the Worker's routes in the zone `accounts.test`. */
    async setRoutes(name: string, ...patterns: string[]): Promise<void> {
      const path = `/zones/${zones.find((zone) => zone.name === "accounts.test")?.id}/workers/routes`
      for (const { id, script } of Routes.parse(await send("GET", path))) {
        if (script === name) await send("DELETE", `${path}/${id}`)
      }
      for (const pattern of patterns) await send("POST", path, { pattern, script: name })
    },
    /** Newest first: id, share of the traffic by version, and the message. */
    async deployments(name: string) {
      const worker = await call("GET", `/workers/workers/${name}`)
      if (Deployed.parse(worker).deployed_on === null) return []
      const list = await call("GET", `/workers/scripts/${name}/deployments`)
      return Deployments.parse(list).deployments.map(({ id, versions, annotations }) => ({
        id,
        shares: Object.fromEntries(versions.map((part) => [part.version_id, part.percentage])),
        message: annotations?.["workers/message"],
      }))
    },
  }
}
