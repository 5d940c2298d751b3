import type { Context, Next } from "hono"

import type { HonoEnv } from "./hono-env.ts"

export const securityHeaders = [
  ["content-security-policy", "default-src 'none'; frame-ancestors 'none'"],
  ["cache-control", "no-store"],
  ["cross-origin-resource-policy", "same-site"],
  ["referrer-policy", "no-referrer"],
  ["strict-transport-security", "max-age=63072000; includeSubDomains"],
  ["x-content-type-options", "nosniff"],
] as const

/**
 * Adds the version, a request id, and each security header that the handler has not set itself. Hono's own
 * would take the client's id for the request's, and put the policy of the API in place of a page's.
 */
export async function addResponseHeaders(context: Context<HonoEnv>, next: Next) {
  await next()
  const { headers } = context.res
  headers.set("accounts-version", context.env.VERSION.id)
  headers.set("x-request-id", context.req.header("cf-ray") ?? crypto.randomUUID())
  for (const [name, value] of securityHeaders) if (!headers.has(name)) headers.set(name, value)
}
