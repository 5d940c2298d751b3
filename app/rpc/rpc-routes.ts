import { OpenAPIHandler } from "@orpc/openapi/fetch"
import { onError, ORPCError, ValidationError } from "@orpc/server"
import type { Context } from "hono"

import { findSession } from "../auth/known-session.ts"
import { refuseMethod } from "../http/allowed-methods.ts"
import { fail, failures, retryUnavailable } from "../http/failure.ts"
import type { HonoEnv } from "../http/hono-env.ts"
import { describeError, log } from "../http/log.ts"
import { retryAfter } from "../rate-limit.ts"
import { router } from "./router.ts"

const prefix = "/api/v1"

const handler = new OpenAPIHandler(router, {
  interceptors: [
    onError((error) => {
      if (!(error instanceof ORPCError)) log("error", "rpc.failed", describeError(error))
    }),
  ],
  clientInterceptors: [onError(explainInput)],
})

const methods = new Map(
  Object.entries(router).map(([name, procedure]) => {
    const { method = "POST" } = procedure["~orpc"].route
    return [`/${name}`, method]
  }),
)

/** Calls the procedure of the path; answers 405 itself, for which oRPC's handler answers 404. */
export async function answerRpc(context: Context<HonoEnv>) {
  // Hono's own path is decoded, which would make a second name for each procedure.
  const path = new URL(context.req.url).pathname.slice(prefix.length)
  const method = methods.get(path)
  if (method === undefined) return fail(context, "NOT_FOUND")
  context.set("route", context.req.path)
  if (method !== context.req.method) return refuseMethod(context, [method])
  const { response } = await handler.handle(context.req.raw, {
    prefix,
    context: {
      services: context.get("services"),
      headers: context.req.raw.headers,
      findSession: () => findSession(context),
    },
  })
  if (response === undefined) return fail(context, "NOT_FOUND")
  const seconds = { 429: retryAfter, 503: retryUnavailable }[response.status]
  if (seconds === undefined) return response
  const limited = new Response(response.body, response)
  limited.headers.set("retry-after", String(seconds))
  return limited
}

/** Lists the invalid fields in `data.issues`. */
function explainInput(error: unknown): void {
  if (!(error instanceof ORPCError) || !(error.cause instanceof ValidationError)) return
  if (error.code !== "BAD_REQUEST") return
  const issues = error.cause.issues.map(({ path = [], message }) => ({
    path: path.map((segment) => {
      const key = typeof segment === "object" ? segment.key : segment
      return typeof key === "number" ? key : String(key)
    }),
    message,
  }))
  throw new ORPCError("BAD_REQUEST", {
    defined: true,
    message: failures.BAD_REQUEST.message,
    data: { issues },
  })
}
