import type { Context } from "hono"

import { limitBody } from "../service/guard/request-body.ts"
import { fail } from "../service/platform/http/failure.ts"
import type { HonoEnv } from "../service/platform/http/routing.ts"
import { settingsOf } from "./settings.ts"

type Of = Context<HonoEnv>
type Api = (
  request: Request,
  env: Of["env"],
  context: Of["executionCtx"],
) => Response | Promise<Response>

/**
 * Answers paths without a route outside /api/, if `accounts:pages` is on. The pages' module is uploaded only then, and
 * loaded for the first page.
 */
export function answerWithPages(api: Api) {
  return async (context: Of) => {
    const services = context.get("services")
    const { path } = context.req
    if (!services.configuration.pages || path.startsWith("/api/")) return fail(context, "NOT_FOUND")
    const refused = await limitBody(context, async () => {})
    if (refused !== undefined) return refused
    const { answerPage } = await import("./pages.tsx")
    return answerPage({
      request: context.req.raw,
      settings: settingsOf(services),
      call: async (request) => api(request, context.env, context.executionCtx),
      name: (route) => context.set("route", route),
    })
  }
}
