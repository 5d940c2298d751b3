import { readFile } from "node:fs/promises"
import { type RequestOptions, request } from "node:http"
import { request as requestSecure } from "node:https"
import { join } from "node:path"
import { text } from "node:stream/consumers"

import { afterAll, beforeEach, expect, test } from "vitest"

import { deploySite, startFaultServer } from "./testing/fault-server.ts"
import { sendHanging } from "./testing/hanging-request.ts"

const cloudflare = await startFaultServer()
afterAll(() => cloudflare[Symbol.asyncDispose]())
beforeEach(() => cloudflare.inject())

/** Stores the path of every request, and responds with 4,000 characters. */
const code = `export default {
  async fetch(request, env) {
    const { pathname, searchParams } = new URL(request.url)
    if (pathname === "/count") {
      return Response.json(await env.DB.prepare("SELECT count(*) AS n FROM note").first("n"))
    }
    await env.DB.exec("CREATE TABLE IF NOT EXISTS note (path TEXT)")
    await env.DB.prepare("INSERT INTO note (path) VALUES (?)").bind(pathname).run()
    if (searchParams.has("slow")) await scheduler.wait(20_000)
    return new Response("x".repeat(4000))
  },
}`
const site = await deploySite(cloudflare, "edge-faults", code)
const ca = await readFile(join(cloudflare.directory, "cloudflare/authority/ca.pem"))

type Seen = { status: number; type: string | undefined; body: string }

/** Rejects when the connection breaks, in the head or in the body, or when `signal` aborts. */
function ask(path: string, secure = false, signal?: AbortSignal): Promise<Seen> {
  return new Promise((resolve, reject) => {
    const options: RequestOptions & { ca: Buffer; servername: string } = {
      method: "POST",
      headers: { host: site.host, "user-agent": "accounts-tests" },
      agent: false,
      ...(signal && { signal }),
      servername: site.host,
      ca,
    }
    const base = secure ? cloudflare.edgeTls : cloudflare.edge
    const outgoing = (secure ? requestSecure : request)(`${base}${path}`, options, (answer) => {
      const { statusCode: status = 0, headers } = answer
      text(answer).then((body) => resolve({ status, type: headers["content-type"], body }), reject)
    })
    outgoing.on("error", reject)
    outgoing.end()
  })
}

await ask("/first")
async function count() {
  return Number((await ask("/count")).body)
}
/** Counts the requests that reach the Worker during `act`, and returns its result or error code. */
async function countReached(act: () => Promise<unknown>): Promise<[number, unknown]> {
  const before = await count()
  const outcome = await act().catch((error: unknown) =>
    error instanceof Error && "code" in error ? error.code : String(error),
  )
  return [(await count()) - before, outcome]
}
const match = { surface: "edge", host: site.host, path: "/faulty" }

test.each([
  ["http", false, false],
  ["http", true, false],
  ["https", false, true],
  ["https", true, true],
])("a reset over %s, after the Worker has run: %s", async (_scheme, applied, secure) => {
  await cloudflare.inject({ match, action: { type: "reset", applied } })
  expect(await countReached(() => ask("/faulty", secure))).toEqual([applied ? 1 : 0, "ECONNRESET"])
  expect((await ask("/faulty", secure)).status).toBe(200)
})

test.each([false, true])("an injected status, after the Worker has run: %s", async (applied) => {
  const action = { type: "status", status: 522, body: "html", applied }
  await cloudflare.inject({ match, action })
  const [reached, outcome] = await countReached(() => ask("/faulty"))
  expect(reached).toBe(applied ? 1 : 0)
  expect(outcome).toMatchObject({ status: 522, type: "text/html; charset=UTF-8" })
  expect(JSON.stringify(outcome)).toContain("Error code 522")
})

test.each([false, true])("a hanging request, after the Worker has run: %s", async (applied) => {
  await cloudflare.inject({ match, action: { type: "hang", applied } })
  const before = await count()
  const hanging = sendHanging((signal) => ask("/faulty", false, signal))
  await expect.poll(cloudflare.fired).toBe(1)
  await expect.poll(count).toBe(before + (applied ? 1 : 0))
  await hanging.expectNoResponse()
  await hanging.abort()
  expect(await count()).toBe(before + (applied ? 1 : 0))
})

test("a delay leaves the response unchanged", async () => {
  await cloudflare.inject({ match, action: { type: "delay", ms: 30 } })
  expect((await ask("/faulty")).body).toHaveLength(4000)
  expect(await cloudflare.fired()).toBe(1)
})

test("a Worker killed before a request answers it from a new process", async () => {
  await cloudflare.inject({ match, action: { type: "kill", process: "edge-faults" } })
  expect(await countReached(() => ask("/faulty"))).toMatchObject([1, { status: 200 }])
})

test("a Worker killed during a request returns 502, and the next request works", async () => {
  await cloudflare.inject({ match, action: { type: "kill", process: "edge-faults", ms: 1000 } })
  expect((await ask("/faulty?slow")).status).toBe(502)
  await expect.poll(async () => (await ask("/faulty")).status).toBe(200)
})

test("storage that is killed restarts with all its data", async () => {
  await cloudflare.inject({ match, action: { type: "kill", process: "storage" } })
  const before = await count()
  const answer = await ask("/faulty")
  expect([200, 500, 502]).toContain(answer.status)
  // Queries fail until the next process has opened the databases.
  await expect.poll(count).toBe(before + (answer.status === 200 ? 1 : 0))
})
