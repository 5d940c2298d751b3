import { readFile } from "node:fs/promises"
import type { ServerResponse } from "node:http"
import { join } from "node:path"

import { serve } from "@accounts-stack/local/daemon/testing/serve"
import { expect, test } from "vitest"
import * as z from "zod"

import { root } from "../base/root.ts"
import { createApi } from "./api.ts"

type Answer = { status: number; body: string; headers?: Record<string, string> }

/** An API that gives these answers in turn, then repeats the last one, and records its requests. */
async function startApi(...answers: Answer[]) {
  const requests: string[] = []
  const clients = new Set<string | undefined>()
  const pauses: number[] = []
  const limits: string[] = []
  const server = await serve((request, response) => {
    requests.push(`${request.method} ${request.url} ${request.headers.authorization}`)
    clients.add(request.headers["user-agent"])
    const answer = answers.length > 1 ? answers.shift() : answers[0]
    request.resume()
    response.writeHead(answer?.status ?? 500, answer?.headers)
    response.end(answer?.body)
  })
  const options = { baseUrl: server.url, token: "token" }
  return {
    api: createApi(options),
    /** Another client, which notes its waits instead of waiting. */
    hasty: createApi({
      ...options,
      onLimit: (message) => limits.push(message),
      pause: async (milliseconds) => void pauses.push(milliseconds),
    }),
    requests,
    clients,
    pauses,
    limits,
    [Symbol.asyncDispose]: server[Symbol.asyncDispose],
  }
}

async function packageFile(): Promise<unknown> {
  return JSON.parse(await readFile(join(root, "package.json"), "utf8"))
}

function envelope(result: unknown) {
  return JSON.stringify({ success: true, errors: [], messages: [], result, added: "later" })
}
function refusal(code: number, message: string) {
  return JSON.stringify({ success: false, errors: [{ code, message }], messages: [], result: null })
}

const good = { status: 200, body: envelope("done") }
const busy = { status: 429, body: refusal(971, "slow down"), headers: { "retry-after": "1" } }
const broken = { status: 502, body: "<html>Bad gateway</html>" }

test("every request names the client that sent it", async () => {
  await using server = await startApi(good)
  await server.api.get("/a", z.string())
  await server.api.query("/a", {}, z.string())
  await server.api.post("/a", {}, z.string())
  const { version } = z.object({ version: z.string() }).parse(await packageFile())
  expect([...server.clients]).toEqual([`accounts-release/${version}`])
})

test("a request that only reads is retried after a transient failure", async () => {
  await using server = await startApi(broken, broken, good)
  expect(await server.api.get("/a", z.string())).toBe("done")
  expect(server.requests).toHaveLength(3)
  expect(server.requests[0]).toBe("GET /a Bearer token")
})

test("a request that changes something is sent once, and its failure says that it may have been applied", async () => {
  await using server = await startApi(broken, good)
  const failure = await server.api.post("/a", {}, z.string()).catch((error: unknown) => error)
  expect(failure).toMatchObject({ code: "API_FAILED", facts: { lost: true, status: 502 } })
  expect(server.requests).toHaveLength(1)
})

test.each([
  ["no answer", () => {}],
  ["half of one", (response: ServerResponse) => void response.writeHead(200).write("{")],
])("no request waits without end for %s", async (_what, begin) => {
  const requests: string[] = []
  await using server = await serve(({ method }, response) => {
    requests.push(method ?? "")
    begin(response)
  })
  const limits = { readTimeout: 100, writeTimeout: 100 }
  const api = createApi({ baseUrl: server.url, token: "", ...limits, pause: async () => {} })
  const [path, any] = ["/a", z.unknown()]
  const calls = [api.get(path, any), api.put(path, {}, any), api.query(path, {}, any)]
  const results = await Promise.allSettled([...calls, api.delete(path), api.post(path, {}, any)])
  for (const result of results) {
    expect(result).toMatchObject({ reason: { code: "API_FAILED", facts: { lost: true } } })
  }
  const counts = Object.entries(Object.groupBy(requests, (method) => method))
  expect(
    counts.map(([method, sameMethod]) => `${method} ${sameMethod?.length}`).toSorted(),
  ).toEqual(["DELETE 4", "GET 4", "POST 5", "PUT 4"])
})

test("a request that changes something is retried only after 429", async () => {
  await using server = await startApi(busy, good)
  const startTime = performance.now()
  expect(await server.api.post("/a", {}, z.string())).toBe("done")
  expect(server.requests).toHaveLength(2)
  // Timers may fire a little early.
  expect(performance.now() - startTime).toBeGreaterThan(900)
})

/** Cloudflare's limit of the API blocks a token for the rest of five minutes. */
const blocked = { ...busy, headers: { "retry-after": "290" } }

test.each(["get", "post"] as const)(
  "%s waits until Cloudflare's rate limit has passed, and logs that",
  async (method) => {
    await using server = await startApi(blocked, good)
    const { hasty } = server
    const answer = method === "get" ? hasty.get("/a", z.string()) : hasty.post("/a", {}, z.string())
    expect(await answer).toBe("done")
    expect(server.pauses).toEqual([290_000])
    expect(server.limits).toEqual([
      "Cloudflare's rate limit is reached: the next request follows in 290 s",
    ])
  },
)

test("after a whole window of the rate limit a request fails, and says when to come back", async () => {
  await using server = await startApi(blocked)
  const failure = server.hasty.get("/a", z.string())
  await expect(failure).rejects.toThrow("The rate limit lasts 290 s more: run again then")
  expect(server.pauses).toEqual([290_000])
})

test.each([
  ["without Retry-After", {}],
  ["with Retry-After: 0", { "retry-after": "0" }],
  ["with a negative Retry-After", { "retry-after": "-5" }],
  ["with a date that has passed", { "retry-after": "Sun, 06 Nov 1994 08:49:37 GMT" }],
  ["with words", { "retry-after": "soon" }],
])(
  "a rate limit %s is waited out by growing pauses, as long as one can last",
  async (_how, headers) => {
    const silent = { ...busy, headers }
    await using server = await startApi(...Array.from({ length: 8 }, () => silent), good)
    expect(await server.hasty.post("/a", {}, z.string())).toBe("done")
    expect(server.pauses).toEqual([1, 2, 4, 8, 16, 32, 60, 60].map((seconds) => seconds * 1000))
    expect(server.limits.at(-1)).toContain("the next request follows in 60 s")

    await using forever = await startApi(silent)
    await expect(forever.hasty.get("/a", z.string())).rejects.toThrow(
      "429 slow down [code: 971]. The rate limit has lasted 310 s, and Cloudflare does not say how long it will: run again later",
    )
    expect(forever.pauses.reduce((sum, pause) => sum + pause)).toBe(310_000)
  },
)

test("a rate limit until a date is waited out by the clock of the answer", async () => {
  const [date, until] = ["Sun, 06 Nov 1994 08:45:00 GMT", "Sun, 06 Nov 1994 08:49:50 GMT"]
  await using server = await startApi({ ...blocked, headers: { date, "retry-after": until } }, good)
  expect(await server.hasty.post("/a", {}, z.string())).toBe("done")
  expect(server.pauses).toEqual([290_000])
})

test("a limit that keeps asking for one more second is retried less and less often", async () => {
  await using server = await startApi(busy)
  await expect(server.hasty.get("/a", z.string())).rejects.toThrow("The rate limit lasts 1 s more")
  expect(server.requests).toHaveLength(12)
})

test("a rate limit with a page in place of an answer is waited out, too", async () => {
  const page = { status: 429, body: "<html>Error 1015: You are being rate limited</html>" }
  await using server = await startApi(page, page, good)
  expect(await server.hasty.post("/a", {}, z.string())).toBe("done")
  expect(server.pauses).toEqual([1000, 2000])
})

test("a write that D1 may have applied is not sent again, even where it answers 429", async () => {
  const body = refusal(7500, "D1 DB is overloaded. Requests queued for too long.")
  await using server = await startApi({ status: 429, body, headers: { "retry-after": "1" } }, good)
  const failure = await server.hasty.post("/a", {}, z.string()).catch((error: unknown) => error)
  expect(failure).toMatchObject({ facts: { lost: true, status: 429 } })
  expect(server.requests).toHaveLength(1)
})

test("waits for the rate limit take none of the attempts after lost answers", async () => {
  await using server = await startApi(broken, busy, broken, busy, broken, busy, good)
  expect(await server.hasty.get("/a", z.string())).toBe("done")
  expect(server.requests).toHaveLength(7)
})

test.each([
  ["a refusal", { status: 400, body: refusal(7500, "no such table: a") }, false],
  ["a refusal inside 200", { status: 200, body: refusal(7500, "no such table: a") }, false],
  ["a server error", { status: 500, body: refusal(10_013, "unknown") }, true],
])("%s carries Cloudflare's code and message", async (_what, answer, lost) => {
  await using server = await startApi(answer)
  const failure = await server.api.post("/a", {}, z.string()).catch((error: unknown) => error)
  expect(failure).toMatchObject({
    facts: { lost, code: expect.any(Number) },
    message: expect.stringMatching(/POST \/a: \d+ .+ \[code: \d+\]/),
  })
})

test.each([
  ["D1 DB reset because its code was updated.", true],
  ["Internal error while starting up D1 DB storage caused object to be reset.", true],
  ["Network connection lost.", true],
  ["Internal error in D1 DB storage caused object to be reset.", true],
  ["Cannot resolve D1 DB due to transient issue on remote node.", true],
  ["Can't read from request stream because client disconnected.", true],
  ["D1 DB storage operation exceeded timeout which caused object to be reset.", true],
  ["D1 DB is overloaded. Requests queued for too long.", true],
  ["D1 DB is overloaded. Too many requests queued.", true],
  ["D1 DB's isolate exceeded its memory limit and was reset.", true],
  ["D1 DB exceeded its CPU time limit and was reset.", true],
  ["internal error; reference = e_x", true],
  ["database or disk is full: SQLITE_FULL", true],
  ["Exceeded maximum DB size", true],
  ["no such table: nope: SQLITE_ERROR", false],
  ["UNIQUE constraint failed: user.email: SQLITE_CONSTRAINT", false],
])("a query that fails with %j may have been applied: %s", async (message, lost) => {
  await using server = await startApi({ status: 400, body: refusal(7500, message) })
  const failure = await server.api.post("/a", {}, z.string()).catch((error: unknown) => error)
  expect(failure).toMatchObject({ facts: { lost, code: 7500 } })
})

test.each([
  ["no envelope", { status: 200, body: "[]" }, "without a readable answer"],
  ["half an answer", { status: 200, body: '{"success": tr' }, "without a readable answer"],
  ["a result of another shape", { status: 200, body: envelope(7) }, "an answer of another shape"],
])("%s never counts as success", async (_what, answer, message) => {
  await using server = await startApi(answer)
  const failure = await server.api.post("/a", {}, z.string()).catch((error: unknown) => error)
  expect(failure).toMatchObject({
    facts: { lost: true },
    message: expect.stringContaining(message),
  })
})

test("a redirect is not followed, so the token goes to no other host", async () => {
  await using server = await startApi({ status: 307, body: "", headers: { location: "/b" } })
  await expect(server.api.post("/a", {}, z.string())).rejects.toThrow("no answer")
  expect(server.requests).toHaveLength(1)
})

test.each(["first\nsecond", "two words", "ärger"])(
  "a token that no header can hold is refused, and not repeated: %j",
  async (token) => {
    const open = () => createApi({ baseUrl: "http://127.0.0.1:9", token })
    expect(open).toThrow(/^The token for Cloudflare's API has .* set it again\.$/)
    expect(open).not.toThrow(token.slice(0, 3))
  },
)

test("a line break at the end of a token is none of it", async () => {
  const requests = new Array<string | undefined>()
  await using server = await serve((request, response) => {
    requests.push(request.headers.authorization)
    response.end('{"success":true,"errors":[],"result":null}')
  })
  await createApi({ baseUrl: server.url, token: "token\n" }).get("/", z.unknown())
  expect(requests).toEqual(["Bearer token"])
})
