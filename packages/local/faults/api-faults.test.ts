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
  return Named.parse(await answer.json()).result.some((candidate) => candidate.name === name)
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

test("a delay leaves the response unchanged", async () => {
  await cloudflare.inject({ match: createDatabase, action: { type: "delay", ms: 50 } })
  expect((await create("delayed")).status).toBe(200)
  expect(await cloudflare.fired()).toBe(1)
})
