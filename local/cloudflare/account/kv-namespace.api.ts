import { Hono } from "hono"
import * as z from "zod"

import { paginate, paging, query, success } from "../protocol/envelope.ts"

const List = z.strictObject({
  ...paging,
  order: z.string().optional(),
  direction: z.enum(["asc", "desc"]).optional(),
})

/** `accounts/{account}/storage/kv`: an empty list, which `wrangler delete` asks for. */
export function kvNamespaceApi() {
  const app = new Hono()

  app.get("/namespaces", (c) => {
    const { result, result_info } = paginate([], query(c, List))
    return c.json(success(result, { result_info }))
  })

  return app
}
