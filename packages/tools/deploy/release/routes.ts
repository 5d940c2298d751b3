import * as z from "zod"

import { Failure, isFailure, messageOf } from "../../base/failure.ts"
import { type Account, type Api, undefinedIfNotFound } from "../api.ts"

/** If the script is null, a route turns Workers off for the requests that it matches. */
export type Route = { pattern: string; script?: string | null | undefined }

const ListedRoute = z.object({ id: z.string(), pattern: z.string(), script: z.string().nullish() })
type ListedRoute = z.infer<typeof ListedRoute>

/** A zone by name, or by id for tokens that cannot look up zones. */
export type Zone = { zone?: string | undefined; zoneId?: string | undefined }

/** The zone of a stack's host, and whether the stack makes routes there. */
export type DeployedZone = { name: string; id: string | undefined; hasRoutes: boolean }

/** Lists the routes of these zones. @throws Error when the token cannot see a zone */
export async function findRoutes({ api, accountId }: Account, zones: Zone[]): Promise<Route[]> {
  const ids = await Promise.all(zones.map((zone) => idOf(zone, api, accountId)))
  const routesByZone = await Promise.all([...new Set(ids.flat())].map((id) => listRoutes(api, id)))
  return routesByZone.flat()
}

/** Returns no id for a stack on workers.dev, which has no zone. */
async function idOf({ zone, zoneId }: Zone, api: Api, accountId: string): Promise<string[]> {
  if (zoneId !== undefined) return [zoneId]
  if (zone === undefined) return []
  const id = await lookUpZone(api, { accountId, zone })
  if (id !== undefined) return [id]
  throw new Error(
    `the token sees no zone ${zone}: give it the permission Zone Read, or set accounts:zoneId`,
  )
}

export async function listRoutes(api: Api, zoneId: string): Promise<ListedRoute[]> {
  return await api.get(`/zones/${encodeURIComponent(zoneId)}/workers/routes`, z.array(ListedRoute))
}

/** Returns the routes to a script that match the service's API at a URL. */
export function routesOf(routes: Route[], scriptName: string, url: URL): Route[] {
  const health = new URL("/api/health", url)
  return routes.filter(({ pattern, script }) => script === scriptName && matches(pattern, health))
}

/** Returns the route that takes a request. Routes take precedence over the host's custom domain. */
function leadingRoute(routes: Route[], url: URL): Route | undefined {
  return routes
    .filter(({ pattern }) => matches(pattern, url))
    .toSorted((route, routeB) => compare(partsOf(route.pattern), partsOf(routeB.pattern)))[0]
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
 * Sorts the more specific pattern first, as Cloudflare does (the page above): an exact host before a
 * wildcard, then the longer host, then the same for the path.
 */
function compare(parts: Parts, partsB: Parts): number {
  return (
    Number(parts.host.startsWith("*")) - Number(partsB.host.startsWith("*")) ||
    partsB.host.length - parts.host.length ||
    Number(parts.path.endsWith("*")) - Number(partsB.path.endsWith("*")) ||
    partsB.path.length - parts.path.length
  )
}

type Host = {
  hostname: string
  /** Patterns of the routes that the stack makes. */
  routes: string[]
  /** Names of the stack's own Worker. */
  own: string[]
}

/** Finds routes of a zone that keep requests from a host's API. */
export function conflictingRoutes(routesOfZone: Route[], { hostname, routes, own }: Host) {
  const ours = routesOfZone.filter(({ script }) => own.includes(script ?? ""))
  const otherRoutes = routesOfZone.filter((route) => !ours.includes(route))
  const stack = routes.map((pattern) => ({ pattern }))
  return {
    /** Routes of other Workers with a pattern of the stack. */
    taken: otherRoutes.filter(({ pattern }) => routes.includes(pattern)),
    /** Routes of other Workers that take requests to the host first, each with such a request. */
    before: otherRoutes
      .filter(({ pattern }) => !routes.includes(pattern))
      .map((route) => ({ route, url: requestOf(route, { hostname, stack }) }))
      .filter(({ route, url }) => leadingRoute([...stack, route], url) === route),
    /** Whether the stack has created its own routes already. */
    live: ours.some(({ pattern }) => routes.includes(pattern)),
  }
}

/** Returns a URL of the service that a route could take: on one of the stack's paths, or of the API. */
function requestOf(
  { pattern }: Route,
  { hostname, stack }: { hostname: string; stack: Route[] },
): URL {
  const [, path = ""] = /^(?:\w+:\/\/)?[^/]*\/(.*?)\*?$/.exec(pattern) ?? []
  const url = new URL(`https://${hostname}/${path}`)
  const isServed = stack.some(
    (route) => !route.pattern.endsWith("/*") && matches(route.pattern, url),
  )
  return isServed || path.startsWith("api/") ? url : new URL("/api/health", url)
}

type ZonePlace = {
  accountId: string
  zone: string
  /** The id in the stack file. */
  zoneId?: string | undefined
}

/** A failed read is only a warning if the id is configured. */
type FoundZone = { zoneId: string; problem?: string; warning?: string }

const Zones = z.array(z.object({ id: z.string(), name: z.string() }))

/** @throws Failure when the zone's id is neither found nor given */
export async function findZone(api: Api, place: ZonePlace): Promise<FoundZone> {
  const { zone, zoneId } = place
  try {
    const actualZoneId = await lookUpZone(api, place)
    if (actualZoneId === undefined) {
      return given(place, "it has no zone of that name that the token sees")
    }
    if (zoneId === undefined || zoneId === actualZoneId) return { zoneId: actualZoneId }
    const problem = `accounts:zoneId is ${zoneId}, but the zone ${zone} is ${actualZoneId}: correct it`
    return { zoneId: actualZoneId, problem }
  } catch (error) {
    if (!isFailure(error, "API_FAILED")) throw error
    return given(place, messageOf(error))
  }
}

/** Returns undefined when the token sees no zone of that name in the account. */
export async function lookUpZone(
  api: Api,
  { accountId, zone }: Omit<ZonePlace, "zoneId">,
): Promise<string | undefined> {
  const query = `name=${encodeURIComponent(zone)}&account.id=${encodeURIComponent(accountId)}`
  const zones = await api.get(`/zones?${query}`, Zones)
  return zones.find(({ name }) => name === zone)?.id
}

function given({ accountId, zone, zoneId }: ZonePlace, reason: string): FoundZone {
  if (zoneId !== undefined) {
    const warning = `not checked: whether the zone ${zone} is the account's (${reason})`
    return { zoneId, warning }
  }
  const message =
    `The zone ${zone} of the account ${accountId} cannot be looked up: ${reason}\n` +
    "Nothing has been created. Check CLOUDFLARE_API_TOKEN, accounts:accountId and accounts:zone. " +
    "For a token that may not look up zones, set accounts:zoneId."
  throw new Failure("COMMAND_FAILED", message)
}

const Subdomain = z.object({ subdomain: z.string().nullish() })

/** Explains why a host of workers.dev does not fit; undefined if it is the Worker's own. */
export async function subdomainProblem(
  api: Api,
  { accountId, scriptName, hostname }: { accountId: string; scriptName: string; hostname: string },
): Promise<string | undefined> {
  const subdomain = await readSubdomain(api, accountId)
  if (subdomain === undefined) {
    return "the account has no subdomain of workers.dev: register one in the dashboard, under Workers & Pages, and write it into accounts:apiOrigin"
  }
  const workersDevHost = `${scriptName}.${subdomain}.workers.dev`
  if (hostname === workersDevHost) return undefined
  return `the account's subdomain is ${subdomain}: write https://${workersDevHost} as accounts:apiOrigin`
}

/** The account's name under workers.dev; undefined if it has none yet. */
export async function readSubdomain(api: Api, accountId: string): Promise<string | undefined> {
  const path = `/accounts/${encodeURIComponent(accountId)}/workers/subdomain`
  const answer = await undefinedIfNotFound(api.get(path, Subdomain))
  return answer?.subdomain || undefined
}
