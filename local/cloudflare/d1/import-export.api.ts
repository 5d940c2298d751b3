import { Hono } from "hono"
import * as z from "zod"

import type { Control } from "../control.ts"
import { QueryError } from "../plane/plane.ts"
import { ApiError, body, noQuery, query, success } from "../protocol/envelope.ts"
import { code } from "../protocol/error-code.ts"
import { requireDatabase } from "./database.store.ts"
import { dumpSql } from "./sql-dump.ts"
import { splitStatements } from "./statements.ts"
import { md5Of } from "./transfer-files.ts"

const Export = z.strictObject({
  output_format: z.literal("polling"),
  current_bookmark: z.string().optional(),
  dump_options: z
    .strictObject({
      no_data: z.boolean().optional(),
      no_schema: z.boolean().optional(),
      tables: z.array(z.string()).optional(),
    })
    .default({}),
})
const Import = z.discriminatedUnion("action", [
  z.strictObject({ action: z.literal("init"), etag: z.string() }),
  z.strictObject({ action: z.literal("ingest"), etag: z.string(), filename: z.string() }),
])

/** The signed URLs of imports and exports: the key in the path is the only credential. */
export function transferFileApi({ transferFiles }: Control) {
  const app = new Hono()

  app.put("/:key", async (c) => {
    const content = Buffer.from(await c.req.arrayBuffer())
    const isExpected = transferFiles.receive(c.req.param("key"), content)
    if (!isExpected) return c.text("The content does not match the announced MD5", 400)
    return c.text("", 200, { etag: `"${md5Of(content)}"` })
  })

  app.get("/:key", (c) => {
    const content = transferFiles.read(c.req.param("key"))
    return content === undefined ? c.text("Gone", 404) : c.body(new Uint8Array(content))
  })

  return app
}

/**
 * `…/d1/database/{database}/export` and `/import`. Both are complete when they answer: clients need
 * not poll. An import is one atomic batch; a repeated import runs it again.
 */
export function importExportApi({ state, plane, withLock, bookmarks, transferFiles }: Control) {
  const app = new Hono()

  app.post("/:database/export", async (c) => {
    query(c, noQuery)
    const { dump_options } = await body(c, Export)
    const { id } = requireDatabase(state, c.req.param("database"))
    const bookmark = await withLock(`database:${id}`, () => bookmarks.take(id))
    using snapshot = bookmarks.open(bookmark)
    const key = transferFiles.offer(Buffer.from(dumpSql(snapshot, dump_options)))
    return c.json(
      success({
        success: true,
        type: "export",
        status: "complete",
        at_bookmark: bookmark.id,
        messages: [],
        result: { filename: `${id}-${bookmark.id}.sql`, signed_url: urlOf(c.req.url, key) },
      }),
    )
  })

  app.post("/:database/import", async (c) => {
    query(c, noQuery)
    const sent = await body(c, Import)
    const { id } = requireDatabase(state, c.req.param("database"))
    if (sent.action === "init") {
      const key = transferFiles.expect(sent.etag)
      return c.json(success({ filename: key, upload_url: urlOf(c.req.url, key) }))
    }
    const content = transferFiles.read(sent.filename)
    if (content === undefined || md5Of(content) !== sent.etag) {
      throw new ApiError(
        400,
        code.badQuery,
        `No upload matches filename ${sent.filename} with this etag; upload the file first`,
      )
    }
    return c.json(
      success(await withLock(`database:${id}`, () => ingest(id, content.toString("utf8")))),
    )
  })

  async function ingest(id: string, sql: string) {
    const statements = splitStatements(sql).map((text) => ({ sql: text, params: [] }))
    try {
      const results = await plane.query(id, statements)
      const bookmark = await bookmarks.take(id)
      const total = (key: string) =>
        results.reduce((sum, { meta }) => sum + Number(meta[key] ?? 0), 0)
      const meta = {
        served_by: "v3-prod",
        duration: total("duration"),
        changes: total("changes"),
        last_row_id: results.at(-1)?.meta.last_row_id ?? 0,
        changed_db: total("changes") > 0,
        size_after: plane.databaseSize(id),
        rows_read: total("rows_read"),
        rows_written: total("rows_written"),
      }
      return {
        success: true,
        type: "import",
        status: "complete",
        at_bookmark: bookmark.id,
        messages: [`Processed ${statements.length} queries.`],
        result: { final_bookmark: bookmark.id, num_queries: statements.length, meta },
      }
    } catch (error) {
      if (!(error instanceof QueryError)) throw error
      const failed = { success: true, type: "import", status: "error", messages: [] }
      return { ...failed, error: error.message, errors: [error.message] }
    }
  }

  return app
}

function urlOf(request: string, key: string): string {
  return new URL(`/transfers/${key}`, request).href
}
