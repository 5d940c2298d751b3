import { Hono } from "hono"
import { streamSSE } from "hono/streaming"
import * as z from "zod"

import { query } from "../protocol/envelope.ts"
import type { EventLog } from "./event-log.ts"
import { logFilter, type LoggedEntry, matches } from "./filter.ts"

const Count = z.coerce.number().int().min(0)
const Log = z.strictObject({ ...logFilter, limit: Count.max(10_000).default(100) })
const Events = z.strictObject({ ...logFilter, past: Count.max(10_000).default(0) })

/** `/local/log`: past entries; `/local/events`: a stream of live ones, after `past` earlier ones. */
export function logRoutes(log: EventLog) {
  const app = new Hono()

  app.get("/log", (c) => {
    const { limit, ...filter } = query(c, Log)
    return c.json({ entries: log.newest(filter, limit) })
  })

  app.get("/events", (c) => {
    const { past, ...filter } = query(c, Events)
    return streamSSE(c, async (stream) => {
      // Read and subscribed in one turn of the event loop, so that no entry is missed.
      const waiting: LoggedEntry[] = past === 0 ? [] : log.newest(filter, past)
      let wake = () => {}
      const unsubscribe = log.subscribe((entry) => {
        if (!matches(entry, filter)) return
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
    })
  })

  return app
}
