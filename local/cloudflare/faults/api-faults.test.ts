import { setTimeout } from "node:timers/promises"

import { afterAll, beforeEach, expect, test } from "vitest"
import * as z from "zod"

import { startFaultServer } from "./testing/fault-server.ts"

const cloudflare = await startFaultServer()
afterAll(() => cloudflare[Symbol.asyncDispose]())
beforeEach(() => cloudflare.spoil())

const databases = `/accounts/${cloudflare.accountId}/d1/database`
const Named = z.object({ result: z.array(z.object({ name: z.string() })) })

function create(name: string) {
  return cloudflare.request(databases, { method: "POST", body: JSON.stringify({ name }) })
}
async function exists(name: string): Promise<boolean> {
  const answer = await cloudflare.request(`${databases}?name=${name}`)
  return Named.parse(await answer.json()).result.some((one) => one.name === name)
}
const creation = { surface: "api", method: "post", path: "*/d1/database" }
/** What fetch says of a connection that broke. */
function breakage(error: unknown) {
  return error instanceof Error && error.cause instanceof Error && "code" in error.cause
    ? error.cause.code
    : String(error)
}

test.each([
  ["before", false],
  ["after", true],
])("an injected reset %s the request is applied is a TCP reset", async (when, applied) => {
  await cloudflare.spoil({ match: creation, action: { type: "reset", applied } })
  const failure = await create(`reset-${when}`).catch(breakage)
  expect(failure).toBe("ECONNRESET")
  expect(await exists(`reset-${when}`)).toBe(applied)
  expect(await cloudflare.fired()).toBe(1)
})

test.each([
  ["before", false],
  ["after", true],
])("an injected status %s the request is applied has Cloudflare's error body", async (when, applied) => {
  const action = { type: "status", status: 503, code: 10_013, message: "down", applied }
  await cloudflare.spoil({ match: creation, action })
  const answer = await create(`status-${when}`)
  expect(answer.status).toBe(503)
  expect(await answer.json()).toEqual({
    success: false,
    errors: [{ code: 10_013, message: "down" }],
    messages: [],
    result: null,
  })
  expect(await exists(`status-${when}`)).toBe(applied)
})

test("an injected status can carry Cloudflare's HTML error page", async () => {
  const action = { type: "status", status: 520, body: "html" }
  await cloudflare.spoil({ match: { surface: "api" }, action })
  const answer = await cloudflare.request(databases)
  expect([answer.status, answer.headers.get("content-type")]).toEqual([
    520,
    "text/html; charset=UTF-8",
  ])
  expect(await answer.text()).toContain("Error code 520")
})

test("a hanging request gets no response, whether or not it is applied", async () => {
  for (const applied of [false, true]) {
    await cloudflare.spoil({ match: creation, action: { type: "hang", applied } })
    const name = `hang-${applied}`
    const given = new AbortController()
    const call = cloudflare.request(databases, {
      method: "POST",
      body: JSON.stringify({ name }),
      signal: given.signal,
    })
    await expect.poll(cloudflare.fired).toBe(1)
    await expect.poll(() => exists(name)).toBe(applied)
    await expect(Promise.race([call, setTimeout(300, "no answer")])).resolves.toBe("no answer")
    given.abort()
    await expect(call).rejects.toThrow("aborted")
    expect(await exists(name)).toBe(applied)
  }
})

test("a truncated response has less body than its Content-Length", async () => {
  await cloudflare.spoil({ match: creation, action: { type: "truncate" } })
  const answer = await create("truncated")
  expect(answer.status).toBe(200)
  expect(Number(answer.headers.get("content-length"))).toBeGreaterThan(100)
  await expect(answer.text()).rejects.toThrow("terminated")
  expect(await exists("truncated")).toBe(true)
})

test("a malformed response is complete HTTP with invalid JSON", async () => {
  await cloudflare.spoil({ match: creation, action: { type: "malformed" } })
  const text = await (await create("malformed")).text()
  expect(text).toMatch(/^\{"success":true/)
  expect(() => JSON.parse(text)).toThrow(SyntaxError)
  expect(await exists("malformed")).toBe(true)
})

test("a delay leaves the response unchanged", async () => {
  await cloudflare.spoil({ match: creation, action: { type: "delay", ms: 50 } })
  expect((await create("delayed")).status).toBe(200)
  expect(await cloudflare.fired()).toBe(1)
})

test("a stale read returns the state before the last write, as often as the rule says", async () => {
  const name = "stale-read"
  const rule = { match: { surface: "api", path: "*/d1/database" }, action: { type: "stale" } }
  await cloudflare.spoil({ ...rule, when: { times: 2 } })
  expect(await exists(name)).toBe(false)
  await create(name)
  expect([await exists(name), await exists(name), await exists(name)]).toEqual([false, false, true])
})

test("an injected 429 has the headers that Cloudflare documents", async () => {
  await cloudflare.spoil({ match: creation, action: { type: "rate-limit", retryAfter: 7 } })
  const answer = await create("limited")
  expect(answer.status).toBe(429)
  expect(Object.fromEntries(answer.headers)).toMatchObject({
    "retry-after": "7",
    ratelimit: '"default";r=0;t=7',
    "ratelimit-policy": '"default";q=1200;w=300',
  })
  expect(await answer.json()).toMatchObject({ errors: [{ code: 971 }] })
  expect(await exists("limited")).toBe(false)
})

test("the rate limit setting allows each token a number of requests per window", async () => {
  await cloudflare.own("PUT", "settings", { rateLimit: { requests: 3, seconds: 60 } })
  const left: (string | null)[] = []
  const statuses: number[] = []
  for (let request = 0; request < 5; request += 1) {
    const answer = await cloudflare.request(databases)
    statuses.push(answer.status)
    left.push(answer.headers.get("ratelimit"))
  }
  expect(statuses).toEqual([200, 200, 200, 429, 429])
  expect(left.map((header) => /r=\d+/.exec(header ?? "")?.[0])).toEqual([
    "r=2",
    "r=1",
    "r=0",
    "r=0",
    "r=0",
  ])
  const other = await cloudflare.request(databases, { headers: { authorization: "Bearer other" } })
  expect(other.status).toBe(403)
  await cloudflare.own("PUT", "settings", { rateLimit: {} })
  expect(await cloudflare.own("GET", "settings")).toEqual({
    propagationMs: 0,
    rateLimit: { requests: 1200, seconds: 300 },
  })
  await cloudflare.own("PUT", "settings", { rateLimit: null })
  expect((await cloudflare.request(databases)).headers.has("ratelimit")).toBe(false)
})

test("a full disk stores nothing, and the next request finds the state unchanged", async () => {
  await cloudflare.spoil({ match: creation, action: { type: "disk-full" } })
  const answer = await create("too-much")
  expect(answer.status).toBe(500)
  expect(await answer.json()).toMatchObject({ errors: [{ message: "database or disk is full" }] })
  expect(await exists("too-much")).toBe(false)
  expect((await create("too-much")).status).toBe(200)
})
