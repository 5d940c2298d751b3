import * as z from "zod"

import { counted, Failure } from "../failure.ts"
import type { Api } from "./cloudflare-api.ts"
import type { D1 } from "./d1.ts"

/** Cloudflare's code for every failed query, whatever the reason. */
export const failedQuery = 7500

const Results = z.array(
  z.object({
    success: z.boolean(),
    error: z.string().optional(),
    results: z.array(z.unknown()),
  }),
)
const Bookmark = z.object({ bookmark: z.string().min(1) })

/** A database in an account. */
export function cloudflareD1(place: { api: Api; accountId: string; databaseId: string }): D1 {
  const { api, databaseId } = place
  const account = encodeURIComponent(place.accountId)
  const root = `/accounts/${account}/d1/database/${encodeURIComponent(databaseId)}`
  const path = `${root}/query`
  return {
    databaseId,
    async query(statements) {
      const body = { sql: statements.join(";\n") }
      const results = succeeded(path, await api.query(path, body, Results))
      if (results.length !== statements.length) throw tooFew(path, results, statements.length)
      return results.map((result) => result.results)
    },
    async change(sql) {
      const results = succeeded(path, await api.post(path, { sql }, Results))
      if (results.length === 0) throw tooFew(path, results, "some")
    },
    bookmark: async () => (await api.get(`${root}/time_travel/bookmark`, Bookmark)).bookmark,
  }
}

/** What leads back to a moment, with everything that was written since undone. */
export function restoreCommand(databaseId: string, bookmark: string): string {
  return `wrangler d1 time-travel restore ${databaseId} --bookmark=${bookmark}`
}

/** @throws API_FAILED: D1 may answer 200 although a statement failed. */
function succeeded<Result extends z.infer<typeof Results>>(path: string, results: Result): Result {
  const failed = results.find((result) => !result.success)
  if (failed === undefined) return results
  const reason = failed.error ?? "a statement failed without a reason"
  const message = `POST ${path}: 200, but success is false: ${reason}`
  throw new Failure("API_FAILED", message, { facts: { lost: true, status: 200 } })
}

/** Read as rows, it would say that the database has nothing, and so nothing to lose. */
function tooFew(path: string, { length }: unknown[], expectedCount: number | string) {
  const message = `POST ${path}: 200 with rows of ${counted(length, "statement")} for ${expectedCount}`
  return new Failure("API_FAILED", message, { facts: { lost: true, status: 200 } })
}
