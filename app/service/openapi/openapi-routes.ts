import { allowMethods, createRouter } from "../platform/http/routing.ts"

type File = {
  type: string
  load: () => Promise<{ default: ArrayBuffer }>
}

/** Allows only files of this origin and nothing inline. `data:` is for the style sheet's icons. */
const contentSecurityPolicy = [
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
    load: () => import("./openapi.json.bin"),
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

/** Serves the committed API description, and the page that displays it. */
export const documentation = createRouter()

for (const [path, { type, load }] of Object.entries(files)) {
  const policy = type.startsWith("text/html")
    ? { "content-security-policy": contentSecurityPolicy }
    : {}
  documentation.use(path, allowMethods("GET", "HEAD"))
  documentation.get(path, async (context) => {
    context.set("route", path)
    const { default: content } = await load()
    const headers = { "content-type": type, "cache-control": "public, max-age=300", ...policy }
    return context.body(content, 200, headers)
  })
}
