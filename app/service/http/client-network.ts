import { getIp } from "better-auth/api"

/** The header that Cloudflare sets, whatever the client has sent. */
const header = "cf-connecting-ip"

export const ipAddress = { ipAddressHeaders: [header] }

/** The client's network: for IPv6 the /64, which a household or a server owns. Undefined where nothing says. */
export function networkOf(headers: Headers) {
  if (!headers.has(header)) return undefined
  return getIp(headers, { advanced: { ipAddress } }) ?? "unknown"
}
