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
export function findMostSpecificRoute<T extends { pattern: string }>(
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

export function mayMatchHost(pattern: string, hostname: string): boolean {
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
