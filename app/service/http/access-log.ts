import type { Context, Next } from "hono"

import type { HonoEnv } from "./hono-env.ts"
import { log } from "./log.ts"

/** Logs one line per request, with the declared route: real paths and queries contain tokens. */
export async function logRequest(context: Context<HonoEnv>, next: Next) {
  const started = Date.now()
  await next()
  const { headers, status } = context.res
  // Monitors poll every few seconds and would drown everything else.
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
