import { leadingRoute, type Route } from "./routes.ts"

type Host = {
  hostname: string
  /** Patterns of the routes that the stack makes. */
  routes: string[]
  /** Names of the stack's own Worker. */
  own: string[]
}

/** Those of a zone's routes that keep requests from a host's API. */
export function foreignRoutes(found: Route[], { hostname, routes, own }: Host) {
  const ours = found.filter(({ script }) => own.includes(script ?? ""))
  const others = found.filter((route) => !ours.includes(route))
  const stack = routes.map((pattern) => ({ pattern }))
  return {
    /** They have a pattern of the stack's. */
    taken: others.filter(({ pattern }) => routes.includes(pattern)),
    /** They come before what attaches the host: each with a request that it takes. */
    before: others
      .filter(({ pattern }) => !routes.includes(pattern))
      .map((route) => ({ route, url: requestOf(route, hostname) }))
      .filter(({ route, url }) => leadingRoute([...stack, route], url) === route),
    /** The stack has made its own already. */
    live: ours.some(({ pattern }) => routes.includes(pattern)),
  }
}

/** A request for the API at the host that a route takes, if it takes any. */
function requestOf({ pattern }: Route, hostname: string): URL {
  const [, path = ""] = /^(?:\w+:\/\/)?[^/]*\/(.*?)\*?$/.exec(pattern) ?? []
  return new URL(path.startsWith("api/") ? path : "api/health", `https://${hostname}`)
}
