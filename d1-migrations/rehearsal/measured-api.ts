import * as z from "zod"

import { type Api, type ApiOptions, createApi } from "../../provider/api.ts"

/** What D1 charges for: rows that it scanned, and rows of tables and indexes that it wrote. */
export type Cost = { rowsRead: number; rowsWritten: number }

/** A request that changed the database: its script, and the cost of each statement in it. */
export type Measured = { sql: string; costs: Cost[] }

const Sent = z.object({ sql: z.string() })
const Answered = z.array(
  z.object({ meta: z.object({ rows_read: z.number(), rows_written: z.number() }) }),
)

/** An `Api` that keeps what D1 says its changes cost, for callers that have no use for it. */
export function createMeasuredApi(options: ApiOptions): { api: Api; measured: Measured[] } {
  const api = createApi(options)
  const measured: Measured[] = []
  return {
    measured,
    api: {
      ...api,
      async post(path, body, result) {
        const answer = await api.post(path, body, z.unknown())
        const sent = Sent.safeParse(body).data
        const results = Answered.safeParse(answer).data
        if (sent !== undefined && results !== undefined) {
          const costs = results.map(({ meta }) => ({
            rowsRead: meta.rows_read,
            rowsWritten: meta.rows_written,
          }))
          measured.push({ sql: sent.sql, costs })
        }
        return result.parse(answer)
      },
    },
  }
}
