import { type Described, type Found, type Rule, type Subject } from "./rule.ts"
import { hostOf, isWithin } from "./url.ts"

type Pattern = { text: string; index: number; host: string; anyPrefix: boolean; path: string }

export const routeRules: Rule[] = [
  {
    id: "R27",
    message:
      "A route is written as Cloudflare reads it: * first in the host or last in the path, no query",
    fix: "write it like acme.io/api/*",
    check: (subject) =>
      patternsOf(subject)
        .filter((pattern) => !isWellFormed(pattern))
        .map((pattern) => found(pattern, "is no pattern of Cloudflare's")),
  },
  {
    id: "R28",
    message: "Every route lies in the zone",
    fix: "remove it, or move it to the environment of that zone",
    applies: ({ environment: { zone } }) => zone !== undefined,
    check: (subject) =>
      patternsOf(subject)
        .filter(isWellFormed)
        .filter(({ host }) => !isInZone(host, subject))
        .map((pattern) => found(pattern, `is not in the zone ${subject.environment.zone}`)),
  },
  {
    id: "R29",
    message: "No route takes the front end's pages",
    fix: "limit it to a path, such as /api/*",
    check: (subject) =>
      patternsOf(subject)
        .filter((pattern) => reaches(pattern, subject) === "front end")
        .map((pattern) => found(pattern, "answers in place of the front end's pages")),
  },
  {
    id: "R30",
    message: "No route takes the requests of another environment",
    fix: "name this environment's own hosts",
    check: (subject) =>
      patternsOf(subject)
        .filter((pattern) => reaches(pattern, subject) === "neighbour")
        .map((pattern) => found(pattern, "answers in place of another environment")),
  },
  {
    id: "R31",
    message: "No route takes a whole host that nothing else in the file names",
    fix: 'limit it to a path, or accept it by name: accounts:accept: {R31: "<pattern>: <reason>"}',
    accept: "by name",
    check: (subject) =>
      patternsOf(subject)
        .filter((pattern) => reaches(pattern, subject) === "unnamed")
        .map((pattern) => {
          const { path, reason } = found(pattern, "takes hosts that this environment does not name")
          return { path, reason, value: pattern.text }
        }),
  },
]

function found({ text, index }: Pattern, reason: string): Found {
  return { path: ["accounts:routes", index], reason: `${text} ${reason}` }
}

function patternsOf({ environment: { routes = [] } }: Described): Pattern[] {
  return routes.map((text, index) => {
    const slash = text.indexOf("/")
    const host = (slash === -1 ? text : text.slice(0, slash)).toLowerCase()
    return {
      text,
      index,
      host: host.replace(/^\*/, ""),
      anyPrefix: host.startsWith("*"),
      path: slash === -1 ? "/*" : text.slice(slash),
    }
  })
}

/** Cloudflare refuses other wildcards with error 10022. */
function isWellFormed({ host, path }: Pattern): boolean {
  return /^\.?[a-z0-9-]+(?:\.[a-z0-9-]+)+$/.test(host) && /^\/[^*?#]*\*?$/.test(path)
}

function isInZone(host: string, { environment: { zone = "" } }: Subject): boolean {
  return isWithin(host.replace(/^\./, ""), zone)
}

/** Returns the most serious conflict of a pattern; undefined if there is no conflict. */
function reaches(
  pattern: Pattern,
  subject: Subject,
): "neighbour" | "front end" | "unnamed" | undefined {
  const { environment, neighbours } = subject
  if (!isWellFormed(pattern) || !isInZone(pattern.host, subject)) return undefined
  const neighbourHosts = neighbours.flatMap((neighbour) => [
    hostOf(neighbour.environment.apiOrigin),
    hostOf(neighbour.environment.webOrigin),
  ])
  if (neighbourHosts.some((host) => takes(pattern, host))) return "neighbour"
  const whole = /^\/\*?$/.test(pattern.path)
  const api = hostOf(environment.apiOrigin)
  const pages = [environment.webOrigin, ...(environment.trustedOrigins ?? [])]
    .map(hostOf)
    .filter((host) => host !== api || environment.attach === "paths")
  if (whole && pages.some((host) => takes(pattern, host))) return "front end"
  if (pattern.anyPrefix) return "unnamed"
  return whole && pattern.host !== api ? "unnamed" : undefined
}

function takes({ host, anyPrefix }: Pattern, requestHost: string | undefined): boolean {
  if (requestHost === undefined) return false
  return anyPrefix ? requestHost.endsWith(host) : requestHost === host
}
