import { Hono } from "hono"
import * as z from "zod"

import type { Control } from "../control.ts"
import { pageOf, query, shortPaging } from "../protocol/envelope.ts"
import { latestVersion } from "./version.store.ts"
import { listWorkers } from "./worker.store.ts"

const Search = z.strictObject({
  ...shortPaging,
  name: z.string().optional(),
  id: z.string().optional(),
  order_by: z.enum(["created_on", "modified_on", "name"]).default("name"),
})

/** `accounts/{account}/workers/scripts-search`, by the OpenAPI document. */
export function scriptSearch({ state }: Control) {
  const app = new Hono()

  app.get("/", (c) => {
    const { name = "", id, order_by, ...page } = query(c, Search)
    const found = listWorkers(state)
      .filter((worker) => worker.name.includes(name) && (id ?? worker.id) === worker.id)
      .map((worker) => ({
        id: worker.id,
        script_name: worker.name,
        service_name: worker.name,
        environment_name: "production",
        environment_is_default: true,
        created_on: worker.created_on,
        modified_on: latestVersion(state, worker.id)?.created_on ?? worker.updated_on,
      }))
    const key = order_by === "name" ? "script_name" : order_by
    const sorted = found.toSorted((one, other) => (one[key] < other[key] ? -1 : 1))
    return c.json(pageOf(sorted, page, { totalPages: true }))
  })

  return app
}
