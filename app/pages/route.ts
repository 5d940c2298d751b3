import type { Context, Next } from "hono"

import type { HonoEnv } from "../service/http/hono-env.ts"
import { limitBody } from "../service/http/request-body.ts"
import { settingsOf } from "./settings.ts"

type Of = Context<HonoEnv>
type Api = (
  request: Request,
  env: Of["env"],
  context: Of["executionCtx"],
) => Response | Promise<Response>

/**
 * Answers what does not lie below /api/, where `accounts:pages` is on. Their module is uploaded only there, and
 * loaded for the first page.
 */
export function servePages(api: Api) {
  return (context: Of, next: Next) => {
    const services = context.get("services")
    const { path } = context.req
    if (!services.configuration.pages || path.startsWith("/api/")) return next()
    return limitBody(context, async () => {
      const { answerPage } = await import("./pages.tsx")
      context.res = await answerPage({
        request: context.req.raw,
        settings: settingsOf(services),
        call: async (request) => api(request, context.env, context.executionCtx),
        name: (route) => context.set("route", route),
      })
    })
  }
}
