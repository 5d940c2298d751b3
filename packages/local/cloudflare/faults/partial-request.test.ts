import { afterAll, beforeEach, expect, test } from "vitest"
import * as z from "zod"

import { deploySite, startFaultServer } from "./testing/fault-server.ts"

const cloudflare = await startFaultServer()
afterAll(() => cloudflare[Symbol.asyncDispose]())
beforeEach(() => cloudflare.inject())

const account = `/accounts/${cloudflare.accountId}`
const site = await deploySite(cloudflare, "partial")

async function call(method: string, path: string, body?: unknown) {
  const init = { method, ...(body !== undefined && { body: JSON.stringify(body) }) }
  const answer = await cloudflare.request(path, init)
  const { result } = z.object({ result: z.unknown() }).parse(await answer.json())
  return { status: answer.status, result }
}
function injectPartial(path: string, keep = 1) {
  return cloudflare.inject({ match: { surface: "api", path }, action: { type: "partial", keep } })
}

test("a partial write sets some of a script's routes, then fails", async () => {
  await injectPartial("*/routes")
  const patterns = [{ pattern: "a.accounts.test/*" }, { pattern: "b.accounts.test/*" }]
  const { status } = await call("PUT", `${account}/workers/scripts/partial/routes`, patterns)
  expect(status).toBe(500)
  const zone = "7a6f6e656163636f756e747300000001"
  const { result } = await call("GET", `/zones/${zone}/workers/routes`)
  expect(result).toMatchObject([{ pattern: "a.accounts.test/*" }])
})

test("a partial write attaches some of a script's hostnames, then fails", async () => {
  await injectPartial("*/domains/records", 2)
  const origins = [site.host, "b.accounts.test", "c.accounts.test"].map((hostname) => ({
    hostname,
  }))
  const { status } = await call("PUT", `${account}/workers/scripts/partial/domains/records`, {
    override_scope: true,
    override_existing_origin: false,
    override_existing_dns_record: false,
    origins,
  })
  expect(status).toBe(500)
  const { result } = await call("GET", `${account}/workers/domains`)
  expect(result).toMatchObject([{ hostname: "b.accounts.test" }, { hostname: site.host }])
})

test("a partial write sets some secrets, then fails", async () => {
  await injectPartial("*/secrets-bulk")
  const secret = (name: string) => ({ type: "secret_text", name, text: "hidden" })
  const secrets = { ONE: secret("ONE"), TWO: secret("TWO") }
  const path = `${account}/workers/scripts/partial/secrets`
  expect((await call("PATCH", `${path}-bulk`, { secrets })).status).toBe(500)
  expect((await call("GET", path)).result).toMatchObject([{ name: "ONE" }])
})

test("a partial query keeps its first statements", async () => {
  const path = `${account}/d1/database/${site.databaseId}/query`
  await injectPartial("*/query", 2)
  const sql = "CREATE TABLE a (x); INSERT INTO a (x) VALUES (';'); INSERT INTO a (x) VALUES (2)"
  expect((await call("POST", path, { sql })).status).toBe(500)
  const { result } = await call("POST", path, { sql: "SELECT x FROM a" })
  expect(result).toMatchObject([{ results: [{ x: ";" }] }])
})

test("a partial upload creates a script without its code", async () => {
  await injectPartial("*/scripts/half")
  const form = new FormData()
  form.append("metadata", JSON.stringify({ main_module: "worker.js" }))
  form.append("worker.js", new File(["export default { fetch() {} }"], "worker.js"))
  const init = { method: "PUT", body: form }
  const answer = await cloudflare.request(`${account}/workers/scripts/half`, init)
  expect(answer.status).toBe(500)
  const { result } = await call("GET", `${account}/workers/scripts/half/versions`)
  expect(result).toMatchObject({ items: [] })
})

test("a request that can't be partial passes, and its rule stays unused", async () => {
  await injectPartial("*")
  expect((await call("GET", `${account}/workers/domains`)).status).toBe(200)
  expect(await cloudflare.rules()).toMatchObject([{ seen: 0, fired: 0 }])
})
