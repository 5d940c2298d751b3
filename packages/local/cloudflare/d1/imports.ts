import { setTimeout as sleep } from "node:timers/promises"

import * as z from "zod"

import type { Control } from "../control.ts"
import { QueryError } from "../plane/plane.ts"
import { splitStatements } from "./statements.ts"
import { type ImportTotals, importUnchecked, turnsForeignKeysOff } from "./unchecked-import.ts"

/** Milliseconds until a request about a running import is answered ("~1 s", cloudflare/workers-sdk#9503). */
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
type Import = { databaseId: string; done: Promise<Progress> }

export function createImports({ plane, withLock, bookmarks }: Options) {
  /** Of this process, by the bookmark from before them. */
  const imports = new Map<string, Import>()

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

  function answerWithin(bookmark: string, { done }: Import): Promise<Progress> {
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
    /** Answers when the import is done, or after a second. */
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
    /** The same for an import that was started earlier. */
    async poll(databaseId: string, bookmark: string) {
      const entry = imports.get(bookmark)
      return entry?.databaseId === databaseId ? answerWithin(bookmark, entry) : undefined
    },
  }
}
