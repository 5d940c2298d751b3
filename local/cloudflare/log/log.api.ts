import { Hono } from "hono"
import { streamSSE } from "hono/streaming"
import * as z from "zod"

import { query } from "../protocol/envelope.ts"
import type { EventLog } from "./event-log.ts"
import type { LoggedEntry } from "./filter.ts"
import { logFilter, matches } from "./filter.ts"

const Count = z.coerce.number().int().min(0)
const Log = z.strictObject({ ...logFilter, limit: Count.max(10_000).default(100) })
const Events = z.strictObject({ ...logFilter, past: Count.max(10_000).default(0) })

/** `/local/log`: what was; `/local/events`: what is, after as much of what was as is asked for. */
export function logRoutes(log: EventLog) {
  const app = new Hono()

  app.get("/log", (c) => {
    const { limit, ...filter } = query(c, Log)
    return c.json({ entries: log.past(filter, limit) })
  })

  app.get("/events", (c) => {
    const { past, ...filter } = query(c, Events)
    return streamSSE(c, async (stream) => {
      // Both in one turn: nothing falls between what was and what is.
      const waiting: LoggedEntry[] = past === 0 ? [] : log.past(filter, past)
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
