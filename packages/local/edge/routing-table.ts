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

/** A null script turns Workers off for the requests that match the route. */
export type Route = { pattern: string; script: string | null }

/** All data that decides which script serves a request. The edge never changes it. */
export type RoutingTable = {
  /** Scripts by custom domain, in lower case. */
  domains: ReadonlyMap<string, string>
  routes: Route[]
  scripts: ReadonlyMap<string, RoutedScript>
  /** Resolves a hostname from a zone's DNS records, by the zone's name. */
  zones: ReadonlyMap<string, (hostname: string) => "proxied" | "dns-only" | "none">
}

/** The script that serves a request. A preview URL sets `versionId`; otherwise a live version is chosen. */
export type Target = { script: string; versionId: string | undefined; live: LiveVersion[] }

/** Returns undefined if no Worker matches. Routes take precedence over a custom domain of the same host. */
export function findTarget(table: RoutingTable, destination: Destination): Target | undefined {
  const route = findMostSpecificRoute(table.routes, destination)
  if (route) return route.script === null ? undefined : liveTarget(table, route.script)
  const domain = table.domains.get(destination.hostname)
  if (domain !== undefined) return liveTarget(table, domain)
  return workersDevTarget(table, destination.hostname)
}

/** Resolves a host with the account's zones. A host outside them, such as on workers.dev, counts as proxied. */
export function resolveHost({ zones }: RoutingTable, hostname: string) {
  return zones.get(zoneOf(hostname)?.name ?? "")?.(hostname) ?? "proxied"
}

/** Returns whether a Worker may serve this host. */
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

/** Finds a version by the first eight digits of its id (docs: workers/configuration/previews). */
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

/** A request's URL. `hostname` is in lower case; `search` begins with `?` or is empty. */
export type Destination = {
  protocol: "http:" | "https:"
  hostname: string
  pathname: string
  search: string
}

type Pattern = {
  protocol: string | undefined
  hostname: string
  /** Whether the pattern began with `*`, which matches any prefix of the hostname, even an empty one. */
  anyPrefix: boolean
  pathname: string
  /** Whether the pattern ended with `*`. */
  anySuffix: boolean
}

/** Returns the first of equally specific routes; undefined if no pattern matches. */
function findMostSpecificRoute<T extends { pattern: string }>(
  routes: T[],
  destination: Destination,
): T | undefined {
  return routes
    .map((route) => ({ route, pattern: parsePattern(route.pattern) }))
    .filter(({ pattern }) => matches(pattern, destination))
    .toSorted((a, b) => compare(a.pattern, b.pattern))[0]?.route
}

/** Parses `[scheme://]host[/path]`, in which `*` may begin the host and end the path. */
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

/** Matches the whole URL, including the query: `/login` does not match `/login?next=/`. */
function matches(pattern: Pattern, { protocol, hostname, pathname, search }: Destination): boolean {
  const host = matchesHost(pattern, hostname)
  const rest = `${pathname}${search}`
  const path = pattern.anySuffix ? rest.startsWith(pattern.pathname) : rest === pattern.pathname
  return host && path && (pattern.protocol ?? protocol) === protocol
}

/** Sorts exact hosts before wildcards and longer hosts first, then paths likewise, then patterns with a scheme. */
function compare(a: Pattern, b: Pattern): number {
  return (
    Number(a.anyPrefix) - Number(b.anyPrefix) ||
    b.hostname.length - a.hostname.length ||
    Number(a.anySuffix) - Number(b.anySuffix) ||
    b.pathname.length - a.pathname.length ||
    Number(a.protocol === undefined) - Number(b.protocol === undefined)
  )
}
