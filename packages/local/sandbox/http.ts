import { existsSync, readFileSync } from "node:fs"

import { Hono, type MiddlewareHandler } from "hono"
import { bodyLimit } from "hono/body-limit"
import { html, raw } from "hono/html"
import { HTTPException } from "hono/http-exception"
import type * as z from "zod"

import { describeIssues } from "../daemon/daemon.ts"
import { rejectionOf } from "../daemon/listen.ts"
import { bearerToken, equalSecrets, writeAtomically } from "../daemon/state-folder.ts"

/** Maximum size of a request body, in bytes. */
const maxBodySize = 256 * 1024

/**
 * Wraps a sandbox's routes in the checks that all sandboxes share: only loopback hosts, no foreign origins, and pages
 * that cannot be framed, cached or embedded.
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

/** @throws HTTPException 400 with every invalid field */
export function parse<Schema extends z.ZodType>(schema: Schema, value: unknown): z.infer<Schema> {
  const parsed = schema.safeParse(value)
  if (parsed.success) return parsed.data
  throw new HTTPException(400, { message: describeIssues(parsed.error) })
}

/** Requires the token from the sandbox's state folder. */
export function requireToken(token: string): MiddlewareHandler {
  return async (c, next) => {
    const sentToken = bearerToken(c.req.header("authorization"))
    if (sentToken === undefined) {
      throw new HTTPException(400, { message: "The bearer token is missing" })
    }
    if (!equalSecrets(sentToken, token)) {
      throw new HTTPException(403, { message: "The bearer token is not the one of this sandbox" })
    }
    await next()
  }
}

/** Returns a complete HTML document without scripts. The sandbox must serve `style` at `/style.css`. */
export function page(title: string, content: ReturnType<typeof html>) {
  return html`${raw("<!doctype html>")}
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width" />
        <title>${title}</title>
        <link rel="stylesheet" href="/style.css" />
      </head>
      <body>
        <main>
          <h1>${title}</h1>
          ${content}
        </main>
      </body>
    </html>`
}

export const style = `:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif }
body { margin: 0 } main { max-width: 46rem; margin: 2.5rem auto; padding: 0 1.25rem }
h1 { font-size: 1.4rem } h2 { font-size: 1.05rem; margin: 0 }
article { border: 1px solid color-mix(in srgb, currentColor 22%, transparent); border-radius: .6rem;
  padding: 1rem 1.2rem; margin: 1rem 0 }
article p, .note { margin: .2rem 0 .6rem; opacity: .75; font-size: .9rem }
pre { white-space: pre-wrap; overflow-wrap: anywhere; margin: 0; font: inherit }
form { display: inline-block; margin: .4rem .6rem .4rem 0 }
button { font: inherit; padding: .45rem 1rem; border-radius: .45rem; border: 1px solid; cursor: pointer }
.price { font-size: 2rem; margin: .2rem 0 1rem }`

/**
 * Opens the keys that the service and a sandbox share. The stack generates them, the deploying program sends them, and
 * the sandbox stores them in `file`.
 */
export function openKeys<Shape extends z.ZodType>(file: string, Keys: Shape) {
  let current = existsSync(file)
    ? Keys.safeParse(JSON.parse(readFileSync(file, "utf8"))).data
    : undefined
  return {
    current: (): z.infer<Shape> | undefined => current,
    replace(keys: z.infer<Shape>) {
      writeAtomically(file, JSON.stringify(keys))
      current = keys
    },
  }
}

/** Returns whether a request has the key as its bearer token. */
export function hasKey(authorization: string | undefined, key: string | undefined): boolean {
  if (authorization === undefined || key === undefined) return false
  return equalSecrets(authorization, `Bearer ${key}`)
}
