import { Hono } from "hono"
import * as z from "zod"

import type { Control } from "../control.ts"
import { ApiError, done, noQuery, parse, parseJson, success } from "../protocol/envelope.ts"
import { code } from "../protocol/error-code.ts"
import { requireWorker } from "../workers/worker.store.ts"
import { Filters } from "./tail-filter.ts"
import type { Tail } from "./tails.ts"

const Creation = z.strictObject({ filters: Filters.default([]) })

/**
 * `…/workers/scripts/{script}/tails`. Repeats: every post creates another tail, delete fails with
 * 10007.
 */
export function tailRoutes({ state, tails }: Control) {
  const app = new Hono()

  app.post("/:script/tails", noQuery, async (c) => {
    const text = await c.req.text()
    const { filters } = parse(Creation, text === "" ? {} : parseJson(text))
    const { name } = requireWorker(state, c.req.param("script"))
    return c.json(success(view(tails.open(name, filters), c.req.url)))
  })

  // Cloudflare's specification calls this a list, but the response is one tail.
  app.get("/:script/tails", noQuery, (c) => {
    const { name } = requireWorker(state, c.req.param("script"))
    const [newest] = tails.list(name)
    if (newest !== undefined) return c.json(success(view(newest, c.req.url)))
    throw new ApiError(404, code.noWorker, `Worker ${name} has no tail`)
  })

  app.delete("/:script/tails/:tail", noQuery, (c) => {
    const { name } = requireWorker(state, c.req.param("script"))
    const id = c.req.param("tail")
    if (tails.remove(name, id)) return c.json(done)
    throw new ApiError(404, code.noWorker, `Worker ${name} has no tail ${id}`)
  })

  return app
}

function view({ id, key, expiresAt }: Tail, request: string) {
  const url = `ws://${new URL(request).host}/tails/${key}`
  return { id, url, expires_at: expiresAt.toISOString() }
}
