import * as z from "zod"

import { answerWithPages } from "./pages/route.ts"
import { processWebhook } from "./payment/webhook.ts"
import { records } from "./records.ts"
import { router } from "./router.ts"
import { takeCallerAddress } from "./service/guard/caller-address.ts"
import { answerHealth, health } from "./service/guard/health.ts"
import { guardOrigin } from "./service/guard/origin.ts"
import { drainBody, limitBody, requireJson } from "./service/guard/request-body.ts"
import { documentation } from "./service/openapi/openapi-routes.ts"
import type { Env } from "./service/platform/configuration/env.ts"
import { keepBookmark, readCookies } from "./service/platform/cookie/cookie-door.ts"
import { addResponseHeaders, answerOutage, logRequest } from "./service/platform/http/answer.ts"
import { fail } from "./service/platform/http/failure.ts"
import { sentenceOf } from "./service/platform/http/issue.ts"
import { describeError, log } from "./service/platform/http/log.ts"
import { allowMethods, createRouter } from "./service/platform/http/routing.ts"
import { answerAuth, limitCaller, offerPath } from "./service/routes/auth-routes.ts"
import { answerRpc } from "./service/routes/rpc-routes.ts"
import { answerTokenKeys, tokenKeysPath } from "./service/session/token/token.rpc.ts"
import { passFormOn } from "./service/sign-in/provider/form-post.ts"
import { doHourly } from "./service/sweep/sweep.ts"
import { servicesOf } from "./services.ts"

z.config({ customError: sentenceOf })

const app = createRouter()

app.use(logRequest)
app.use(addResponseHeaders)
app.use(drainBody)

app.use(answerOutage)
app.use("/api/health", allowMethods("GET", "HEAD"))
app.get("/api/health", health)

app.use(async (context, next) => {
  const services = servicesOf(context.env)
  if (services === null) return fail(context, "SERVICE_MISCONFIGURED")
  context.set("services", services)
  return next()
})

app.use(readCookies)
app.use("/api/*", takeCallerAddress)
app.use("/api/*", keepBookmark)
app.post("/api/auth/callback/:id", limitBody, passFormOn)
app.use("/api/*", guardOrigin)
app.use("/api/auth/*", offerPath)
app.use("/api/*", limitBody)
app.on(["POST", "PUT", "PATCH", "DELETE"], "/api/*", requireJson)
app.use("/api/auth/*", limitCaller)

app.all("/api/auth/*", answerAuth)
app.route("/", documentation)
app.use("/api/v1/processWebhook", allowMethods("POST"))
app.post("/api/v1/processWebhook", processWebhook)
app.use(tokenKeysPath, allowMethods("GET", "HEAD"))
app.get(tokenKeysPath, answerTokenKeys)
app.all("/api/v1/*", answerRpc(router))

app.notFound(answerWithPages((request, env, context) => app.fetch(request, env, context)))

app.onError((error, context) => {
  log("error", "request.failed", describeError(error))
  return fail(context, "INTERNAL_SERVER_ERROR")
})

export default {
  fetch: (request: Request, env: Env, context: ExecutionContext) =>
    answerHealth(request, env) ?? app.fetch(request, env, context),
  scheduled: ({ scheduledTime }, env) =>
    doHourly({ env, records, servicesOf }, new Date(scheduledTime)),
} satisfies ExportedHandler<Env>
