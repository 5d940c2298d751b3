import { Hono } from "hono"
import { streamSSE } from "hono/streaming"
import * as z from "zod"

import type { Control } from "./control.ts"
import { body, success } from "./envelope.ts"
import { faultRoutes } from "./faults/fault.api.ts"
import type { Entry } from "./journal.ts"

const Firing = z.strictObject({ script: z.string(), cron: z.string() })

/** The project's own routes, not Cloudflare's: what is going on, and cron at the press of a key. */
export function localRoutes(control: Control, status: () => unknown) {
  const { journal, crons } = control
  const app = new Hono()

  app.route("/", faultRoutes(control))

  app.get("/status", (c) => c.json(status()))

  app.post("/cron", async (c) => {
    const { script, cron } = await body(c, Firing)
    return c.json(success(await crons.fire(script, cron)))
  })

  app.get("/events", (c) =>
    streamSSE(c, async (stream) => {
      const waiting: Entry[] = []
      let wake = () => {}
      const unsubscribe = journal.subscribe((entry) => {
        waiting.push(entry)
        wake()
      })
      stream.onAbort(() => {
        unsubscribe()
        wake()
      })
      while (!stream.aborted) {
        const entry = waiting.shift()
        if (entry !== undefined) {
          const { event, ...data } = entry
          await stream.writeSSE({ event, data: JSON.stringify(data) })
          continue
        }
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      }
    }),
  )

  return app
}
