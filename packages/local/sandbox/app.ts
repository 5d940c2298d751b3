import { Hono, type MiddlewareHandler } from "hono"
import { bodyLimit } from "hono/body-limit"
import { HTTPException } from "hono/http-exception"

import { rejectionOf } from "../daemon/loopback.ts"

/** Bytes of a request body. */
const maxBodySize = 256 * 1024

/**
 * The routes of a sandbox behind the checks that all sandboxes share: only loopback hosts, no other
 * origin, and pages that cannot be framed, cached or embedded.
 */
export function createApp(routes: Hono): Hono {
  const app = new Hono()
  app.use(withHeaders, onlyLoopback, bodyLimit({ maxSize: maxBodySize }))
  app.route("/", routes)
  app.notFound((c) => c.json({ error: "Not found" }, 404))
  app.onError((error, c) => {
    if (error instanceof HTTPException) return c.json({ error: error.message }, error.status)
    process.stderr.write(`${error.stack ?? error.message}\n`)
    return c.json({ error: "The sandbox failed. The reason is in its log" }, 500)
  })
  return app
}

const onlyLoopback: MiddlewareHandler = async (c, next) => {
  const reason = rejectionOf(c.req.header())
  if (reason !== undefined) throw new HTTPException(403, { message: reason })
  await next()
}

const headers = [
  ["content-security-policy", policyOf([])],
  ["cross-origin-opener-policy", "same-origin"],
  ["cross-origin-resource-policy", "same-origin"],
  ["cache-control", "no-store"],
  // With "no-referrer" a browser sends the sandbox's own forms with `Origin: null`, which is rejected.
  ["referrer-policy", "same-origin"],
  ["x-content-type-options", "nosniff"],
] as const

const withHeaders: MiddlewareHandler = async (c, next) => {
  await next()
  for (const [name, value] of headers) if (!c.res.headers.has(name)) c.header(name, value)
}

/** @param targets origins that forms of the page may lead to, besides the sandbox itself */
export function policyOf(targets: string[]): string {
  return [
    "default-src 'none'",
    "style-src 'self'",
    `form-action ${["'self'", ...targets].join(" ")}`,
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join("; ")
}
