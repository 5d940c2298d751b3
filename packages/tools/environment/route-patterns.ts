import type { Environment } from "./environment.ts"
import { hostOf, isOnWorkersDev } from "./rules/url.ts"

/** The pattern that attaches the API's host; undefined where a domain does, or workers.dev. */
export function hostPattern({
  apiOrigin,
  attach,
}: Pick<Environment, "apiOrigin" | "attach">): string | undefined {
  const host = hostOf(apiOrigin) ?? ""
  return attach === "route" && !isOnWorkersDev(host) ? `${host}/*` : undefined
}

/** The patterns of all routes to the service, as reviewers see them and as they are deployed. */
export function routePatterns(
  environment: Pick<Environment, "apiOrigin" | "attach" | "routes">,
): string[] {
  const ofHost = hostPattern(environment)
  return [...new Set([...(ofHost === undefined ? [] : [ofHost]), ...environment.routes])]
}
