import { Hono } from "hono"
import { bodyLimit } from "hono/body-limit"

import { accountApi, accountSubdomain, requireAccount, zoneApi } from "./account.ts"
import type { Control } from "./control.ts"
import { databaseApi, queryApi } from "./database.ts"
import { deployments, requireKnownScript } from "./deployment.ts"
import { dnsRecordApi } from "./dns-record.ts"
import { domains } from "./domain.ts"
import {
  ApiError,
  UnknownInputError,
  code,
  failure,
  onlyLoopback,
  requireToken,
} from "./envelope.ts"
import { importExportApi, transferFileApi } from "./import-export.ts"
import { keyServiceApi } from "./key-service.ts"
import { diagnosticsApi } from "./local.ts"
import { zoneRoutes } from "./route.ts"
import { schedules } from "./schedule.ts"
import { telemetryApi } from "./telemetry.ts"
import { timeTravelApi } from "./time-travel.ts"
import { scriptVersions, versions } from "./version-routes.ts"
import { workers } from "./worker-routes.ts"

/** Cloudflare's limit for an API request, in bytes. */
const requestLimit = 100 * 1024 * 1024

/** Creates all routes. Requests to other routes get 501, and are logged and counted. */
export function createApi(control: Control, token: string, status: () => unknown) {
  const { log } = control
  const app = new Hono()

  app.use(async (c, next) => {
    const start = performance.now()
    await next()
    // Never log a transfer, whose path is its credential, nor `/local/`, so that reading the log does not fill it.
    if (c.req.path.startsWith("/transfers/")) return
    if (c.res.ok && c.req.path.startsWith("/local/")) return
    log.record({
      event: "api",
      method: c.req.method,
      path: c.req.path,
      status: c.res.status,
      ms: Math.round(performance.now() - start),
      userAgent: c.req.header("user-agent") ?? "",
      ...(c.error !== undefined && { error: c.error.message }),
    })
  })
  app.use(onlyLoopback)
  app.use(
    bodyLimit({
      maxSize: requestLimit,
      onError: () => {
        throw new ApiError(413, code.tooLarge, `The request body exceeds ${requestLimit} bytes`)
      },
    }),
  )

  app.route("/transfers", transferFileApi(control))
  app.route("/local/key-service", keyServiceApi())
  app.use(requireToken(token))
  app.route("/local", diagnosticsApi(control, status))
  app.route("/client/v4", createCloudflareApi(control))

  app.notFound((c) => {
    log.record({ event: "unknown-route", method: c.req.method, path: c.req.path })
    // Without this header Cloudflare's SDKs would retry for minutes.
    c.header("x-should-retry", "false")
    const advice = `. If that is for a resource of the program, give it to other environments alone, or set ACCOUNTS_PROVIDER=stand-in, which keeps it as a record`
    const missing = `The local Cloudflare does not implement ${c.req.method} ${c.req.path}: it has what this project's program and commands call, and wrangler's d1, versions, deployments and rollback`
    const message = c.req.method === "POST" || c.req.method === "PUT" ? missing + advice : missing
    return c.json(failure(new ApiError(501, code.noRoute, message)), 501)
  })

  app.onError((error, c) => {
    if (!(error instanceof ApiError)) {
      log.record({ event: "problem", message: error.stack ?? error.message })
      return c.json(failure(new ApiError(500, code.unknown, error.message)), 500)
    }
    if (error instanceof UnknownInputError) {
      const { method, path } = c.req
      log.record({ event: "unknown-input", method, path, message: error.message })
    }
    // Without this header Cloudflare's SDKs retry a 409 ten times, over several minutes.
    if (error.status === 409) c.header("x-should-retry", "false")
    const { otherCodes } = control.settings.read().doubts
    const apiError = otherCodes ? new ApiError(error.status, code.unknown, error.message) : error
    return c.json(failure(apiError), error.status)
  })

  return app
}

function createCloudflareApi(control: Control) {
  const app = new Hono()
  app.use("/accounts/:account/*", async (c, next) => {
    requireAccount(c.req.param("account"))
    await next()
  })
  app.use("/accounts/:account/workers/scripts/:script/*", async (c, next) => {
    if (c.req.method === "GET") requireKnownScript(control, c.req.param("script"))
    await next()
  })
  app.route("/", accountApi())
  app.route("/zones", zoneApi())
  app.route("/zones", dnsRecordApi(control))
  app.route("/zones", zoneRoutes(control))
  app.route("/accounts/:account/d1/database", databaseApi(control))
  app.route("/accounts/:account/d1/database", queryApi(control))
  app.route("/accounts/:account/d1/database", timeTravelApi(control))
  app.route("/accounts/:account/d1/database", importExportApi(control))
  app.route("/accounts/:account/workers/workers", workers(control))
  app.route("/accounts/:account/workers/workers", versions(control))
  for (const product of [scriptVersions, deployments, schedules]) {
    app.route("/accounts/:account/workers/scripts", product(control))
  }
  app.route("/accounts/:account/workers/subdomain", accountSubdomain(control))
  app.route("/accounts/:account/workers/domains", domains(control))
  app.route("/accounts/:account/workers/observability/telemetry", telemetryApi(control))
  return app
}
