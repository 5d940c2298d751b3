import { Hono, type Context } from "hono"
import * as z from "zod"

import type { Control } from "../control.ts"
import { ApiError, body, noQuery, success } from "../protocol/envelope.ts"
import { code } from "../protocol/error-code.ts"
import { requireDatabase } from "./database.store.ts"
import { createImports, type Progress } from "./imports.ts"
import { dumpSql } from "./sql-dump.ts"
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
  z.strictObject({ action: z.literal("poll"), current_bookmark: z.string() }),
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
 * `…/d1/database/{database}/export` and `/import`. An export is complete when it is answered, an import
 * that takes longer than a second is polled. A file stays uploaded for an hour: `init` of a known one
 * starts the import at once, which runs again (wrangler's "File already uploaded. Processing.").
 */
export function importExportApi(control: Control) {
  const { state, withLock, bookmarks, transferFiles } = control
  const imports = createImports(control)
  const app = new Hono()

  app.post("/:database/export", noQuery, async (c) => {
    const { dump_options } = await body(c, Export)
    const { id } = requireDatabase(state, c.req.param("database"))
    const bookmark = await withLock(`database:${id}`, () => bookmarks.take(id))
    using snapshot = bookmarks.open(bookmark)
    const base = { success: true, type: "export", at_bookmark: bookmark.id, messages: [] }
    const { tables: wanted = [] } = dump_options
    if (snapshot.virtualTables.some((name) => wanted.length === 0 || wanted.includes(name))) {
      return c.json(success({ ...base, status: "error", error: virtualTables }))
    }
    const key = transferFiles.offer(Buffer.from(dumpSql(snapshot, dump_options)))
    const result = { filename: `${id}-${bookmark.id}.sql`, signed_url: urlOf(c.req.url, key) }
    return c.json(success({ ...base, status: "complete", result }))
  })

  app.post("/:database/import", noQuery, async (c) => {
    const sent = await body(c, Import)
    const { id } = requireDatabase(state, c.req.param("database"))
    if (sent.action === "poll") {
      const progress = await imports.poll(id, sent.current_bookmark)
      if (progress !== undefined) return answer(c, progress)
      const message = `No import is known by the bookmark ${sent.current_bookmark}`
      throw new ApiError(400, code.badQuery, message)
    }
    const filename = `${id}-${sent.etag}.sql`
    const content = transferFiles.find(filename)
    if (content !== undefined && (sent.action === "init" || sent.filename === filename)) {
      return answer(c, await imports.start(id, content.toString("utf8")))
    }
    if (sent.action === "init") {
      const key = transferFiles.expect(filename, sent.etag)
      return c.json(success({ filename, upload_url: urlOf(c.req.url, key) }))
    }
    throw new ApiError(
      400,
      code.badQuery,
      `No upload matches filename ${sent.filename} with this etag; upload the file first`,
    )
  })

  return app
}

/** The words of Cloudflare's own export, in Miniflare. */
const virtualTables = "D1 Export error: cannot export databases with Virtual Tables (fts5)"

function answer(c: Context, progress: Progress) {
  return c.json(success(progress), progress.status === "active" ? 202 : 200)
}

function urlOf(request: string, key: string): string {
  return new URL(`/transfers/${key}`, request).href
}
