import { getDomain } from "tldts"

import { hasSecondModule } from "../bindings.ts"
import { physicalName, templateBranch } from "../environment.ts"
import { permanent } from "../stack-keys.ts"
import { at, lasting, type Found, type Rule, type Subject } from "./rule.ts"
import { hostOf, isOnWorkersDev, isPrivate, isWithin, originsOf } from "./url.ts"

export const hostRules: Rule[] = [
  {
    id: "R11",
    message: "The host of the API lies in the zone that the file names, or on workers.dev",
    fix: "name the zone that holds the host",
    applies: ({ environment }) => environment.apiOrigin !== undefined,
    check: checkZone,
  },
  {
    id: "R12",
    message: "A host on workers.dev begins with the name of the Worker",
    fix: "write the host with the Worker's name, or set accounts:name",
    applies: ({ environment }) => isOnWorkersDev(hostOf(environment.apiOrigin) ?? ""),
    check: ({ stack, environment }) => {
      const worker = `${physicalName(stack, environment)}.`
      const isOwn = hostOf(environment.apiOrigin)?.startsWith(worker)
      const reason = `must start with https://${worker} as that is the Worker's name`
      return at("accounts:apiOrigin", !isOwn && reason)
    },
  },
  {
    id: "R13",
    message: "A route needs a zone",
    fix: "remove it, or use a host in a zone of yours",
    applies: ({ environment }) => isOnWorkersDev(hostOf(environment.apiOrigin) ?? ""),
    check: ({ environment: { attach, routes = [] } }) => {
      const reason = "needs an apiOrigin in a zone of yours"
      return [
        ...at("accounts:attach", (attach ?? "domain") !== "domain" && reason),
        ...at("accounts:routes", routes.length > 0 && reason),
      ]
    },
  },
  {
    id: "R68",
    message: "Beside a front end on its host, the Worker takes only the paths that it answers",
    fix: "set accounts:attach: paths, or accept it where the host has no front end",
    accept: "with a reason",
    applies: (subject) =>
      lasting(subject) && !isOnWorkersDev(hostOf(subject.environment.apiOrigin) ?? ""),
    check: ({ environment }) => {
      const { apiOrigin, webOrigin, attach = "domain" } = environment
      const isOne = apiOrigin !== undefined && apiOrigin === webOrigin
      const reason = `takes every path of ${apiOrigin}, which is also accounts:webOrigin`
      return at(
        "accounts:attach",
        isOne && attach !== "paths" && !hasSecondModule(environment) && `${attach} ${reason}`,
      )
    },
  },
  {
    id: "R69",
    message: "Paths are taken of the front end's own host, to which its cookies are limited",
    fix: "write one origin as accounts:apiOrigin and accounts:webOrigin, without accounts:cookieDomain",
    applies: ({ environment: { attach } }) => attach === "paths",
    check: ({ environment: { apiOrigin, webOrigin, cookieDomain } }) => [
      ...at(
        "accounts:webOrigin",
        apiOrigin !== webOrigin && `is not ${apiOrigin}, of which accounts:attach takes paths`,
      ),
      ...at(
        "accounts:cookieDomain",
        cookieDomain !== undefined && "sends cookies to hosts beside the only one that needs them",
      ),
    ],
  },
  {
    id: "R14",
    message: "Origins of a permanent environment are https",
    fix: "write https://",
    applies: ({ environment }) => permanent(environment),
    check: refusing(
      ({ protocol, hostname }) => protocol !== "https:" && !isPrivate(hostname),
      "must be https in a permanent environment",
    ),
  },
  {
    id: "R15",
    message: "An origin names one host: * stands for nothing here, and for everything in a pattern",
    fix: "name each host",
    check: refusing(({ hostname }) => hostname.includes("*"), "names more than one host"),
  },
  {
    id: "R16",
    message: "A permanent environment trusts no page of a developer's machine or private network",
    fix: "remove it, or name the public host",
    applies: lasting,
    check: refusing(
      ({ hostname }) => isPrivate(hostname),
      "is whatever runs on the machine of the person who asks",
    ),
  },
  {
    id: "R17",
    message: "A permanent environment trusts no preview, and no host that anyone can register",
    fix: "name a host of your own domain",
    applies: lasting,
    check: refusing(
      ({ origin, hostname }, subject) =>
        origin !== subject.environment.apiOrigin &&
        (isShared(hostname) || isOfPreview(hostname, subject)),
      "is a preview, or a host that anyone can register",
    ),
  },
  {
    id: "R18",
    message: "The web origin is among the trusted ones",
    fix: "add it to accounts:trustedOrigins",
    applies: ({ environment: { webOrigin, trustedOrigins } }) =>
      webOrigin !== undefined && trustedOrigins !== undefined,
    check: ({ environment: { webOrigin = "", trustedOrigins = [] } }) => {
      const reason = `lacks ${webOrigin}, the web origin: every browser would be refused`
      return at("accounts:trustedOrigins", !trustedOrigins.includes(webOrigin) && reason)
    },
  },
  {
    id: "R23",
    message: "Every trusted origin shares a registrable domain with the API or the front end",
    fix: 'remove it, or accept it by name: accounts:accept: {R23: "<origin>: <reason>"}',
    accept: "by name",
    applies: lasting,
    check: (subject) => {
      const { apiOrigin, webOrigin } = subject.environment
      const ours = new Set([siteOf(apiOrigin), siteOf(webOrigin)])
      return originsOf(subject)
        .filter(({ path }) => path[0] === "accounts:trustedOrigins")
        .filter(({ origin: { hostname } }) => !isNamedElsewhere(hostname, subject))
        .filter(({ origin }) => !ours.has(siteOf(origin.origin)))
        .map(({ path, origin: { origin } }) => ({
          path,
          reason: `${origin} is of another site, and its pages may call with the member's cookies`,
          value: origin,
        }))
    },
  },
]

/** Returns a check that reports each origin of the file for which `isWrong` is true. */
function refusing(isWrong: (origin: URL, subject: Subject) => boolean, reason: string) {
  return (subject: Subject): Found[] =>
    originsOf(subject)
      .filter(({ origin }) => isWrong(origin, subject))
      .map(({ path, origin }) => ({ path, reason: `${origin.origin} ${reason}` }))
}

/** Returns the site of an origin as browsers define it; the host itself if it has no registrable domain. */
export function siteOf(origin: string | undefined): string | undefined {
  const host = hostOf(origin)
  return host && (getDomain(host, { allowPrivateDomains: true }) ?? host)
}

function isShared(host: string): boolean {
  return ["workers.dev", "pages.dev"].some((domain) => isWithin(host, domain))
}

/** Whether the preview template produces this host for some branch. */
function isOfPreview(host: string, { neighbours }: Subject): boolean {
  return neighbours
    .flatMap(({ environment: { environment, apiOrigin, webOrigin } }) =>
      environment === "preview" ? [hostOf(apiOrigin), hostOf(webOrigin)] : [],
    )
    .some((previewHost = "") => {
      const [before = "", after = ""] = previewHost.split(templateBranch)
      if (before === "" && after.startsWith(".")) return host === previewHost
      return previewHost.includes(templateBranch) && host.startsWith(before) && host.endsWith(after)
    })
}

/** Whether another rule reports this host. */
function isNamedElsewhere(host: string, subject: Subject): boolean {
  return host.includes("*") || isPrivate(host) || isShared(host) || isOfPreview(host, subject)
}

function checkZone({ environment: { apiOrigin, zone }, values }: Subject): Found[] {
  const host = hostOf(apiOrigin) ?? ""
  const key = "accounts:zone"
  if (isOnWorkersDev(host)) {
    const reason = "has no meaning with an apiOrigin on workers.dev"
    return zone ? [{ path: [key], reason, fix: "remove it" }] : []
  }
  if (zone) return at("accounts:apiOrigin", !isWithin(host, zone) && `is not in the zone ${zone}`)
  return at(key, !(key in values) && `is missing: nothing says which zone holds ${host}`)
}
