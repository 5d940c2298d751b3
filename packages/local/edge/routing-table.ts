import { account, zoneOf } from "../state/seed.ts"

/** A version of the live deployment and its share of the traffic, 0 to 100. */
export type LiveVersion = { versionId: string; percentage: number }

export type RoutedScript = {
  /** The live deployment; empty before the first one. Versions at 0 % answer overrides only. */
  versions: LiveVersion[]
  /** Whether `<script>.<subdomain>.workers.dev` answers. */
  workersDev: boolean
  /** Whether `<first 8 hex of a version id>-<script>.<subdomain>.workers.dev` answers. */
  previews: boolean
  /** Ids of versions with a preview URL. */
  uploaded: string[]
}

/** If the script is null, the route turns Workers off for the requests it matches. */
export type Route = { pattern: string; script: string | null }

/** Everything that decides which script answers a request. Plain data: the edge never writes to it. */
export type RoutingTable = {
  /** Scripts by custom domain, in lower case. */
  domains: ReadonlyMap<string, string>
  routes: Route[]
  scripts: ReadonlyMap<string, RoutedScript>
  /** Lookup in the DNS records of a zone, by the zone's name. */
  zones: ReadonlyMap<string, (hostname: string) => "proxied" | "dns-only" | "none">
}

/** The script that answers. `versionId` is set by a preview URL; otherwise a live version is chosen. */
export type Target = { script: string; versionId: string | undefined; live: LiveVersion[] }

/** Undefined when no Worker answers there. Routes win over a custom domain of the same host. */
export function findTarget(table: RoutingTable, destination: Destination): Target | undefined {
  const route = findMostSpecificRoute(table.routes, destination)
  if (route) return route.script === null ? undefined : liveTarget(table, route.script)
  const domain = table.domains.get(destination.hostname)
  if (domain !== undefined) return liveTarget(table, domain)
  return workersDevTarget(table, destination.hostname)
}

/** A host outside the account's zones, such as one of workers.dev, is not for these to decide. */
export function resolveHost({ zones }: RoutingTable, hostname: string) {
  return zones.get(zoneOf(hostname)?.name ?? "")?.(hostname) ?? "proxied"
}

/** Whether a Worker may answer on this host. */
export function isRouted(table: RoutingTable, hostname: string): boolean {
  return (
    table.domains.has(hostname) ||
    table.routes.some(
      ({ pattern, script }) => script !== null && mayMatchHost(pattern, hostname),
    ) ||
    workersDevTarget(table, hostname) !== undefined
  )
}

function liveTarget({ scripts }: RoutingTable, name: string): Target | undefined {
  const script = scripts.get(name)
  return script && { script: name, versionId: undefined, live: script.versions }
}

function workersDevTarget(table: RoutingTable, hostname: string): Target | undefined {
  const suffix = `.${account.workersDevelopmentSubdomain}.workers.dev`
  if (!hostname.endsWith(suffix)) return undefined
  const label = hostname.slice(0, -suffix.length)
  if (table.scripts.get(label)?.workersDev) return liveTarget(table, label)

  return previewTarget(table, label)
}

/** Finds a version by the start of its id (docs: workers/configuration/previews). */
function previewTarget({ scripts }: RoutingTable, label: string): Target | undefined {
  for (const hyphen of label.matchAll(/-/g)) {
    const [start, name] = [label.slice(0, hyphen.index), label.slice(hyphen.index + 1)]
    const script = scripts.get(name)
    if (!script?.previews) continue
    const byId = /^[0-9a-f]{8}$/.test(start)
      ? script.uploaded.find((id) => id.startsWith(start))
      : undefined
    const versionId = byId
    if (versionId !== undefined) return { script: name, versionId, live: script.versions }
  }
  return undefined
}

/** The hostname is in lower case without a port; the query begins with `?` or is empty. */
export type Destination = {
  protocol: "http:" | "https:"
  hostname: string
  pathname: string
  search: string
}

type Pattern = {
  protocol: string | undefined
  hostname: string
  /** The pattern began with `*`, which matches any prefix of the hostname, even an empty one. */
  anyPrefix: boolean
  pathname: string
  /** The pattern ended with `*`. */
  anySuffix: boolean
}

/** The first of equals; undefined when no pattern matches. */
function findMostSpecificRoute<T extends { pattern: string }>(
  routes: T[],
  destination: Destination,
): T | undefined {
  return routes
    .map((route) => ({ route, pattern: parsePattern(route.pattern) }))
    .filter(({ pattern }) => matches(pattern, destination))
    .toSorted((a, b) => compare(a.pattern, b.pattern))[0]?.route
}

/** `[scheme://]host[/path]`, with `*` allowed first in the host and last in the path. */
function parsePattern(text: string): Pattern {
  const [, protocol, rest = ""] = /^(https?:)?(?:\/\/)?(.*)$/i.exec(text) ?? []
  const slash = rest.indexOf("/")
  const hostname = (slash === -1 ? rest : rest.slice(0, slash)).toLowerCase()
  const pathname = slash === -1 ? "/" : rest.slice(slash)
  const anyPrefix = hostname.startsWith("*")
  const anySuffix = pathname.endsWith("*")
  return {
    protocol: protocol?.toLowerCase(),
    hostname: anyPrefix ? hostname.slice(1) : hostname,
    anyPrefix,
    pathname: anySuffix ? pathname.slice(0, -1) : pathname,
    anySuffix,
  }
}

function mayMatchHost(pattern: string, hostname: string): boolean {
  return matchesHost(parsePattern(pattern), hostname)
}

function matchesHost(pattern: Pattern, hostname: string): boolean {
  return pattern.anyPrefix ? hostname.endsWith(pattern.hostname) : hostname === pattern.hostname
}

/** Patterns match the whole URL, its query included: `/login` does not match `/login?next=/`. */
function matches(pattern: Pattern, { protocol, hostname, pathname, search }: Destination): boolean {
  const host = matchesHost(pattern, hostname)
  const rest = `${pathname}${search}`
  const path = pattern.anySuffix ? rest.startsWith(pattern.pathname) : rest === pattern.pathname
  return host && path && (pattern.protocol ?? protocol) === protocol
}

/** An exact host before a wildcard, then the longer host; the same for the path; then a scheme before none. */
function compare(a: Pattern, b: Pattern): number {
  return (
    Number(a.anyPrefix) - Number(b.anyPrefix) ||
    b.hostname.length - a.hostname.length ||
    Number(a.anySuffix) - Number(b.anySuffix) ||
    b.pathname.length - a.pathname.length ||
    Number(a.protocol === undefined) - Number(b.protocol === undefined)
  )
}
