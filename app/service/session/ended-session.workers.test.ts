import { createExecutionContext } from "cloudflare:test"
import { env } from "cloudflare:workers"
import { expect, test, vi } from "vitest"

import routes from "../../../docs/routes.json"
import { forgetAttempts } from "../../testing/clock.ts"
import { createEveryRoute, visitEveryRoute } from "../../testing/every-route.ts"
import { createInterruptedDatabase } from "../../testing/interrupted-database.ts"
import worker from "../../worker.ts"

/** Routes that write nothing of the caller's: they begin what is checked at its end, or only read. */
const without = new Set([
  "POST /api/auth/link-social",
  "POST /api/auth/passkey/begin",
  "POST /api/auth/step-up/begin",
  "POST /api/v1/beginTotp",
  "POST /api/v1/createToken",
  "POST /api/v1/verifyPayment",
])

const writing = Object.entries(routes).flatMap(([route, { who }]) =>
  route.startsWith("POST ") && who !== "anybody" && !without.has(route) ? [route] : [],
)

/** All rows that belong to a user. */
async function census() {
  const { results } = await env.DB.prepare(
    "select name from sqlite_schema where type = 'table' and sql like '%user_id%'",
  ).all<{ name: string }>()
  const tables = ["user", "audit_entry", ...results.map(({ name }) => name)]
  const rows = await env.DB.batch(tables.map((name) => env.DB.prepare(`select * from ${name}`)))
  return JSON.stringify(rows.map((result, index) => [tables[index], result.results]))
}

/** Ends the session of a request. Returns a function that inserts it again. */
async function endSession(request: Request) {
  const [, cookie = ""] = /session_token=([^;]+)/.exec(request.headers.get("cookie") ?? "") ?? []
  const [token = ""] = decodeURIComponent(cookie).split(".")
  const row = await env.DB.prepare("select * from session where token = ?").bind(token).first()
  if (row === null) throw new Error(`${request.url} has no session`)
  await env.DB.prepare("delete from session where token = ?").bind(token).run()
  const columns = Object.keys(row)
  const values = columns.map(() => "?").join()
  return () =>
    env.DB.prepare(`insert into session (${columns.join()}) values (${values})`)
      .bind(...Object.values(row))
      .run()
}

test("no route writes anything, or ends another session, once the session of its request has ended", async () => {
  const { database: DB, interrupt, isDone } = createInterruptedDatabase()
  const every = await createEveryRoute({ DB })
  using _network = every.network()
  const outcomes = new Map<string, unknown>()
  const fetch = worker.fetch.bind(worker)
  using _spy = vi.spyOn(worker, "fetch").mockImplementation(async (request, ...rest) => {
    const route = `${request.method} ${new URL(request.url).pathname}`
    if (!writing.includes(route) || outcomes.has(route)) return fetch(request, ...rest)
    let restore = () => Promise.resolve<unknown>(undefined)
    let expected = ""
    interrupt(/(?:insert into|update|delete from) "(?!attempt)/, async () => {
      restore = await endSession(request)
      expected = await census()
    })
    // The browser gets the response to the second one.
    const response = await fetch(request.clone(), every.bound, createExecutionContext())
    const { code } = await response.json<{ code?: string }>()
    const isUnchanged = (await census()) === expected
    outcomes.set(route, { isDone: isDone(), status: response.status, code, isUnchanged })
    await restore()
    // Counts what was tried, such as the answer of a passkey.
    await forgetAttempts()
    return fetch(request, ...rest)
  })
  await visitEveryRoute(every, (_, action) => action())
  const outcome = { isDone: true, status: 401, code: "UNAUTHORIZED", isUnchanged: true }
  expect(Object.fromEntries(outcomes)).toEqual(
    Object.fromEntries(writing.map((route) => [route, outcome])),
  )
})
