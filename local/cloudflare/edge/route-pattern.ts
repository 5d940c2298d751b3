/** Where a request goes to: host name in lower case without port, path without query. */
export type Destination = { protocol: "http:" | "https:"; hostname: string; pathname: string }

type Pattern = {
  protocol: string | undefined
  hostname: string
  /** The pattern began with `*`: any prefix of the host name will do, an empty one too. */
  anyPrefix: boolean
  pathname: string
  /** The pattern ended with `*`. */
  anySuffix: boolean
}

/** Of the patterns that match, the most specific; the first of equals. */
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

/** Whether the pattern may match something of this host. */
export function mayMatchHost(pattern: string, hostname: string): boolean {
  return matchesHost(parsePattern(pattern), hostname)
}

function matchesHost(pattern: Pattern, hostname: string): boolean {
  return pattern.anyPrefix ? hostname.endsWith(pattern.hostname) : hostname === pattern.hostname
}

function matches(pattern: Pattern, { protocol, hostname, pathname }: Destination): boolean {
  const host = matchesHost(pattern, hostname)
  const path = pattern.anySuffix
    ? pathname.startsWith(pattern.pathname)
    : pathname === pattern.pathname
  return host && path && (pattern.protocol ?? protocol) === protocol
}

/** A whole host name before a prefix, then the longer host, then the same for the path. */
function compare(a: Pattern, b: Pattern): number {
  return (
    Number(a.anyPrefix) - Number(b.anyPrefix) ||
    b.hostname.length - a.hostname.length ||
    Number(a.anySuffix) - Number(b.anySuffix) ||
    b.pathname.length - a.pathname.length ||
    Number(a.protocol === undefined) - Number(b.protocol === undefined)
  )
}
