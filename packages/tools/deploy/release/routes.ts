import * as z from "zod"

import type { Account, Api } from "../api.ts"
import { lookUpZone } from "./host-zone.ts"

/** Without a script, a route turns Workers off for what it matches. */
export type Route = { pattern: string; script?: string | null | undefined }

const ListedRoute = z.object({ id: z.string(), pattern: z.string(), script: z.string().nullish() })
type ListedRoute = z.infer<typeof ListedRoute>

/** By its name or, for tokens that cannot look zones up, by its id. */
export type Zone = { zone?: string | undefined; zoneId?: string | undefined }

/** The routes of these zones. @throws Error when the token does not see one of them */
export async function findRoutes({ api, accountId }: Account, zones: Zone[]): Promise<Route[]> {
  const ids = await Promise.all(zones.map((zone) => idOf(zone, api, accountId)))
  const found = await Promise.all([...new Set(ids.flat())].map((id) => listRoutes(api, id)))
  return found.flat()
}

/** A stack on workers.dev has no zone. */
async function idOf({ zone, zoneId }: Zone, api: Api, accountId: string): Promise<string[]> {
  if (zoneId !== undefined) return [zoneId]
  if (zone === undefined) return []
  const found = await lookUpZone(api, { accountId, zone })
  if (found !== undefined) return [found]
  throw new Error(
    `the token sees no zone ${zone}: give it the permission Zone Read, or set accounts:zoneId`,
  )
}

export async function listRoutes(api: Api, zoneId: string): Promise<ListedRoute[]> {
  return await api.get(`/zones/${encodeURIComponent(zoneId)}/workers/routes`, z.array(ListedRoute))
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
