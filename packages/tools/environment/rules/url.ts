import { isLoopback } from "../../base/loopback.ts"
import { hasSecondModule } from "../bindings.ts"
import type { Environment } from "../environment.ts"
import { project } from "../project/own-project.ts"
import type { Described, Path } from "./rule.ts"

/** Returns the origins of an environment, each with its path in the file. */
export function originsOf({ environment }: Described): { path: Path; origin: URL }[] {
  const { apiOrigin, webOrigin, trustedOrigins = [] } = environment
  const namedUrls: { path: Path; origin: string | undefined }[] = [
    { path: ["accounts:apiOrigin"], origin: apiOrigin },
    { path: ["accounts:webOrigin"], origin: webOrigin },
    ...trustedOrigins.map((origin, index) => ({
      path: ["accounts:trustedOrigins", index],
      origin,
    })),
  ]
  return namedUrls.flatMap(({ path, origin }) => {
    const url = origin === undefined ? null : URL.parse(origin)
    return url ? [{ path, origin: url }] : []
  })
}

/** Returns the URLs of the services that the Worker calls, each with its path in the file. */
export function outboundUrls({ environment }: Described): { path: Path; url: string }[] {
  const { mailUrl, paymentUrl, identityProviders = {} } = environment
  const urls: { path: Path; url: string | undefined }[] = [
    { path: ["accounts:mailUrl"], url: mailUrl },
    { path: ["accounts:paymentUrl"], url: paymentUrl },
    ...Object.entries(identityProviders).flatMap(([id, declared]) =>
      Object.entries(declared)
        .filter(([key]) => /^(issuer|url)$|Url$/.test(key))
        .map(([key, url]) => ({ path: ["accounts:identityProviders", id, key], url: String(url) })),
    ),
  ]
  return urls.flatMap(({ path, url }) => (url === undefined ? [] : [{ path, url }]))
}

export function hostOf(origin: string | undefined): string | undefined {
  return origin === undefined ? undefined : URL.parse(origin)?.hostname
}

export function isWithin(host: string, domain: string): boolean {
  return host === domain || host.endsWith(`.${domain}`)
}

export function isOnWorkersDev(host: string): boolean {
  return isWithin(host, "workers.dev")
}

/** Whether a host is this machine, or is reachable only in its own network. Includes IPv4-mapped addresses. */
export function isPrivate(host: string): boolean {
  const address = host.replaceAll(/^\[|\]$/g, "")
  return (
    isLoopback(`http://${host}`) ||
    isWithin(host, "localhost") ||
    isWithin(host, "local") ||
    isWithin(host, "internal") ||
    /^(?:127|10|0)\.\d+\.\d+\.\d+$/.test(address) ||
    /^(?:192\.168|169\.254|172\.(?:1[6-9]|2\d|3[01]))\.\d+\.\d+$/.test(address) ||
    /^(?:::|::1|::ffff:.*|f[cd][0-9a-f]*:.*|fe[89ab][0-9a-f]*:.*)$/.test(address)
  )
}

type Attachment = Pick<Environment, "apiOrigin" | "attach">

/**
 * Returns the route patterns of the API's host. Empty if a custom domain or workers.dev attaches it; on a front
 * end's host, only the paths that the Worker answers.
 */
export function hostPatterns(environment: Attachment): string[] {
  const { apiOrigin, attach } = environment
  const host = hostOf(apiOrigin) ?? ""
  if (attach === "domain" || isOnWorkersDev(host)) return []
  const pages = hasSecondModule(environment) ? (project.secondModule?.paths ?? []) : []
  const paths = attach === "paths" ? ["/api/", ...pages] : ["/"]
  return paths.map((path) => `${host}${path}*`)
}

/** Returns the patterns of all routes to the service, for the review and the deployment. */
export function routePatterns(environment: Attachment & Pick<Environment, "routes">): string[] {
  return [...new Set([...hostPatterns(environment), ...environment.routes])]
}
