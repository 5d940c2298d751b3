import type { Context } from "hono"

import type { Http } from "../http/http.ts"
import { packed } from "./packed.generated.ts"

/** The committed description, the same for every caller. */
export const serveOpenapi = (context: Context<Http>) => {
  context.set("route", "/api/v1/openapi.json")
  const unpacked = new Blob([Buffer.from(packed, "base64")])
    .stream()
    .pipeThrough(new DecompressionStream("gzip"))
  return context.body(unpacked, 200, {
    "content-type": "application/json",
    "cache-control": "public, max-age=300",
  })
}
