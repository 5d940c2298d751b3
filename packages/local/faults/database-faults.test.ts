import { afterAll, beforeEach, expect, test } from "vitest"
import * as z from "zod"

import { askEdge } from "../cloudflare/testing/ask-edge.ts"
import { d1ErrorMessages } from "./d1-error-texts.ts"
import { deploySite, startFaultServer } from "./testing/fault-server.ts"
import { sendHanging } from "./testing/hanging-request.ts"

const cloudflare = await startFaultServer()
afterAll(() => cloudflare[Symbol.asyncDispose]())
beforeEach(() => cloudflare.inject())

/** Responds with "done", or with the message of the error that the D1 binding threw. */
const code = `export default {
  async fetch(request, env) {
    const { pathname } = new URL(request.url)
    const insert = (id) => env.DB.prepare("INSERT INTO note (id) VALUES (?)").bind(id)
    try {
      await insert(pathname).run()
      return new Response("done")
    } catch (error) {
      return new Response(error.message)
    }
  },
}`
const site = await deploySite(cloudflare, "d1-faults", code)

const Rows = z.object({ result: z.array(z.object({ results: z.array(z.unknown()) })) })
async function query(sql: string, signal?: AbortSignal) {
  const path = `/accounts/${cloudflare.accountId}/d1/database/${site.databaseId}/query`
  const body = JSON.stringify({ sql })
  return cloudflare.request(path, { method: "POST", body, ...(signal && { signal }) })
}
async function ids() {
  const answer = await (await query("SELECT id FROM note ORDER BY rowid")).json()
  const { result } = Rows.parse(answer)
  return result[0]?.results.map((row) => z.object({ id: z.string() }).parse(row).id)
}
async function inWorker(path: string) {
  return (await askEdge(cloudflare.edge, site.host, path)).text
}

await query("CREATE TABLE note (id TEXT)")
beforeEach(() => query("DELETE FROM note"))

const match = { surface: "d1", contains: "INSERT" }

test.each(d1ErrorMessages)("%s over the API and in a Worker", async (error) => {
  await cloudflare.inject({ match, when: { times: 2 }, action: { type: "d1-error", error } })
  const answer = await query("INSERT INTO note (id) VALUES ('a')")
  expect(answer.status).toBe(400)
  expect(await answer.json()).toMatchObject({ errors: [{ code: 7500, message: error }] })
  expect(await inWorker("/b")).toBe(`D1_ERROR: ${error}`)
  expect(await ids()).toEqual([])
  expect(await inWorker("/c")).toBe("done")
})

test("a connection lost after the commit keeps the rows", async () => {
  const action = { type: "d1-error", error: "Network connection lost.", applied: true }
  await cloudflare.inject({ match, when: { times: 2 }, action })
  expect((await query("INSERT INTO note (id) VALUES ('a')")).status).toBe(400)
  expect(await inWorker("/b")).toBe("D1_ERROR: Network connection lost.")
  expect(await ids()).toEqual(["a", "/b"])
})

test.each([false, true])("a hanging query, after the commit: %s", async (applied) => {
  await cloudflare.inject({ match, when: { times: 2 }, action: { type: "hang", applied } })
  const overApi = sendHanging((signal) => query("INSERT INTO note (id) VALUES ('a')", signal))
  await expect.poll(cloudflare.fired).toBe(1)
  const overWorker = inWorker("/b")
  await expect.poll(cloudflare.fired).toBe(2)
  await overApi.expectNoResponse(overWorker)
  await overApi.abort()
  // Removing the rules stands in for the 30 s after which D1 gives up.
  await cloudflare.inject()
  const text = "D1 DB storage operation exceeded timeout which caused object to be reset."
  expect(await overWorker).toBe(`D1_ERROR: ${text}`)
  expect(await ids()).toEqual(applied ? ["a", "/b"] : [])
})

test("a fault can be limited to one database", async () => {
  const action = { type: "d1-error", error: "Network connection lost." }
  await cloudflare.inject({ match: { surface: "d1", database: "another" }, action })
  expect(await inWorker("/b")).toBe("done")
  await cloudflare.inject({ match: { surface: "d1", database: site.databaseId }, action })
  expect(await inWorker("/c")).toBe("D1_ERROR: Network connection lost.")
})

test("fault rules survive a restart of the storage process", async () => {
  const error = "D1 DB is overloaded. Too many requests queued."
  await cloudflare.inject(
    {
      match: { ...match, contains: "VALUES ('kill')" },
      action: { type: "kill", process: "storage" },
    },
    { match, action: { type: "d1-error", error } },
  )
  await query("INSERT INTO note (id) VALUES ('kill')")
  await expect.poll(() => inWorker("/b")).toBe(`D1_ERROR: ${error}`)
})
