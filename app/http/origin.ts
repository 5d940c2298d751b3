import type { Context, Next } from "hono"

import { fail } from "./failure.ts"
import type { Http } from "./hono-env.ts"

const safe = new Set(["GET", "HEAD", "OPTIONS"])

/**
 * CORS by hand and the origin guard in one: a known origin is answered and may read the answer, an
 * unknown one is refused on every method.
 */
export async function guardOrigin(context: Context<Http>, next: Next) {
  const origin = context.req.header("origin")
  const refusal = refusalOf(context, origin)
  if (refusal !== undefined) {
    context.header("vary", "Origin")
    return fail(context, refusal)
  }
  if (origin !== undefined && context.req.method === "OPTIONS") {
    return context.body(null, 204, { ...shared(origin), ...preflight })
  }
  await next()
  // Only now: headers set before would be lost with an answer that a library made by itself.
  const headers = Object.entries(origin === undefined ? { vary: "Origin" } : shared(origin))
  for (const [name, value] of headers) context.res.headers.set(name, value)
  return undefined
}

/**
 * A cookie on an unsafe method needs an origin: sibling subdomains are same-site, where
 * SameSite=Lax does not stop a forged form.
 */
function refusalOf(context: Context<Http>, origin: string | undefined) {
  if (origin === undefined) {
    const forged = !safe.has(context.req.method) && context.req.header("cookie") !== undefined
    return forged ? "MISSING_OR_NULL_ORIGIN" : undefined
  }
  const trusted = context.var.isolate.configuration.trustedOrigins.includes(origin)
  return trusted ? undefined : "INVALID_ORIGIN"
}

function shared(origin: string) {
  return {
    vary: "Origin",
    "access-control-allow-origin": origin,
    "access-control-allow-credentials": "true",
    "access-control-expose-headers": "accounts-version, retry-after, x-request-id",
  }
}

const preflight = {
  "access-control-allow-methods": "GET, POST",
  "access-control-allow-headers": "content-type",
  "access-control-max-age": "600",
}
