import { Hono } from "hono"
import * as z from "zod"

import { pageOf, paging, query } from "../protocol/envelope.ts"

const List = z.strictObject({
  ...paging,
  order: z.string().optional(),
  direction: z.enum(["asc", "desc"]).optional(),
})

/** `accounts/{account}/storage/kv`: an empty list, which `wrangler delete` asks for. */
export function kvNamespaceApi() {
  const app = new Hono()

  app.get("/namespaces", (c) => c.json(pageOf([], query(c, List))))

  return app
}
