import type { Context, Next } from "hono"

import { failsDuring } from "../database/bounded-database.ts"
import { fail } from "./failure.ts"
import { log } from "./log.ts"
import type { HonoEnv } from "./routing.ts"

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
 * Adds the version, a request id, and each security header that the handler has not set. Hono's middleware would
 * accept a request id from the client, and replace a page's policy.
 */
export async function addResponseHeaders(context: Context<HonoEnv>, next: Next) {
  await next()
  const { headers } = context.res
  headers.set("x-request-id", context.req.header("cf-ray") ?? crypto.randomUUID())
  for (const [name, value] of fixedHeaders(context.env.VERSION.id)) {
    if (!headers.has(name)) headers.set(name, value)
  }
}

/** Logs one line per request, with the declared route, because real paths and queries contain tokens. */
export async function logRequest(context: Context<HonoEnv>, next: Next) {
  const started = Date.now()
  await next()
  const { headers, status } = context.res
  // Monitors poll every few seconds, and would drown out everything else.
  if (context.req.path === "/api/health" && status === 200) return
  const refusedOrigin = context.get("refusedOrigin")
  const level = status >= 500 ? "error" : refusedOrigin === undefined ? "info" : "warn"
  log(level, "request", {
    id: headers.get("x-request-id") ?? "none",
    method: context.req.method,
    route: context.get("route") ?? "none",
    status,
    ms: Date.now() - started,
    ...(refusedOrigin !== undefined && { refusedOrigin, trustIn: "accounts:trustedOrigins" }),
  })
}

/**
 * Answers 503 without cookies if the database failed during the request, even if the handler succeeded. The
 * authentication library treats such a failure as an ended session, or as success.
 */
export async function answerOutage(context: Context<HonoEnv>, next: Next) {
  if (!(await failsDuring(next))) return
  const { res } = context
  // A redirect with an error stays a redirect, so that the front end shows the error.
  const location = res.headers.get("location") ?? ""
  const failedLocation = location.replace(/([?&]error=)\w+/, "$1unavailable")
  const answer =
    failedLocation === location ? fail(context, "UNAVAILABLE") : context.redirect(failedLocation)
  const keptHeaders = [...res.headers].filter(([name]) => !bodyHeaders.has(name))
  for (const [name, value] of keptHeaders) answer.headers.set(name, value)
  answer.headers.delete("set-cookie")
  // Hono would merge the cookies of both responses.
  context.res = undefined
  context.res = answer
}

const bodyHeaders = new Set(["set-cookie", "content-type", "content-length", "location"])
