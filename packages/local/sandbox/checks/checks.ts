import { Hono } from "hono"
import * as z from "zod"

import { parse, requireToken } from "../request.ts"
import type { Sandbox } from "../sandbox.ts"
import { createFaults, Faults } from "./faults.ts"
import { createRanges } from "./ranges.ts"
import { createTurnstile, widget } from "./turnstile.ts"

const Leaked = z.strictObject({ passwords: z.array(z.string()) })

/**
 * What the local stack's `accounts:checksUrl` leads to: the ranges of Have I Been Pwned's passwords, and
 * Turnstile. Programs with the token say which passwords have leaked, and inject faults.
 */
export const checks: Sandbox = {
  name: "checks",
  port: 8794,
  open({ token }) {
    const faults = createFaults()
    const ranges = createRanges()
    const turnstile = createTurnstile()
    const routes = new Hono()

    routes.get("/range/:prefix", async (c) => {
      const broken = await faults.answer("ranges")
      if (broken !== undefined) return broken
      const isPadded = c.req.header("add-padding") === "true"
      const range = ranges.read(c.req.param("prefix"), isPadded)
      if (range === undefined) return c.text("The hash prefix was not in a valid format", 400)
      return c.text(range)
    })

    routes.get("/turnstile/v0/api.js", (c) =>
      c.body(widget, 200, {
        "content-type": "text/javascript",
        "cross-origin-resource-policy": "cross-origin",
      }),
    )
    routes.post("/turnstile/v0/siteverify", async (c) => {
      const broken = await faults.answer("turnstile")
      return broken ?? c.json(turnstile.verify(await c.req.parseBody()))
    })

    routes.use("/local/*", requireToken(token))
    routes.get("/local/status", (c) => c.json({ asked: ranges.asked(), faults: faults.current() }))
    routes.put("/local/leaked", async (c) => {
      ranges.leak(parse(Leaked, await c.req.json()).passwords)
      return c.body(null, 204)
    })
    routes.put("/local/faults", async (c) => {
      faults.inject(parse(Faults, await c.req.json()))
      return c.json(faults.current())
    })
    return { routes, close: () => undefined }
  },
}
