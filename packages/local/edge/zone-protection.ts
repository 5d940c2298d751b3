import { createHash } from "node:crypto"
import type { IncomingHttpHeaders } from "node:http"

import { matchesPattern } from "../faults/rule.ts"
import type { Settings, SettingsStore } from "../faults/settings.ts"
import { type EdgeAnswer, errorAnswer, html } from "../plane/edge-error.ts"
import { account, zoneOf } from "../state/seed.ts"
import type { RequestAddress } from "./request-address.ts"

type Asked = { headers: IncomingHttpHeaders; address: RequestAddress }

/** Returns Cloudflare's response to a rejected request, before any Worker runs; undefined for an allowed request. */
export type Protection = (asked: Asked) => EdgeAnswer | undefined

/**
 * Creates the checks, in Cloudflare's documented order: custom rules, Bot Fight Mode, Access
 * (developers.cloudflare.com/waf/feature-interoperability). Assumed: Browser Integrity Check comes first.
 */
export function createProtection(settings: Pick<SettingsStore, "read">): Protection {
  return (exchange) => {
    const { headers, address } = exchange
    const { browserCheck, fightMode, firewallRules, accessApplications } = settings.read()
    const isOfZone = zoneOf(address.hostname) !== undefined
    if (isOfZone && browserCheck && (headers["user-agent"] ?? "") === "") return banned(exchange)
    if (firewallRules.some((rule) => blocks(rule, exchange))) return blocked(exchange)
    if (isOfZone && fightMode && !isBrowser(headers)) return challenge
    const application = accessApplications.find(({ host }) => host === address.hostname)
    return application && accessDecision(application, exchange)
  }
}

/** "The owner of this website has banned your access based on your browser's signature". */
function banned({ headers, address }: Asked): EdgeAnswer {
  return errorAnswer(headers, {
    status: 403,
    number: 1010,
    title: `Access denied | ${address.hostname} used Cloudflare to restrict access`,
    text: `The owner of this website (${address.hostname}) has banned your access based on your browser's signature.`,
  })
}

function blocked({ headers, address }: Asked): EdgeAnswer {
  return errorAnswer(headers, {
    status: 403,
    number: 1020,
    title: "Attention Required! | Cloudflare",
    text: `Sorry, you have been blocked. You are unable to access ${address.hostname}.`,
  })
}

/** developers.cloudflare.com/cloudflare-challenges/challenge-types/challenge-pages/detect-response */
const challenge: EdgeAnswer = {
  status: 403,
  headers: { ...html, "cf-mitigated": "challenge" },
  text: `<!DOCTYPE html>
<html lang="en-US">
<head><title>Just a moment...</title></head>
<body><noscript>Enable JavaScript and cookies to continue</noscript></body>
</html>
`,
}

/**
 * Returns whether a request seems to be a browser's. Cloudflare uses the TLS handshake and more, not visible here.
 * Assumed: only browsers such as Chromium, Firefox and Safari send `Sec-Fetch-Site`.
 */
function isBrowser(headers: IncomingHttpHeaders): boolean {
  const { "user-agent": userAgent = "", "sec-fetch-site": site } = headers
  return userAgent.startsWith("Mozilla/") && site !== undefined
}

type FirewallRule = Settings["firewallRules"][number]

function blocks({ host, path, except }: FirewallRule, { headers, address }: Asked): boolean {
  if (host !== address.hostname || !matchesPattern(path, address.pathname)) return false
  return except === undefined || headers[except.header.toLowerCase()] !== except.value
}

type Application = Settings["accessApplications"][number]

/**
 * Returns Access's response to a wrong or missing service token. An application with a login redirects to it
 * (stefanko-ch/Nexus-Stack#893); without a login it responds with 403 (rahulmx.com/gists/cloudflare-non-identity).
 */
function accessDecision(application: Application, { headers, address }: Asked) {
  const { host, login, serviceTokens } = application
  const id = headers["cf-access-client-id"]
  const secret = headers["cf-access-client-secret"]
  if (serviceTokens.some((token) => token.id === id && token.secret === secret)) return undefined
  const audience = createHash("sha256").update(`access\0${host}`).digest("hex")
  const accessHeaders = { "cf-access-aud": audience, "cf-access-domain": host }
  if (!login) {
    const text = "<!DOCTYPE html><title>Forbidden</title><h1>Forbidden</h1>\n"
    return { status: 403, headers: { ...html, ...accessHeaders }, text }
  }
  const url = new URL(`https://${team}/cdn-cgi/access/login/${host}`)
  url.searchParams.set("kid", audience)
  url.searchParams.set("redirect_url", new URL(address.url).pathname + new URL(address.url).search)
  return { status: 302, headers: { ...accessHeaders, location: url.href }, text: "" }
}

const team = `${account.workersDevelopmentSubdomain}.cloudflareaccess.com`
