import { Hono } from "hono"
import * as z from "zod"

import type { Control } from "../control.ts"
import { ApiFailure, noQuery, parse, parseJson, query, success } from "../envelope.ts"
import { code } from "../error-code.ts"
import { Filters } from "./tail-filter.ts"
import { requireWorker } from "./worker.store.ts"

const Creation = z.strictObject({ filters: Filters.default([]) })

/**
 * `…/workers/scripts/{script}/tails`. Repeats: every post is a tail of its own, delete fails with
 * 10007.
 */
export function tails({ state, tails: open }: Control) {
  const app = new Hono()

  app.post("/:script/tails", async (c) => {
    query(c, noQuery)
    const text = await c.req.text()
    const { filters } = parse(Creation, text === "" ? {} : parseJson(text))
    const { name } = requireWorker(state, c.req.param("script"))
    const { id, key, expiresAt } = open.open(name, filters)
    const { host } = new URL(c.req.url)
    return c.json(
      success({ id, url: `ws://${host}/tails/${key}`, expires_at: expiresAt.toISOString() }),
    )
  })

  app.delete("/:script/tails/:tail", (c) => {
    query(c, noQuery)
    const { name } = requireWorker(state, c.req.param("script"))
    const id = c.req.param("tail")
    if (open.remove(name, id)) return c.json(success(null))
    throw new ApiFailure(404, code.noWorker, `Worker ${name} has no tail ${id}`)
  })

  return app
}
