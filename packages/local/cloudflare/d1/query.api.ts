import { Hono } from "hono"
import * as z from "zod"

import type { Control } from "../control.ts"
import { QueryError, type Statement, type StatementResult } from "../plane/plane.ts"
import { ApiError, body, noQuery, success } from "../protocol/envelope.ts"
import { code } from "../protocol/error-code.ts"
import { requireDatabase } from "./database.store.ts"
import { namedRows } from "./named-rows.ts"
import { splitStatements } from "./statements.ts"

const Value = z.union([z.string(), z.number(), z.boolean(), z.null()])
const Single = z.strictObject({ sql: z.string(), params: z.array(Value).optional() })
const Batch = z.strictObject({ batch: z.array(Single).min(1) })
const Query = z.union([Single, Batch])

/** `…/d1/database/{database}/query` and `/raw`. Each request is one atomic batch, run every time. */
export function queryApi({ state, plane, withLock }: Control) {
  const app = new Hono()

  app.post("/:database/query", noQuery, async (c) => {
    const results = await run(c.req.param("database"), await body(c, Query))
    return c.json(success(results.map((result) => answer(result, namedRows(result)))))
  })

  app.post("/:database/raw", noQuery, async (c) => {
    const results = await run(c.req.param("database"), await body(c, Query))
    return c.json(
      success(
        results.map((result) => answer(result, { columns: result.columns, rows: result.rows })),
      ),
    )
  })

  async function run(idOrName: string, sent: z.infer<typeof Query>): Promise<StatementResult[]> {
    const { id } = requireDatabase(state, idOrName)
    const batch = "batch" in sent ? sent.batch : [sent]
    const statements = batch.flatMap(statementsOf)
    return withLock(`database:${id}`, async () => {
      requireDatabase(state, id)
      return runBatch(id, statements)
    })
  }

  async function runBatch(id: string, statements: Statement[]): Promise<StatementResult[]> {
    try {
      return await plane.query(id, statements)
    } catch (error) {
      if (error instanceof QueryError) throw new ApiError(400, code.sql, error.message)
      throw error
    }
  }

  return app
}

function statementsOf({ sql, params = [] }: z.infer<typeof Single>): Statement[] {
  const statements = splitStatements(sql)
  if (statements.length === 0) throw new ApiError(400, code.sql, "No SQL statements detected.")
  if (params.length > 0 && statements.length > 1) {
    const message =
      "Parameters are allowed with one statement only; send several statements as a `batch`"
    throw new ApiError(400, code.badQuery, message)
  }
  return statements.map((text) => ({ sql: text, params }))
}

function answer({ meta }: StatementResult, results: unknown) {
  return {
    results,
    success: true,
    meta: {
      ...meta,
      served_by: "v3-prod",
      served_by_region: "WEUR",
      served_by_primary: true,
      timings: { sql_duration_ms: meta.duration },
    },
  }
}
