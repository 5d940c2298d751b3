import * as z from "zod"

import { messageOf } from "../../base/failure.ts"
import { type WorkerPlace, retryUntilFound } from "../api.ts"
import { type Split, withTraffic } from "./deployments.ts"
import { type Route, type Zone, findRoutes, readSubdomain, routesOf } from "./routes.ts"

type Question = WorkerPlace & {
  /** The live split. */
  split: Split
  /** The stack's URLs, the likeliest first. */
  urls: string[]
  /** Zones of the URLs. */
  zones: Zone[]
}

/**
 * Finds where clients reach the Worker: a custom domain, workers.dev or a route of the stack's zone.
 * Undefined if nothing leads there. Asking the service would prove nothing, because another Worker of the
 * account may give the same response.
 * @throws Error when that cannot be read, when no URL of the Worker is known, or when callers use it without a URL
 */
export async function findAttachment(question: Question): Promise<string | undefined> {
  const { scriptName } = question
  const { url, users } = await lookUp(question).catch((error: unknown) => {
    throw new Error(
      `it cannot be told whether traffic reaches ${scriptName}, so it was not deployed without a trial: ${messageOf(error)}`,
      { cause: error },
    )
  })
  if (url !== undefined || users.length === 0) return url
  throw new Error(
    `${scriptName} was not deployed without a trial: it is used (${users.join(", ")}), but no URL leads there ` +
      "at which a version could be tried. Attach the stack's host to it first, by a domain or a route",
  )
}

async function lookUp(question: Question): Promise<{ url: string | undefined; users: string[] }> {
  const { api, accountId, scriptName, urls, zones } = question
  const [domains, worker] = await Promise.all([domainsOf(question), readWorker(question)])
  const onWorkersDev = worker.subdomain.enabled
  const ownUrl = urls.find(
    (url) => domains.includes(hostOf(url)) || (onWorkersDev && isWorkersDev(url, scriptName)),
  )
  if (ownUrl !== undefined) return { url: ownUrl, users: [] }
  const places = zones.filter(({ zone, zoneId }) => zone !== undefined || zoneId !== undefined)
  if (places.length === 0 && !urls.every(isHostOfWorkersDev)) {
    throw new Error(`the zone of ${urls.join(", ")} is not given`)
  }
  const routes = await findRoutes({ api, accountId }, places)
  const routed = urls.find((url) => routesOf(routes, scriptName, new URL(url)).length > 0)
  if (routed !== undefined) return { url: routed, users: [] }
  const [domain] = domains
  if (domain !== undefined) return { url: `${schemeOf(urls)}//${domain}`, users: [] }
  if (onWorkersDev) return { url: await workersDevUrl(question), users: [] }
  const url = reachedByRoute(question, routes)
  const users = url === undefined ? await usersOf(question, worker) : []
  return { url, users }
}

function reachedByRoute({ scriptName, urls }: Question, routes: Route[]): string | undefined {
  const first = routes.find(({ script }) => script === scriptName)
  if (first === undefined) return undefined
  const host = /^(?:https?:\/\/)?([a-z0-9.-]+)(?:\/\*?|\/api\/\*)?$/i.exec(first.pattern)?.[1]
  if (host !== undefined) return `${schemeOf(urls)}//${host}`
  throw new Error(
    `the route ${first.pattern} leads to it, but none of ${urls.join(", ")} does: attach one of them, or remove the route`,
  )
}

const Domains = z.array(z.object({ hostname: z.string(), service: z.string() }))

async function domainsOf({ api, accountId, scriptName }: Question): Promise<string[]> {
  const path = `/accounts/${encodeURIComponent(accountId)}/workers/domains`
  const domains = await api.get(`${path}?service=${encodeURIComponent(scriptName)}`, Domains)
  return domains.filter(({ service }) => service === scriptName).map(({ hostname }) => hostname)
}

/** Fields of `getWorker` in Cloudflare's OpenAPI. */
const Worker = z.object({
  subdomain: z.object({ enabled: z.boolean() }),
  references: z.unknown(),
})
type Worker = z.infer<typeof Worker>

/** References to the Worker by kind, such as `queues`. */
const References = z.record(z.string(), z.array(z.record(z.string(), z.unknown())))
const Handlers = z.object({
  resources: z.object({ script: z.object({ handlers: z.array(z.string()).default([]) }) }),
})

async function readWorker({ api, accountId, scriptName }: Question): Promise<Worker> {
  const account = `/accounts/${encodeURIComponent(accountId)}`
  return await api.get(`${account}/workers/workers/${encodeURIComponent(scriptName)}`, Worker)
}

/**
 * Lists the callers that reach the Worker without a URL. E-mail addresses that lead to it cannot be listed.
 */
async function usersOf(question: Question, worker: Worker): Promise<string[]> {
  const { api, accountId, scriptName, split } = question
  const references = Object.entries(References.parse(worker.references))
  const users = references.flatMap(([kind, list]) =>
    list.map(
      (reference) =>
        `${kind} ${String(reference["queue_name"] ?? reference["worker_name"] ?? reference["name"])}`,
    ),
  )
  const script = `/accounts/${encodeURIComponent(accountId)}/workers/scripts/${encodeURIComponent(scriptName)}`
  const handlersByVersion = await Promise.all(
    withTraffic(split).map(async ({ versionId }) => {
      const path = `${script}/versions/${versionId}`
      const version = await retryUntilFound(() => api.get(path, Handlers))
      if (version !== undefined) return version.resources.script.handlers
      throw new Error(`Cloudflare does not show version ${versionId}, which serves`)
    }),
  )
  const events = handlersByVersion.flat().filter((name) => name !== "fetch" && name !== "scheduled")
  const otherUsers = users.filter((user) => user !== `workers ${scriptName}`)
  return [...otherUsers, ...events.map((name) => `its handler for ${name}`)]
}

async function workersDevUrl({ api, accountId, scriptName, urls }: Question): Promise<string> {
  const subdomain = await readSubdomain(api, accountId)
  if (subdomain === undefined) throw new Error("the account has no subdomain of workers.dev")
  return `${schemeOf(urls)}//${scriptName}.${subdomain}.workers.dev`
}

function isWorkersDev(url: string, scriptName: string): boolean {
  return hostOf(url).startsWith(`${scriptName}.`) && isHostOfWorkersDev(url)
}

function isHostOfWorkersDev(url: string): boolean {
  return hostOf(url).endsWith(".workers.dev")
}

function hostOf(url: string): string {
  return new URL(url).hostname
}

/** A service may use plain http only on this machine. */
function schemeOf([url = "https://"]: string[]): string {
  return url.startsWith("http:") ? "http:" : "https:"
}
