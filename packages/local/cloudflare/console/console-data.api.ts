import { Hono } from "hono"
import * as z from "zod"

import type { Control } from "../control.ts"
import { requireDatabase } from "../d1/database.store.ts"
import { ApiError, noQuery, query } from "../protocol/envelope.ts"
import { code } from "../protocol/error-code.ts"
import { openTableReader } from "./table-reader.ts"
import { summarizeWorkers } from "./worker-summary.ts"

const Page = z.strictObject({
  page: z.coerce.number().int().min(1).default(1),
  per_page: z.coerce.number().int().min(1).max(200).default(50),
})

export function consoleDataApi(control: Control) {
  const { state, plane } = control
  const app = new Hono()

  app.get("/workers", noQuery, (c) => c.json({ workers: summarizeWorkers(control) }))

  app.get("/databases/:database/tables", noQuery, (c) => {
    const { id, name } = requireDatabase(state, c.req.param("database"))
    using database = openTableReader(plane.databaseFile(id))
    return c.json({ id, name, bytes: plane.databaseSize(id), tables: database.list() })
  })

  app.get("/databases/:database/tables/:table/rows", (c) => {
    const page = query(c, Page)
    const { id, name } = requireDatabase(state, c.req.param("database"))
    const table = c.req.param("table")
    using database = openTableReader(plane.databaseFile(id))
    const rows = database.rows(table, page)
    if (rows !== undefined) return c.json({ id, name, table, ...page, ...rows })
    throw new ApiError(
      404,
      code.sql,
      `The database ${name} has no table ${table}; rows of views and virtual tables are not read`,
    )
  })

  return app
}
