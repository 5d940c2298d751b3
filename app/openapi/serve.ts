import type { Context, Next } from "hono"

import { fail } from "../http/failure.ts"
import type { Http } from "../http/http.ts"

type File = {
  readonly type: string
  readonly load: () => Promise<{ default: ArrayBuffer }>
}

/** Everything from this origin, nothing inline; `data:` for the icons of the style sheet. */
const pagePolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ")

const files: Readonly<Record<string, File>> = {
  "/api/v1/openapi.json": {
    type: "application/json",
    load: () => import("../../docs/openapi.json.bin"),
  },
  "/api/v1/docs": {
    type: "text/html; charset=utf-8",
    load: () => import("./page/index.html.bin"),
  },
  "/api/v1/docs/start.js": {
    type: "text/javascript; charset=utf-8",
    load: () => import("./page/start.js.bin"),
  },
  "/api/v1/docs/swagger-ui.js": {
    type: "text/javascript; charset=utf-8",
    load: () => import("swagger-ui-dist/swagger-ui-bundle.js.bin"),
  },
  "/api/v1/docs/swagger-ui.css": {
    type: "text/css; charset=utf-8",
    load: () => import("swagger-ui-dist/swagger-ui.css.bin"),
  },
}

/** The committed description and the page that shows it, the same for every caller. */
export const serveDocumentation = async (context: Context<Http>, next: Next) => {
  const { path, method } = context.req
  const file = files[path]
  if (file === undefined) return next()
  context.set("route", path)
  if (method !== "GET" && method !== "HEAD") {
    context.header("allow", "GET, HEAD")
    return fail(context, "METHOD_NOT_ALLOWED")
  }
  const { default: content } = await file.load()
  return context.body(content, 200, {
    "content-type": file.type,
    "cache-control": "public, max-age=300",
    ...(file.type.startsWith("text/html") ? { "content-security-policy": pagePolicy } : {}),
  })
}
