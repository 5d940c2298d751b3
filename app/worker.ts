import { type Context, Hono } from "hono"

import { answerAuth } from "./auth/mount.ts"
import type { Bound } from "./bound.ts"
import { fail } from "./http/failure.ts"
import { health } from "./http/health.ts"
import type { Http } from "./http/http.ts"
import { log, reasonOf } from "./http/log.ts"
import { guardOrigin } from "./http/origin.ts"
import { isolateOf } from "./isolate.ts"
import { sweep } from "./sweep/sweep.ts"

const app = new Hono<Http>()

app.use(async (context, next) => {
  await next()
  context.header("accounts-version", context.env.VERSION.id)
})

app.get("/api/health", health)

app.use(async (context, next) => {
  const isolate = isolateOf(context.env)
  if (isolate === null) return fail(context, "SERVICE_MISCONFIGURED")
  context.set("isolate", isolate)
  return next()
})

app.use("/api/*", guardOrigin)

app.all("/api/auth/*", answerAuth)

app.notFound((context) => fail(context, "NOT_FOUND"))

app.onError((error, context: Context<Http>) => {
  log("error", "request.failed", { reason: reasonOf(error), path: context.req.path })
  return fail(context, "INTERNAL_SERVER_ERROR")
})

export default {
  fetch: app.fetch,
  scheduled: (controller, bound) => sweep(bound.DB, new Date(controller.scheduledTime)),
} satisfies ExportedHandler<Bound>
