import { afterAll, beforeEach, expect, test } from "vitest"
import * as z from "zod"

import { startFaultServer } from "./testing/fault-server.ts"
import { sendHanging } from "./testing/hanging-request.ts"

const cloudflare = await startFaultServer()
afterAll(() => cloudflare[Symbol.asyncDispose]())
beforeEach(() => cloudflare.inject())

const databases = `/accounts/${cloudflare.accountId}/d1/database`
const Named = z.object({ result: z.array(z.object({ name: z.string() })) })

function create(name: string, init: RequestInit = {}) {
  return cloudflare.request(databases, { method: "POST", body: JSON.stringify({ name }), ...init })
}
async function exists(name: string): Promise<boolean> {
  const answer = await cloudflare.request(`${databases}?name=${name}`)
  return Named.parse(await answer.json()).result.some((one) => one.name === name)
}
const createDatabase = { surface: "api", method: "post", path: "*/d1/database" }
/** The error code under a failed fetch. */
function connectionError(error: unknown) {
  return error instanceof Error && error.cause instanceof Error && "code" in error.cause
    ? error.cause.code
    : String(error)
}

test.each([
  ["before", false],
  ["after", true],
])("an injected reset %s the request is applied is a TCP reset", async (when, applied) => {
  await cloudflare.inject({ match: createDatabase, action: { type: "reset", applied } })
  const error = await create(`reset-${when}`).catch(connectionError)
  expect(error).toBe("ECONNRESET")
  expect(await exists(`reset-${when}`)).toBe(applied)
  expect(await cloudflare.fired()).toBe(1)
})

test.each([
  ["before", false],
  ["after", true],
])(
  "an injected status %s the request is applied has Cloudflare's error body",
  async (when, applied) => {
    const action = { type: "status", status: 503, code: 10_013, message: "down", applied }
    await cloudflare.inject({ match: createDatabase, action })
    const answer = await create(`status-${when}`)
    expect(answer.status).toBe(503)
    expect(await answer.json()).toEqual({
      success: false,
      errors: [{ code: 10_013, message: "down" }],
      messages: [],
      result: null,
    })
    expect(await exists(`status-${when}`)).toBe(applied)
  },
)

test("an injected status can carry Cloudflare's HTML error page", async () => {
  const action = { type: "status", status: 520, body: "html" }
  await cloudflare.inject({ match: { surface: "api" }, action })
  const answer = await cloudflare.request(databases)
  expect([answer.status, answer.headers.get("content-type")]).toEqual([
    520,
    "text/html; charset=UTF-8",
  ])
  expect(await answer.text()).toContain("Error code 520")
})

test("a hanging request gets no response, whether or not it is applied", async () => {
  for (const applied of [false, true]) {
    await cloudflare.inject({ match: createDatabase, action: { type: "hang", applied } })
    const name = `hang-${applied}`
    const hanging = sendHanging((signal) => create(name, { signal }))
    await expect.poll(cloudflare.fired).toBe(1)
    await expect.poll(() => exists(name)).toBe(applied)
    await hanging.expectNoResponse()
    await hanging.abort()
    expect(await exists(name)).toBe(applied)
  }
})

test("a truncated response has less body than its Content-Length", async () => {
  await cloudflare.inject({ match: createDatabase, action: { type: "truncate" } })
  const answer = await create("truncated")
  expect(answer.status).toBe(200)
  expect(Number(answer.headers.get("content-length"))).toBeGreaterThan(100)
  await expect(answer.text()).rejects.toThrow("terminated")
  expect(await exists("truncated")).toBe(true)
})

test("a malformed response is complete HTTP with invalid JSON", async () => {
  await cloudflare.inject({ match: createDatabase, action: { type: "malformed" } })
  const text = await (await create("malformed")).text()
  expect(text).toMatch(/^\{"success":true/)
  expect(() => JSON.parse(text)).toThrow(SyntaxError)
  expect(await exists("malformed")).toBe(true)
})

test("a delay leaves the response unchanged", async () => {
  await cloudflare.inject({ match: createDatabase, action: { type: "delay", ms: 50 } })
  expect((await create("delayed")).status).toBe(200)
  expect(await cloudflare.fired()).toBe(1)
})

test("a stale read returns the state before the last write, as often as the rule says", async () => {
  const name = "stale-read"
  const rule = { match: { surface: "api", path: "*/d1/database" }, action: { type: "stale" } }
  await cloudflare.inject({ ...rule, when: { times: 2 } })
  expect(await exists(name)).toBe(false)
  await create(name)
  expect([await exists(name), await exists(name), await exists(name)]).toEqual([false, false, true])
})

test("an injected 429 has the headers that Cloudflare documents", async () => {
  await cloudflare.inject({ match: createDatabase, action: { type: "rate-limit", retryAfter: 7 } })
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
  await cloudflare.local("/local/settings", { rateLimit: { requests: 3, seconds: 60 } })
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
  await cloudflare.local("/local/settings", { rateLimit: {} })
  const { result } = z
    .object({ result: z.unknown() })
    .parse(await cloudflare.local("/local/settings"))
  expect(result).toEqual({
    propagationMs: 0,
    machines: { count: 1, spreadMs: 0, seed: 0 },
    rateLimit: { requests: 1200, seconds: 300 },
    replicaLagMs: null,
    plan: "paid",
    doubts: expect.any(Object),
    features: [],
    firewallRules: [],
    logDelayMs: 0,
    missingPermissions: [],
    accessApplications: [],
  })
  await cloudflare.local("/local/settings", { rateLimit: null })
  expect((await cloudflare.request(databases)).headers.has("ratelimit")).toBe(false)
})

test("a full disk stores nothing, and the next request finds the state unchanged", async () => {
  await cloudflare.inject({ match: createDatabase, action: { type: "disk-full" } })
  const answer = await create("too-much")
  expect(answer.status).toBe(500)
  expect(await answer.json()).toMatchObject({ errors: [{ message: "database or disk is full" }] })
  expect(await exists("too-much")).toBe(false)
  expect((await create("too-much")).status).toBe(200)
})
