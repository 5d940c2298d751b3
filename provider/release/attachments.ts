import * as z from "zod"

import { messageOf } from "../../failure.ts"
import type { Api } from "../api.ts"
import { findRoutes, type Route, routesOf } from "./routes.ts"

/** Whether traffic can reach a Worker, by what Cloudflare's API says. */
export type Attachment =
  /** At this URL, which is one of the stack's if possible. */
  | { url: string }
  /** Nothing leads there. */
  | { url: undefined }

const Domains = z.array(z.object({ hostname: z.string(), service: z.string() }))
const Switches = z.object({ enabled: z.boolean() })
const Subdomain = z.object({ subdomain: z.string() })

type Question = {
  api: Api
  accountId: string
  scriptName: string
  /** The stack's URLs, the likeliest first. */
  urls: string[]
  zoneId?: string | undefined
}

/**
 * Where clients reach the Worker: by a custom domain, workers.dev or a route. An answer of the service
 * would prove nothing, as another Worker of the account gives the same.
 * @throws Error when it cannot be told, or when no URL of it is known
 */
export async function findAttachment(question: Question): Promise<Attachment> {
  const { scriptName, urls } = question
  try {
    const [domains, onWorkersDev] = await Promise.all([
      domainsOf(question),
      isOnWorkersDev(question),
    ])
    const own = urls.find(
      (url) => domains.includes(hostOf(url)) || (onWorkersDev && isWorkersDev(url, scriptName)),
    )
    if (own !== undefined) return { url: own }
    const routes = await findRoutes({ ...question, hosts: [...urls.map(hostOf), ...domains] })
    const routed = urls.find((url) => routesOf(routes, scriptName, new URL(url)).length > 0)
    if (routed !== undefined) return { url: routed }
    const [domain] = domains
    if (domain !== undefined) return { url: `${schemeOf(urls)}//${domain}` }
    if (onWorkersDev) return { url: await workersDevUrl(question) }
    return { url: reachedByRoute(question, routes) }
  } catch (error) {
    throw new Error(
      `it cannot be told whether traffic reaches ${scriptName}, so it was not deployed without a trial: ${messageOf(error)}`,
      { cause: error },
    )
  }
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

async function domainsOf({ api, accountId, scriptName }: Question): Promise<string[]> {
  const path = `/accounts/${encodeURIComponent(accountId)}/workers/domains`
  const domains = await api.get(`${path}?service=${encodeURIComponent(scriptName)}`, Domains)
  return domains.filter(({ service }) => service === scriptName).map(({ hostname }) => hostname)
}

async function isOnWorkersDev({ api, accountId, scriptName }: Question): Promise<boolean> {
  const account = `/accounts/${encodeURIComponent(accountId)}`
  const path = `${account}/workers/scripts/${encodeURIComponent(scriptName)}/subdomain`
  return (await api.get(path, Switches)).enabled
}

async function workersDevUrl({ api, accountId, scriptName, urls }: Question): Promise<string> {
  const path = `/accounts/${encodeURIComponent(accountId)}/workers/subdomain`
  const { subdomain } = await api.get(path, Subdomain)
  return `${schemeOf(urls)}//${scriptName}.${subdomain}.workers.dev`
}

function isWorkersDev(url: string, scriptName: string): boolean {
  const host = hostOf(url)
  return host.startsWith(`${scriptName}.`) && host.endsWith(".workers.dev")
}

function hostOf(url: string): string {
  return new URL(url).hostname
}

/** Only on this machine may a service answer over plain http. */
function schemeOf([url = "https://"]: string[]): string {
  return url.startsWith("http:") ? "http:" : "https:"
}
