import { Hono } from "hono"
import * as z from "zod"

import type { Control } from "./control.ts"
import { faultRoutes } from "./faults/fault.api.ts"
import { logRoutes } from "./log/log.api.ts"
import { body, success } from "./protocol/envelope.ts"

const CronRun = z.strictObject({ script: z.string(), cron: z.string() })

/** `/local`: this project's own routes, for status, log and faults, and to run a cron at once. */
export function diagnosticsApi(control: Control, status: () => unknown) {
  const { log, crons } = control
  const app = new Hono()

  app.route("/", faultRoutes(control))

  app.get("/status", (c) => c.json(status()))

  app.post("/cron", async (c) => {
    const { script, cron } = await body(c, CronRun)
    return c.json(success(await crons.fire(script, cron)))
  })

  app.route("/", logRoutes(log))

  return app
}
