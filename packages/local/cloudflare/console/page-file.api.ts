import { readFileSync, readdirSync } from "node:fs"
import { join } from "node:path"

import { Hono } from "hono"
import { secureHeaders } from "hono/secure-headers"
import { getMimeType } from "hono/utils/mime"

const directory = join(import.meta.dirname, "page")

/** The console's static files. They contain no data of the account, so they need no token. */
export function pageFileApi() {
  const app = new Hono()

  const headers = secureHeaders({
    contentSecurityPolicy: {
      defaultSrc: ["'none'"],
      scriptSrc: ["'self'"],
      styleSrc: ["'self'"],
      imgSrc: ["'self'"],
      connectSrc: ["'self'"],
      baseUri: ["'none'"],
      formAction: ["'none'"],
      frameAncestors: ["'none'"],
      requireTrustedTypesFor: ["'script'"],
    },
    crossOriginResourcePolicy: "same-origin",
    crossOriginOpenerPolicy: "same-origin",
    referrerPolicy: "no-referrer",
    xFrameOptions: "DENY",
    // The page is served over plain HTTP, on loopback.
    strictTransportSecurity: false,
  })

  for (const name of listFiles()) {
    const type = getMimeType(name)
    if (type === undefined) continue
    app.get(name === "index.html" ? "/" : `/console/${name}`, headers, (c) => {
      c.header("content-type", type)
      c.header("cache-control", "no-cache")
      return c.body(readFileSync(join(directory, name), "utf8"))
    })
  }

  return app
}

function listFiles(): string[] {
  return readdirSync(directory, { recursive: true })
    .map((name) => String(name).replaceAll("\\", "/"))
    .filter((name) => !name.endsWith("tsconfig.json"))
}
