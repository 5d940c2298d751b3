import type { Context, Next } from "hono"

import { fail } from "./failure.ts"
import type { Http } from "./http.ts"

const safe = new Set(["GET", "HEAD", "OPTIONS"])

/**
 * CORS by hand and the origin guard in one: a known origin is answered and may read the answer, an
 * unknown one is refused on every method. A cookie on an unsafe method needs an origin, as sibling
 * subdomains are same-site and SameSite=Lax does not stop them.
 */
export const guardOrigin = async (context: Context<Http>, next: Next) => {
  const origin = context.req.header("origin")
  context.header("vary", "Origin", { append: true })
  if (origin === undefined) {
    const forged = !safe.has(context.req.method) && context.req.header("cookie") !== undefined
    return forged ? fail(context, "MISSING_OR_NULL_ORIGIN") : next()
  }
  if (!context.var.isolate.configuration.trustedOrigins.includes(origin)) {
    return fail(context, "INVALID_ORIGIN")
  }
  context.header("access-control-allow-origin", origin)
  context.header("access-control-allow-credentials", "true")
  context.header("access-control-expose-headers", "accounts-version, retry-after, x-request-id")
  if (context.req.method !== "OPTIONS") return next()
  context.header("access-control-allow-methods", "GET, POST")
  context.header("access-control-allow-headers", "content-type")
  context.header("access-control-max-age", "600")
  return context.body(null, 204)
}
