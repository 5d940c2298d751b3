import type { ServiceResponse } from "./service-request.ts"

/** Why something in front of the Worker answered in its place. */
export type Refusal = {
  problem: string
  /** No wait changes it: somebody has to allow the request. */
  final: boolean
}

const headersKey = "accounts:trialHeaders"

/**
 * Which product of Cloudflare's answered without the Worker, and what to allow there. The signs are
 * those of https://developers.cloudflare.com/support/troubleshooting/http-status-codes/cloudflare-1xxx-errors/,
 * https://developers.cloudflare.com/cloudflare-challenges/challenge-types/challenge-pages/detect-response/
 * and https://developers.cloudflare.com/cloudflare-one/identity/service-tokens/.
 */
export function describeRefusal(response: ServiceResponse): Refusal {
  const { status, text } = response
  const code = /error code: (\d{4})\b/i.exec(text)?.[1]
  const final = (problem: string): Refusal => ({ problem: `${status}: ${problem}`, final: true })
  const passing = (problem: string): Refusal => ({ problem: `${status}: ${problem}`, final: false })

  const login = accessLogin(response)
  if (login !== undefined || response.headers["cf-access-domain"] !== undefined) {
    const how = login === undefined ? "refuses this client" : `asks for a login at ${login}`
    return final(
      `Cloudflare Access ${how}. Let releases pass with a service token: add a policy with the action ` +
        `Service Auth for it, and seal its CF-Access-Client-Id and CF-Access-Client-Secret under ${headersKey}`,
    )
  }
  if (response.headers["cf-mitigated"] === "challenge") {
    return final(
      "Cloudflare challenges this client as a bot (cf-mitigated: challenge). Turn off Bot Fight Mode for the zone, " +
        `which no rule can skip, or add a WAF rule that skips challenges for a header under ${headersKey}`,
    )
  }
  if (code === "1010") {
    return final(
      "Cloudflare's Browser Integrity Check refused this client (error 1010). Turn it off for this host with a " +
        "configuration rule of the zone",
    )
  }
  if (code === "1020") {
    return final(
      "a WAF rule of the zone refused this client (error 1020). Add a rule before it that skips it for a header " +
        `under ${headersKey}`,
    )
  }
  if (code === "1016" || status === 530) {
    return passing(
      "the host's DNS record leads to no origin (error 1016): no Worker is attached to the host here yet",
    )
  }
  if (status === 429) {
    const wait = response.headers["retry-after"]
    return passing(
      `a rate limit of the zone refused this client (error ${code ?? "1015"})` +
        `${wait === undefined ? "" : `, for ${wait} s`}. Let the rate limiting rule skip a header under ${headersKey}`,
    )
  }
  return {
    problem: `${status} without the header accounts-version: no version of this service answered`,
    final: false,
  }
}

/** Host of the login page to which Access redirects, if it does. */
function accessLogin({ status, headers }: ServiceResponse): string | undefined {
  const { location = "" } = headers
  if (status < 300 || status > 399 || !URL.canParse(location)) return undefined
  const { hostname, pathname } = new URL(location)
  const isLogin =
    hostname.endsWith(".cloudflareaccess.com") || pathname.startsWith("/cdn-cgi/access/")
  return isLogin ? hostname : undefined
}
