import { Hono, type MiddlewareHandler } from "hono"
import { bodyLimit } from "hono/body-limit"
import { HTTPException } from "hono/http-exception"

import { ApiError } from "../cloudflare/protocol/envelope.ts"
import { onlyLoopback } from "../cloudflare/protocol/guard.ts"

const largest = 256 * 1024

/**
 * What every end has in common: it answers on loopback names alone, takes nothing from pages of
 * other origins, and what it shows may not be framed, cached or embedded.
 */
export function createEnd(routes: Hono): Hono {
  const app = new Hono()
  app.use(withHeaders, onlyLoopback, bodyLimit({ maxSize: largest }))
  app.route("/", routes)
  app.notFound((c) => c.json({ error: "There is nothing here" }, 404))
  app.onError((error, c) => {
    if (error instanceof ApiError) return c.json({ error: error.message }, error.status)
    if (error instanceof HTTPException) return c.json({ error: error.message }, error.status)
    process.stderr.write(`${error.stack ?? error.message}\n`)
    return c.json({ error: "It failed; the terminal says why" }, 500)
  })
  return app
}

const headers = [
  ["content-security-policy", policyOf([])],
  ["cross-origin-opener-policy", "same-origin"],
  ["cross-origin-resource-policy", "same-origin"],
  ["cache-control", "no-store"],
  ["referrer-policy", "no-referrer"],
  ["x-content-type-options", "nosniff"],
] as const

const withHeaders: MiddlewareHandler = async (c, next) => {
  await next()
  for (const [name, value] of headers) if (!c.res.headers.has(name)) c.header(name, value)
}

/** @param targets where forms of the page may lead, beside the end itself */
export function policyOf(targets: string[]): string {
  return [
    "default-src 'none'",
    "style-src 'self'",
    `form-action ${["'self'", ...targets].join(" ")}`,
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join("; ")
}
