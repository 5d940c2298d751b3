import type { Context, Next } from "hono"

import { fail } from "../platform/http/failure.ts"
import type { HonoEnv } from "../platform/http/routing.ts"

const safe = new Set(["GET", "HEAD", "OPTIONS"])

/**
 * Checks the origin and sets the CORS headers. A trusted origin may call and read the response; any other is rejected
 * for every method.
 */
export async function guardOrigin(context: Context<HonoEnv>, next: Next) {
  const origin = context.req.header("origin")
  const rejection = rejectionOf(context, origin)
  if (rejection !== undefined) {
    context.set("refusedOrigin", origin?.slice(0, 200))
    context.header("vary", "Origin")
    return fail(context, rejection)
  }
  if (origin !== undefined && context.req.method === "OPTIONS") {
    const headers = { ...Object.fromEntries(corsHeaders(origin)), ...preflightHeaders }
    return context.body(null, 204, headers)
  }
  await next()
  // Set last, because a library's own response would not contain headers that were set earlier.
  for (const [name, value] of corsHeaders(origin)) context.res.headers.set(name, value)
  return undefined
}

/**
 * An unsafe method with a cookie needs an origin: sibling subdomains are same-site, so
 * SameSite=Lax does not stop a forged form.
 */
function rejectionOf(context: Context<HonoEnv>, origin: string | undefined) {
  if (origin === undefined) {
    const forged = !safe.has(context.req.method) && context.req.header("cookie") !== undefined
    return forged ? "MISSING_OR_NULL_ORIGIN" : undefined
  }
  const trusted = context.get("services").configuration.trustedOrigins.includes(origin)
  return trusted ? undefined : "INVALID_ORIGIN"
}

function corsHeaders(origin: string | undefined): [string, string][] {
  if (origin === undefined) return [["vary", "Origin"]]
  const exposed = "accounts-version, retry-after, x-request-id"
  return [
    ["vary", "Origin"],
    ["access-control-allow-origin", origin],
    ["access-control-allow-credentials", "true"],
    ["access-control-expose-headers", exposed],
  ]
}

const preflightHeaders = {
  "access-control-allow-methods": "GET, POST",
  // Tracing libraries add these headers to every request of a page.
  "access-control-allow-headers":
    "accounts-user, content-type, traceparent, tracestate, baggage, sentry-trace, x-datadog-trace-id, x-datadog-parent-id, x-datadog-origin, x-datadog-sampling-priority, x-datadog-tags",
  "access-control-max-age": "600",
}
