import { expect, test } from "vitest"

import { describeFailure, isNotFound, type Request } from "./client.ts"
import { type Answer, openSite } from "./testing/site.ts"

const read: Request = { method: "get", path: "/zones" }
const write: Request = { method: "post", path: "/zones", body: { name: "a" } }
/** Matches the raw message of a thrown error; `describeFailure` explains it. */
const failed = /^(?:Connection error\.|<html>|)$/
const ok = { status: 200, body: '{"success":true,"result":[1]}' }

test("an answer's result is returned; one without content has none", async () => {
  await using site = await openSite(ok, { status: 204 })
  expect(await site.client(read)).toEqual([1])
  expect(await site.client({ method: "delete", path: "/zones/1" })).toBe(undefined)
  expect(site.asked).toEqual([
    "GET /client/v4/zones Bearer a-token",
    "DELETE /client/v4/zones/1 Bearer a-token",
  ])
})

const passing = [
  ["no answer", "none"],
  ["408", { status: 408 }],
  ["409", { status: 409 }],
  ["429", { status: 429 }],
  ["500", { status: 500, body: "<html>" }],
] satisfies [string, Answer][]

test.each<[string, Answer]>(passing)(
  "any request is sent again after %s, at most ten times",
  async (_name, answer) => {
    for (const request of [read, write]) {
      await using site = await openSite(answer, answer, ok)
      expect(await site.client(request)).toEqual([1])
      expect(site.pauses).toEqual([40, 80])
      await using lasting = await openSite(answer)
      await expect(lasting.client(request)).rejects.toThrow(failed)
      expect(lasting.asked).toHaveLength(11)
      expect(lasting.pauses).toEqual([40, 80, 160, 320, 600, 600, 600, 600, 600, 600])
    }
  },
)

test("a request waits as long as Cloudflare says", async () => {
  const headers = { "retry-after": "61" }
  await using limited = await openSite({ status: 429, headers }, ok)
  expect(await limited.client(write)).toEqual([1])
  expect(limited.pauses).toEqual([61_000])
})

test("a refusal is told with the request, its status and Cloudflare's reasons", async () => {
  const body = (message: string) => JSON.stringify({ errors: [{ code: 10_007, message }] })
  await using site = await openSite(
    { status: 404, body: body("not found") },
    { status: 400, body: body("It already exists") },
    { status: 403, body: "<html>" },
    { status: 200, body: "<html>" },
  )
  const refused = () => site.client(write).catch((error: unknown) => error)
  const missing = await refused()
  expect(isNotFound(missing)).toBe(true)
  expect(describeFailure(missing, write)).toBe("POST /zones: 404 not found [code: 10007]")
  expect(isNotFound(await refused())).toBe(false)
  expect(describeFailure(await refused(), write)).toBe("POST /zones: 403 <html>")
  expect(describeFailure(await refused(), write)).toBe("POST /zones: 200 <html>")
})

test("nothing is sent again once the engine is gone", async () => {
  await using site = await openSite({ status: 500 })
  site.stop.abort()
  await expect(site.client(read)).rejects.toThrow(failed)
  expect(site.asked).toEqual([])
})
