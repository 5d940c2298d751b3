import type { Context, Next } from "hono"

import type { HonoEnv } from "./hono-env.ts"

const securityHeaders: [string, string][] = [
  ["content-security-policy", "default-src 'none'; frame-ancestors 'none'"],
  ["cache-control", "no-store"],
  ["cross-origin-resource-policy", "same-site"],
  ["referrer-policy", "no-referrer"],
  ["strict-transport-security", "max-age=63072000; includeSubDomains"],
  ["x-content-type-options", "nosniff"],
]

export function fixedHeaders(version: string): [string, string][] {
  return [["accounts-version", version], ...securityHeaders]
}

/**
 * Adds the version, a request id, and each security header that the handler has not set itself. Hono's own
 * would take the client's id for the request's, and put the policy of the API in place of a page's.
 */
export async function addResponseHeaders(context: Context<HonoEnv>, next: Next) {
  await next()
  const { headers } = context.res
  headers.set("x-request-id", context.req.header("cf-ray") ?? crypto.randomUUID())
  for (const [name, value] of fixedHeaders(context.env.VERSION.id)) {
    if (!headers.has(name)) headers.set(name, value)
  }
}
