import { getIp } from "better-auth/api"
import type { Context, Next } from "hono"

import { isWithinLimit, retryAfter } from "../rate-limit.ts"
import { fail } from "./failure.ts"
import type { HonoEnv } from "./hono-env.ts"

/** Each GET of these may ask an identity provider, with the client secret. */
const asksProvider = /^\/api\/auth\/(sign-in|callback)\//

/**
 * Rate-limits requests per client network and path: a POST costs a password hash or an e-mail, and
 * others a call of a provider, which would refuse this service's calls in the end.
 */
export async function limitAddress(context: Context<HonoEnv>, next: Next) {
  const address = context.req.header("cf-connecting-ip")
  const isCostly = context.req.method === "POST" || asksProvider.test(context.req.path)
  if (!isCostly || address === undefined) return next()
  // Of IPv6 the /64: a household or server owns all addresses in it.
  const network = getIp(context.req.raw, context.get("services").auth.options) ?? address
  const key = `${network} ${context.req.path}`
  if (await isWithinLimit(context.env.LIMIT_ADDRESS, key)) return next()
  context.header("retry-after", String(retryAfter))
  return fail(context, "TOO_MANY_REQUESTS")
}
