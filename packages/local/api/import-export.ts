import { rmSync } from "node:fs"
import { DatabaseSync, constants } from "node:sqlite"
import { setTimeout as sleep } from "node:timers/promises"

import { type Context, Hono } from "hono"
import * as z from "zod"

import { QueryError } from "../plane/plane.ts"
import type { Control } from "./control.ts"
import { requireDatabase } from "./database.ts"
import { dumpSql, copyDatabase } from "./dump.ts"
import { ApiError, body, code, noQuery, success } from "./envelope.ts"
import { splitStatements, wordsOf } from "./statements.ts"
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

/** Serves the signed URLs of imports and exports. The key in the path is the only credential. */
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
 * `…/d1/database/{database}/export` and `/import`. An export is complete in its first response. Clients poll an
 * import that takes longer than a second. Uploads are kept for an hour: `init` with a known etag imports the file
 * immediately, even a second time (wrangler's "File already uploaded. Processing.").
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
    const { tables: requestedTables = [] } = dump_options
    if (
      snapshot.virtualTables.some(
        (name) => requestedTables.length === 0 || requestedTables.includes(name),
      )
    ) {
      return c.json(success({ ...base, status: "error", error: virtualTables }))
    }
    const key = transferFiles.offer(Buffer.from(dumpSql(snapshot, dump_options)))
    const result = { filename: `${id}-${bookmark.id}.sql`, signed_url: urlOf(c.req.url, key) }
    return c.json(success({ ...base, status: "complete", result }))
  })

  app.post("/:database/import", noQuery, async (c) => {
    const importInput = await body(c, Import)
    const { id } = requireDatabase(state, c.req.param("database"))
    if (importInput.action === "poll") {
      const progress = await imports.poll(id, importInput.current_bookmark)
      if (progress !== undefined) return answer(c, progress)
      const message = `No import is known by the bookmark ${importInput.current_bookmark}`
      throw new ApiError(400, code.badQuery, message)
    }
    const filename = `${id}-${importInput.etag}.sql`
    const content = transferFiles.find(filename)
    if (
      content !== undefined &&
      (importInput.action === "init" || importInput.filename === filename)
    ) {
      return answer(c, await imports.start(id, content.toString("utf8")))
    }
    if (importInput.action === "init") {
      const key = transferFiles.expect(filename, importInput.etag)
      return c.json(success({ filename, upload_url: urlOf(c.req.url, key) }))
    }
    throw new ApiError(
      400,
      code.badQuery,
      `No upload matches filename ${importInput.filename} with this etag; upload the file first`,
    )
  })

  return app
}

/** Miniflare's text for this error. */
const virtualTables = "D1 Export error: cannot export databases with Virtual Tables (fts5)"

function answer(c: Context, progress: Progress) {
  return c.json(success(progress), progress.status === "active" ? 202 : 200)
}

function urlOf(request: string, key: string): string {
  return new URL(`/transfers/${key}`, request).href
}

/** Milliseconds that a request waits for a running import ("~1 s", cloudflare/workers-sdk#9503). */
const patience = 1000

const Progress = z.looseObject({
  success: z.literal(true),
  type: z.literal("import"),
  status: z.enum(["active", "complete", "error"]),
  at_bookmark: z.string(),
  messages: z.array(z.string()),
})
export type Progress = z.infer<typeof Progress>

type Options = Pick<Control, "plane" | "withLock" | "bookmarks">
type RunningImport = { databaseId: string; done: Promise<Progress> }

function createImports({ plane, withLock, bookmarks }: Options) {
  /** The imports that this process started, by the bookmark taken before each. */
  const imports = new Map<string, RunningImport>()

  async function run(databaseId: string, statements: string[]): Promise<Record<string, unknown>> {
    const totals = turnsForeignKeysOff(statements)
      ? await runUnchecked(databaseId, statements)
      : await runBatch(databaseId, statements)
    const { id } = await bookmarks.take(databaseId)
    const { duration, changes, last_row_id, rows_read = 0, rows_written = changes } = totals
    const meta = {
      served_by: "v3-prod",
      duration,
      changes,
      last_row_id,
      changed_db: changes > 0,
      size_after: plane.databaseSize(databaseId),
      rows_read,
      rows_written,
    }
    return {
      status: "complete",
      messages: [`Processed ${statements.length} queries.`],
      result: { final_bookmark: id, num_queries: statements.length, meta },
    }
  }

  function runUnchecked(databaseId: string, statements: string[]): Promise<ImportTotals> {
    const file = plane.databaseFile(databaseId)
    return importUnchecked({ file, workFile: `${file}.import`, statements })
  }

  async function runBatch(databaseId: string, statements: string[]) {
    const results = await plane.query(
      databaseId,
      statements.map((sql) => ({ sql, params: [] })),
    )
    const total = (key: string) =>
      results.reduce((sum, { meta }) => sum + Number(meta[key] ?? 0), 0)
    return {
      duration: total("duration"),
      changes: total("changes"),
      last_row_id: results.at(-1)?.meta.last_row_id ?? 0,
      rows_read: total("rows_read"),
      rows_written: total("rows_written"),
    }
  }

  function answerWithin(bookmark: string, { done }: RunningImport): Promise<Progress> {
    const active = Progress.parse({
      success: true,
      type: "import",
      status: "active",
      at_bookmark: bookmark,
      messages: [],
    })
    return Promise.race([done, sleep(patience, active, { ref: false })])
  }

  return {
    /** Starts an import. Resolves when it is done, or after a second with its progress. */
    async start(databaseId: string, sql: string): Promise<Progress> {
      const statements = splitStatements(sql)
      const started = Promise.withResolvers<string>()
      // The lock is held until the import ends, not only until it has started.
      const done = withLock(`database:${databaseId}`, async () => {
        const { id } = await bookmarks.take(databaseId)
        started.resolve(id)
        const base = { success: true, type: "import", at_bookmark: id }
        try {
          return Progress.parse({ ...base, ...(await run(databaseId, statements)) })
        } catch (error) {
          if (!(error instanceof QueryError)) throw error
          const { message } = error
          const failed = { status: "error", messages: [], error: message, errors: [message] }
          return Progress.parse({ ...base, ...failed })
        }
      })
      done.catch(started.reject)
      const bookmark = await started.promise
      const entry = { databaseId, done }
      imports.set(bookmark, entry)
      return answerWithin(bookmark, entry)
    },
    /** Resolves like `start`, for a running import. Undefined if the database has no import with the bookmark. */
    async poll(databaseId: string, bookmark: string) {
      const entry = imports.get(bookmark)
      return entry?.databaseId === databaseId ? answerWithin(bookmark, entry) : undefined
    },
  }
}

/**
 * Returns whether a script turns foreign keys off. Cloudflare's import obeys the pragma: it uses no SQLite
 * transaction, but restores a bookmark if it fails (cloudflare/workers-sdk#9503, #13272). workerd runs everything in a
 * transaction, in which SQLite ignores the pragma.
 */
export function turnsForeignKeysOff(statements: string[]): boolean {
  return statements.some((sql) => {
    if (!/foreign_keys/i.test(sql)) return false
    const [first, ...rest] = wordsOf(sql)
    return first === "PRAGMA" && rest.some(namesForeignKeys) && areOffAfter(sql)
  })
}

function namesForeignKeys(word: string): boolean {
  return /^["'`[]?FOREIGN_KEYS["'`\]]?$/.test(word)
}

/** Runs the pragma to find out: SQLite reads every unknown value as off. */
function areOffAfter(pragma: string): boolean {
  using database = new DatabaseSync(":memory:")
  try {
    database.exec(pragma)
  } catch {
    return false
  }
  return database.prepare("PRAGMA foreign_keys").get()?.["foreign_keys"] === 0
}

type ImportTotals = {
  /** Milliseconds. */
  duration: number
  changes: number
  last_row_id: number
  rows_read?: number
  rows_written?: number
}

type UncheckedImport = { file: string; workFile: string; statements: string[] }

/**
 * Runs a script on a copy of a database, statement by statement, and replaces the database with the copy if all
 * statements succeed.
 * @throws QueryError if a statement fails; the database is then unchanged
 */
async function importUnchecked(options: UncheckedImport): Promise<ImportTotals> {
  const { file, workFile, statements } = options
  try {
    await copyDatabase(file, workFile)
    const totals = runAll(workFile, statements)
    await copyDatabase(workFile, file)
    return totals
  } finally {
    for (const suffix of ["", "-wal", "-shm"]) rmSync(`${workFile}${suffix}`, { force: true })
  }
}

function runAll(file: string, statements: string[]): ImportTotals {
  const database = new DatabaseSync(file)
  try {
    // Set after opening the database, which reads the schema.
    database.setAuthorizer(authorize)
    const began = performance.now()
    for (const sql of statements) database.prepare(sql).run()
    const duration = performance.now() - began
    const counts = "SELECT total_changes() AS changes, last_insert_rowid() AS id"
    const row = database.prepare(counts).get()
    return { duration, changes: Number(row?.["changes"]), last_row_id: Number(row?.["id"]) }
  } catch (error) {
    throw new QueryError(describe(error), { cause: error })
  } finally {
    database.close()
  }
}

const SqliteError = z.looseObject({ message: z.string(), errcode: z.number().default(1) })

/** Formats an error like D1: the message, and the name of SQLite's primary code. */
function describe(error: unknown): string {
  const { data } = SqliteError.safeParse(error)
  if (data === undefined) return `${String(error)}: SQLITE_ERROR`
  const { message, errcode } = data
  return `${message}: ${codeNames.get(errcode & 0xff) ?? "SQLITE_ERROR"}`
}

const codeNames = new Map([
  [13, "SQLITE_FULL"],
  [18, "SQLITE_TOOBIG"],
  [19, "SQLITE_CONSTRAINT"],
  [20, "SQLITE_MISMATCH"],
  [23, "SQLITE_AUTH"],
])

const refusedActions = new Set([
  constants.SQLITE_ATTACH,
  constants.SQLITE_DETACH,
  constants.SQLITE_TRANSACTION,
  constants.SQLITE_SAVEPOINT,
])

/** Denies what D1 always rejects: access to other files, explicit transactions, and workerd's internal tables. */
function authorize(action: number, first: string | null, second: string | null): number {
  const ownTable = [first, second].some((name) => name?.startsWith("_cf_"))
  return refusedActions.has(action) || ownTable ? constants.SQLITE_DENY : constants.SQLITE_OK
}
