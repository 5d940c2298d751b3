import { createServer } from "node:http"
import type { AddressInfo } from "node:net"

import { expect, test } from "vitest"

import { createClient, describeFailure, isConflict, isNotFound, type Request } from "./client.ts"

type Answer = { status: number; body?: string; headers?: Record<string, string> } | "none"

/** A server with these answers in turn, the last one from then on; and a client of it. */
async function openSite(...answers: Answer[]) {
  const asked: string[] = []
  const pauses: number[] = []
  const server = createServer((request, response) => {
    const answer = answers[Math.min(asked.length, answers.length - 1)] ?? "none"
    asked.push(`${request.method} ${request.url} ${request.headers.authorization}`)
    if (answer === "none") request.socket.destroy()
    else response.writeHead(answer.status, answer.headers).end(answer.body)
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as a listening TCP server has it
  const { port } = server.address() as AddressInfo
  const stop = new AbortController()
  const client = createClient({
    baseUrl: `http://127.0.0.1:${port}/client/v4/`,
    token: "a-token",
    signal: stop.signal,
    pause: async (milliseconds) => void pauses.push(milliseconds),
  })
  return {
    client,
    asked,
    pauses,
    stop,
    [Symbol.asyncDispose]: () =>
      new Promise<void>((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }
}

const read: Request = { method: "get", path: "/zones", query: { name: "a b" } }
const write: Request = { method: "post", path: "/zones", body: { name: "a" } }
/** What is thrown has the page of a refusal for a message; `describeFailure` tells more. */
const failed = /^(?:Connection error\.|<html>|)$/
const ok = { status: 200, body: '{"success":true,"result":[1]}' }

test("an answer's result is returned; one without content has none", async () => {
  await using site = await openSite(ok, { status: 204 })
  expect(await site.client(read)).toEqual([1])
  expect(await site.client({ method: "delete", path: "/zones/1" })).toBe(undefined)
  expect(site.asked).toEqual([
    "GET /client/v4/zones?name=a+b Bearer a-token",
    "DELETE /client/v4/zones/1 Bearer a-token",
  ])
})

test.each<[string, Answer]>([
  ["no answer", "none"],
  ["408", { status: 408 }],
  ["429", { status: 429 }],
  ["500", { status: 500, body: "<html>" }],
])("a read is sent again after %s, at most three times", async (_name, answer) => {
  await using passing = await openSite(answer, answer, ok)
  expect(await passing.client(read)).toEqual([1])
  expect(passing.pauses).toEqual([500, 1000])
  await using lasting = await openSite(answer)
  await expect(lasting.client(read)).rejects.toThrow(failed)
  expect(lasting.asked).toHaveLength(4)
})

test("a POST is sent again only after 429, when Cloudflare says so, unless that is too long", async () => {
  for (const answer of ["none", { status: 500 }, { status: 408 }] satisfies Answer[]) {
    await using site = await openSite(answer)
    await expect(site.client(write)).rejects.toThrow(failed)
    expect(site.asked).toHaveLength(1)
  }
  await using limited = await openSite({ status: 429, headers: { "retry-after": "7" } }, ok)
  expect(await limited.client(write)).toEqual([1])
  expect(limited.pauses).toEqual([7000])
  await using long = await openSite({ status: 429, headers: { "retry-after": "61" } })
  await expect(long.client(write)).rejects.toHaveProperty("status", 429)
  expect(long.asked).toHaveLength(1)
})

test("a refusal is told with the request, its status and Cloudflare's reasons", async () => {
  const body = (message: string) => JSON.stringify({ errors: [{ code: 10_007, message }] })
  await using site = await openSite(
    { status: 404, body: body("not found") },
    { status: 409, body: body("It already exists") },
    { status: 403, body: "<html>" },
    { status: 200, body: "<html>" },
  )
  const refused = () => site.client(write).catch((error: unknown) => error)
  const missing = await refused()
  expect([isNotFound(missing), isConflict(missing)]).toEqual([true, false])
  expect(describeFailure(missing, write)).toBe("POST /zones: 404 not found [code: 10007]")
  expect(isConflict(await refused())).toBe(true)
  expect(describeFailure(await refused(), write)).toBe("POST /zones: 403 <html>")
  expect(describeFailure(await refused(), write)).toBe("POST /zones: 200 <html>")
})

test("nothing is sent again once the engine has cancelled", async () => {
  await using site = await openSite({ status: 500 })
  site.stop.abort()
  await expect(site.client(read)).rejects.toThrow(failed)
  expect(site.asked).toEqual([])
})
