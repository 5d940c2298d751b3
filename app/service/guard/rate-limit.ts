import { getIp } from "better-auth/api"

import type { Env } from "../platform/configuration/env.ts"

/** Header that Cloudflare sets. It replaces any value from the client. */
const header = "cf-connecting-ip"

export const ipAddress = { ipAddressHeaders: [header] }

/**
 * Returns the client's network: for IPv6 the /64, which belongs to one household or server. Undefined if it
 * is unknown.
 */
export function networkOf(headers: Headers) {
  if (!headers.has(header)) return undefined
  return getIp(headers, { advanced: { ipAddress } }) ?? "unknown"
}

/**
 * Returns the networks that a client's requests count against. A holder of an IPv6 /48, which providers give away, has
 * 65,536 networks of /64. So the /48 has the limit of an IPv4 address, and a /56, the size for households, a lower
 * limit.
 */
export function networksOf(headers: Headers) {
  const network = networkOf(headers)
  if (network === undefined) return undefined
  if (!network.includes(":")) return { site: network }
  const [first, second, third, fourth = ""] = network.split(":")
  const site = `${first}:${second}:${third}`
  return { site, household: `${site}:${fourth.slice(0, 2)}` }
}

/** Seconds until a rejected client may retry: the longest period of the rate limiters. */
export const retryAfter = 60

/** Counts one request for the key. True if the rate limiter admits it, or if none is bound. */
export async function isWithinLimit(limit: Env["LIMIT_ADDRESS"], key: string) {
  if (limit === undefined) return true
  const { success } = await limit.limit({ key })
  return success
}
