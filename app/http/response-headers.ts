import type { Context, Next } from "hono"

import { fail } from "./failure.ts"
import type { Http } from "./hono-env.ts"
import { log } from "./log.ts"

/**
 * Gives every answer its version, request id and security headers, and writes one line about it:
 * the route as declared, as paths and queries hold tokens.
 */
export async function frame(context: Context<Http>, next: Next) {
  const started = Date.now()
  const id = context.req.header("cf-ray") ?? crypto.randomUUID()
  await next()
  const { headers, status } = context.res
  headers.set("accounts-version", context.env.VERSION.id)
  headers.set("x-request-id", id)
  for (const [name, value] of security) if (!headers.has(name)) headers.set(name, value)
  // Whoever watches asks every few seconds, and would hear of nothing else.
  if (context.req.path === "/api/health" && status === 200) return
  log(status >= 500 ? "error" : "info", "request", {
    id,
    method: context.req.method,
    route: context.get("route") ?? "none",
    status,
    ms: Date.now() - started,
  })
}

export const security = [
  ["content-security-policy", "default-src 'none'; frame-ancestors 'none'"],
  ["cache-control", "no-store"],
  ["cross-origin-resource-policy", "same-site"],
  ["referrer-policy", "no-referrer"],
  ["strict-transport-security", "max-age=63072000; includeSubDomains"],
  ["x-content-type-options", "nosniff"],
] as const

const unsafe = new Set(["POST", "PUT", "PATCH", "DELETE"])

/** A form can be sent by any page without asking; JSON cannot. */
export async function requireJson(context: Context<Http>, next: Next) {
  const { req } = context
  if (!unsafe.has(req.method) || req.raw.body === null) return next()
  if (req.header("content-length") === "0") {
    // Announced as empty it would still be a body, and of no type.
    req.raw = new Request(req.raw, { body: null })
    return next()
  }
  const type = req.header("content-type") ?? ""
  if (!/^application\/json\s*(;|$)/i.test(type)) return fail(context, "UNSUPPORTED_MEDIA_TYPE")
  return next()
}
