import { getPublicSuffix } from "tldts"

import { siteOf } from "./host.ts"
import { at, type Found, lasting, type Rule, type Subject } from "./rule.ts"
import { hostOf, isWithin } from "./url.ts"

const key = "accounts:cookieDomain"

export const cookieRules: Rule[] = [
  {
    id: "R07",
    message:
      "No session cookie reaches the hosts of another environment, whose own it would shadow",
    fix: "give one of them a domain of its own; that of a preview contains {branch}",
    accept: "with a reason",
    applies: ({ environment }) => environment.cookieDomain !== undefined,
    check: (subject) => [...reachedNeighbours(subject), ...reachedPreviews(subject)],
  },
  {
    id: "R19",
    message: "API and front end are one site to a browser, or the session cookie is never sent",
    fix: "use hosts of one registrable domain, or accept it where only scripts sign in",
    accept: "with a reason",
    applies: ({ environment: { apiOrigin, webOrigin, cookieDomain } }) =>
      apiOrigin !== undefined && webOrigin !== undefined && cookieDomain === undefined,
    check: ({ environment: { apiOrigin, webOrigin } }) => {
      const [api, web] = [siteOf(apiOrigin), siteOf(webOrigin)]
      const reason = `is of the site ${web} and the API of ${api}: no member stays signed in`
      return at("accounts:webOrigin", api !== web && reason)
    },
  },
  {
    id: "R20",
    message: "The cookie domain is a parent of API and front end",
    fix: "name the domain that both lie in",
    applies: ({ environment }) => environment.cookieDomain !== undefined,
    check: ({ environment: { cookieDomain = "", apiOrigin, webOrigin } }) =>
      [hostOf(apiOrigin), hostOf(webOrigin)].flatMap((host) => {
        const reason = `${cookieDomain} is not a parent of ${host}: browsers would drop the cookie`
        return at(key, host !== undefined && !isWithin(host, cookieDomain) && reason)
      }),
  },
  {
    id: "R21",
    message: "The cookie domain is no public suffix",
    fix: "name a domain that is yours alone",
    check: ({ environment: { cookieDomain } }) => {
      const reason = `${cookieDomain} is a public suffix: browsers reject the cookie, or share it with other people's sites`
      return at(key, cookieDomain !== undefined && isPublicSuffix(cookieDomain) && reason)
    },
  },
  {
    id: "R22",
    message: "The cookie domain is as narrow as API and front end allow",
    fix: "name the narrowest domain that both lie in",
    accept: "with a reason",
    applies: lasting,
    check: ({ environment: { cookieDomain, apiOrigin, webOrigin } }) => {
      const [api, web] = [hostOf(apiOrigin), hostOf(webOrigin)]
      if (!cookieDomain || !api || !web || isPublicSuffix(cookieDomain)) return []
      const needed = commonParent(api, web)
      const isWider = needed !== cookieDomain && isWithin(needed, cookieDomain)
      return at(key, isWider && `${cookieDomain} is wider than ${needed}, which is all they need`)
    },
  },
]

function reachedNeighbours({ environment, neighbours }: Subject): Found[] {
  const { cookieDomain = "" } = environment
  return neighbours.flatMap(({ stack, environment: { apiOrigin, webOrigin } }) =>
    [hostOf(apiOrigin), hostOf(webOrigin)]
      .filter((host) => host !== undefined && isWithin(host, cookieDomain))
      .slice(0, 1)
      .flatMap((host) =>
        at(key, `${cookieDomain} sends this environment's sessions to ${host} of ${stack}`),
      ),
  )
}

/** Reports a domain without the branch: all previews have one template, and would share the cookie. */
function reachedPreviews({ stack, environment }: Subject): Found[] {
  const { cookieDomain = "", environment: kind } = environment
  const branch = stack.replace(/^preview-/, "")
  if (kind !== "preview" || branch === stack || cookieDomain.includes(branch)) return []
  return at(key, `${cookieDomain} sends the sessions of one preview to every other`)
}

function isPublicSuffix(domain: string): boolean {
  return getPublicSuffix(domain, { allowPrivateDomains: true }) === domain
}

function commonParent(a: string, b: string): string {
  const labels = a.split(".")
  const parents = labels.map((_, index) => labels.slice(index).join("."))
  return parents.find((parent) => isWithin(b, parent)) ?? ""
}
