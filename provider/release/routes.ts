import * as z from "zod"

import { isFailure } from "../../failure.ts"
import type { Api } from "../api.ts"

/** Without a script, a route turns Workers off for what it matches. */
export type Route = { pattern: string; script?: string | null | undefined }

const Zones = z.array(z.object({ id: z.string(), name: z.string() }))
const ListedRoute = z.object({ id: z.string(), pattern: z.string(), script: z.string().nullish() })
type ListedRoute = z.infer<typeof ListedRoute>

/** Zones of one page, Cloudflare's limit. */
const pageSize = 50

type Question = {
  api: Api
  accountId: string
  /** Hosts whose zones have to be among those that the token sees. */
  hosts: string[]
  /** Of the stack's zone, for tokens that cannot look zones up by name. */
  zoneId?: string | undefined
}

/** The routes of every zone that the token sees. @throws Error when it does not see a host's zone */
export async function findRoutes(question: Question): Promise<Route[]> {
  const { api } = question
  const ids = await zoneIdsOf(question)
  const found = await Promise.all(ids.map((id) => listRoutes(api, id)))
  return found.flat()
}

export async function listRoutes(api: Api, zoneId: string): Promise<ListedRoute[]> {
  return await api.get(`/zones/${encodeURIComponent(zoneId)}/workers/routes`, z.array(ListedRoute))
}

async function zoneIdsOf({ api, accountId, hosts, zoneId }: Question): Promise<string[]> {
  const zones = await listZones(api, accountId).catch((error: unknown) => {
    // Cloudflare answers such a token by a refusal or by an empty list.
    if (zoneId === undefined || !isForbidden(error)) throw error
    return []
  })
  const ids = zones.map(({ id }) => id)
  if (zoneId !== undefined) return [...new Set([...ids, zoneId])]
  const unseen = hosts.find(
    (host) =>
      !host.endsWith(".workers.dev") &&
      !zones.some(({ name }) => host === name || host.endsWith(`.${name}`)),
  )
  if (unseen === undefined) return ids
  throw new Error(
    `the token sees no zone of ${unseen}: give it the permission Zone Read, or set accounts:zoneId`,
  )
}

function isForbidden(error: unknown): boolean {
  return isFailure(error, "API_FAILED") && error.facts.status === 403
}

async function listZones(api: Api, accountId: string): Promise<z.infer<typeof Zones>> {
  const all: z.infer<typeof Zones> = []
  for (let page = 1; ; page += 1) {
    const query = `account.id=${encodeURIComponent(accountId)}&per_page=${pageSize}&page=${page}`
    const zones = await api.get(`/zones?${query}`, Zones)
    all.push(...zones)
    if (zones.length < pageSize) return all
  }
}

/** The routes to a script that match the service's API at a URL. */
export function routesOf(routes: Route[], scriptName: string, url: URL): Route[] {
  const health = new URL("/api/health", url)
  return routes.filter(({ pattern, script }) => script === scriptName && matches(pattern, health))
}

/** The route that takes a request, before any custom domain of the host. */
export function leadingRoute(routes: Route[], url: URL): Route | undefined {
  return routes
    .filter(({ pattern }) => matches(pattern, url))
    .toSorted((one, other) => compare(partsOf(one.pattern), partsOf(other.pattern)))[0]
}

/** https://developers.cloudflare.com/workers/configuration/routing/routes/#matching-behavior */
function matches(pattern: string, url: URL): boolean {
  const { scheme, host, path } = partsOf(pattern)
  const source = `${host}${path}`
    .split("*")
    .map((part) => part.replaceAll(/[.+?^${}()|[\]\\]/g, String.raw`\$&`))
    .join(".*")
  if (scheme !== undefined && scheme !== url.protocol) return false
  return new RegExp(`^${source}$`, "i").test(`${url.hostname}${url.pathname}${url.search}`)
}

type Parts = { scheme: string | undefined; host: string; path: string }

function partsOf(pattern: string): Parts {
  const [, scheme, host = "", path = "/"] =
    /^(?:(https?:)\/\/)?([^/]*)(\/.*)?$/i.exec(pattern) ?? []
  return { scheme: scheme?.toLowerCase(), host, path }
}

/**
 * The more specific first, as Cloudflare chooses (the page above): an exact host before a wildcard, then
 * the longer; the same for the path.
 */
function compare(one: Parts, other: Parts): number {
  return (
    Number(one.host.startsWith("*")) - Number(other.host.startsWith("*")) ||
    other.host.length - one.host.length ||
    Number(one.path.endsWith("*")) - Number(other.path.endsWith("*")) ||
    other.path.length - one.path.length
  )
}
