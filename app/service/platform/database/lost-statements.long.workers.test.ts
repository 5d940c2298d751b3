import { env } from "cloudflare:workers"
import { getTableName, is } from "drizzle-orm"
import { SQLiteTable } from "drizzle-orm/sqlite-core"
import { expect, test, vi } from "vitest"

import { schema } from "../../../schema.ts"
import { createCountingDatabase } from "../../../testing/counting-database.ts"
import { createEveryRoute, isOfLetter, visitEveryRoute } from "../../../testing/every-route.ts"
import { ofNouns } from "../../../testing/nouns.ts"

/** Requests that leave something when the database fails a round trip of theirs, and why. */
const leaving = ofNouns((noun) => noun.leaving)

const tables = Object.values(schema).flatMap((table) =>
  // Attempts count what was tried, also what failed.
  is(table, SQLiteTable) && getTableName(table) !== "attempt" ? [getTableName(table)] : [],
)

/** Reads all rows, except whether an email is pending: emails are sent after the response. */
async function rows() {
  const tablesRead = await env.DB.batch<Record<string, unknown>>(
    tables.map((name) => env.DB.prepare(`select * from "${name}" order by rowid`)),
  )
  const rowsByTable = tablesRead.map(({ results }) => results)
  return JSON.stringify(rowsByTable, (name, value: unknown) =>
    name === "letter_due" ? null : value,
  )
}

test("A42: whichever round trip of a request the database fails, the request has changed nothing", async () => {
  const spy = vi.spyOn(console, "error").mockImplementation(() => {})
  using _silent = { [Symbol.dispose]: () => spy.mockRestore() }
  const state = { left: Infinity }
  const { database: DB } = createCountingDatabase(env.DB, async (sql) => {
    if (isOfLetter(sql)) return
    state.left -= 1
    // Not an error after which a read is tried again.
    if (state.left !== 0) return
    throw new Error("D1_ERROR: D1 DB is overloaded. Too many requests queued.")
  })
  const every = await createEveryRoute({ DB })
  using _network = every.network()
  const survivors: string[] = []
  let failures = 0
  await visitEveryRoute(every, async (name, action) => {
    for (let failing = 1; ; failing += 1) {
      const before = await rows()
      state.left = failing
      // The action may read a field that an error does not have.
      await action().catch(() => {})
      const isDone = state.left > 0
      state.left = Infinity
      if (isDone) return
      failures += 1
      const after = await rows()
      if (after !== before) survivors.push(`${name}, ${failing}`)
    }
  })
  expect(failures).toBeGreaterThan(60)
  expect(survivors.toSorted()).toEqual(Object.keys(leaving).toSorted())
})
