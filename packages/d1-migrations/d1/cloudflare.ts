import * as z from "zod"

import { counted, Failure } from "../failure.ts"
import type { Api } from "./cloudflare-api.ts"
import type { D1 } from "./d1.ts"

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
      const results = await api.query(path, { sql: statements.join(";\n") }, Results)
      return expectSuccess(path, results, statements.length).map((result) => result.results)
    },
    async change(sql) {
      return expectSuccess(path, await api.post(path, { sql }, Results))
    },
    bookmark: async () => (await api.get(`${root}/time_travel/bookmark`, Bookmark)).bookmark,
  }
}

/** Restores a database to a bookmark, which undoes everything that was written since. */
export function restoreCommand(databaseId: string, bookmark: string): string {
  return `wrangler d1 time-travel restore ${databaseId} --bookmark=${bookmark}`
}

/**
 * @throws API_FAILED: D1 may answer 200 although a statement failed, and too few results would read as a
 * database that has nothing, and so nothing to lose
 */
function expectSuccess(path: string, results: z.infer<typeof Results>, count?: number) {
  const failed = results.find(({ success }) => !success)
  const { length } = results
  const isComplete = count === undefined ? length > 0 : length === count
  if (failed === undefined && isComplete) return results
  const reason = failed
    ? `, but success is false: ${failed.error ?? "a statement failed without a reason"}`
    : ` with rows of ${counted(length, "statement")} for ${count ?? "some"}`
  const facts = { lost: true, status: 200 }
  throw new Failure("API_FAILED", `POST ${path}: 200${reason}`, { facts })
}
