import { Hono } from "hono"

import { answerAuth } from "./auth/auth-routes.ts"
import type { Env } from "./env.ts"
import { limitAddress } from "./http/address-limit.ts"
import { only } from "./http/allowed-methods.ts"
import { fail } from "./http/failure.ts"
import { answerHealth, health } from "./http/health.ts"
import type { Http } from "./http/hono-env.ts"
import { log, reasonOf } from "./http/log.ts"
import { guardOrigin } from "./http/origin.ts"
import { limitBody, readRest } from "./http/request-body.ts"
import { frame, requireJson } from "./http/response-headers.ts"
import { documentation } from "./openapi/openapi-routes.ts"
import { processWebhook } from "./payment/webhook.ts"
import { answerRpc } from "./rpc/rpc-routes.ts"
import { isolateOf } from "./services.ts"
import { sweep } from "./sweep/sweep.ts"

const app = new Hono<Http>()

app.use(frame)
app.use(readRest)

app.use("/api/health", only("GET", "HEAD"))
app.get("/api/health", health)

app.use(async (context, next) => {
  const isolate = isolateOf(context.env)
  if (isolate === null) return fail(context, "SERVICE_MISCONFIGURED")
  context.set("isolate", isolate)
  return next()
})

app.use("/api/*", guardOrigin)
app.use("/api/*", requireJson)
app.use("/api/*", limitBody)
app.use("/api/auth/*", limitAddress)

app.all("/api/auth/*", answerAuth)
app.route("/", documentation)
app.use("/api/v1/processWebhook", only("POST"))
app.post("/api/v1/processWebhook", processWebhook)
app.all("/api/v1/*", answerRpc)

app.notFound((context) => fail(context, "NOT_FOUND"))

app.onError((error, context) => {
  log("error", "request.failed", { reason: reasonOf(error) })
  return fail(context, "INTERNAL_SERVER_ERROR")
})

export default {
  fetch: (request: Request, bound: Env, context: ExecutionContext) =>
    answerHealth(request, bound) ?? app.fetch(request, bound, context),
  scheduled: (controller, bound) => sweep(bound.DB, new Date(controller.scheduledTime)),
} satisfies ExportedHandler<Env>
