import { getIp } from "better-auth/api"
import type { Context, Next } from "hono"

import { fail } from "./failure.ts"
import type { HonoEnv } from "./hono-env.ts"
import { isWithinLimit, retryAfter } from "./rate-limit.ts"

/**
 * Rate-limits requests per client network and declared path. A POST costs a password hash or an e-mail. A
 * path with a parameter costs a call of a provider, which would refuse this service's calls in the end, or
 * a question to the database for whatever stands there.
 */
export async function limitAddress(context: Context<HonoEnv>, next: Next) {
  const route = context.get("route") ?? ""
  const isCostly = context.req.method === "POST" || route.includes(":")
  const address = isCostly ? context.req.header("cf-connecting-ip") : undefined
  if (address === undefined) return next()
  // For IPv6 the /64 counts: a household or server owns all addresses in it.
  const network = getIp(context.req.raw, context.get("services").auth.options) ?? address
  const key = `${network} ${route}`
  if (await isWithinLimit(context.env.LIMIT_ADDRESS, key)) return next()
  context.header("retry-after", String(retryAfter))
  return fail(context, "TOO_MANY_REQUESTS")
}
