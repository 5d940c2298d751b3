import { appendFile, readFile } from "node:fs/promises"
import { join } from "node:path"

import { expect, test } from "vitest"
import * as z from "zod"

import { askEdge } from "../cloudflare/testing/ask-edge.ts"
import { readEvents } from "../cloudflare/testing/event-stream.ts"
import {
  type LocalCloudflare,
  localCloudflare,
  localCloudflareProcess,
} from "../cloudflare/testing/local-cloudflare.ts"
import { deploySite, startFaultServer } from "../faults/testing/fault-server.ts"
import { maskPath } from "./event-log.ts"

const Log = z.object({ entries: z.array(z.looseObject({ time: z.string(), event: z.string() })) })
const secret = "Xf3kQ9vBn2LmR7sTw1YzAa8c"

async function logOf(cloudflare: Pick<LocalCloudflare, "api" | "token">) {
  const headers = { authorization: `Bearer ${cloudflare.token}` }
  const ask = (path: string) => fetch(new URL(path, cloudflare.api), { headers })
  return {
    ask,
    async read(query = "") {
      return Log.parse(await (await ask(`/local/log?${query}`)).json()).entries
    },
    events: async (query: string) => readEvents(await ask(`/local/events?${query}`)),
  }
}

test("the log lists requests and API calls in order, by kind and with a limit", async () => {
  await using cloudflare = await localCloudflare()
  const log = await logOf(cloudflare)
  for (const path of ["/a", "/b?token=hidden", `/reset/${secret}`]) {
    await askEdge(cloudflare.edge, "unknown.accounts.test", path)
  }
  await cloudflare.request("/user/tokens/verify")
  await cloudflare.request("/nothing/here")

  const requests = await log.read("kind=request")
  expect(requests).toMatchObject([
    { event: "request", method: "GET", host: "unknown.accounts.test", path: "/a", status: 404 },
    { path: "/b" },
    { path: "/reset/Xf3k…" },
  ])
  expect(JSON.stringify(await log.read())).not.toMatch(/hidden|Q9vBn2/)
  const kinds = (await log.read()).map(({ event }) => event)
  expect(kinds.join(" ")).toBe("request request request api unknown-route api")
  expect(await log.read("limit=1&kind=request")).toMatchObject([{ path: "/reset/Xf3k…" }])
  for (const wrong of ["limit=-1", "colour=red", "kind=nonsense"]) {
    expect([wrong, (await log.ask(`/local/log?${wrong}`)).status]).toEqual([wrong, 400])
  }
})

test("requests stay off the disk; all other entries survive kill -9, unknown kinds too", async () => {
  await using cloudflare = await localCloudflareProcess()
  const log = await logOf(cloudflare)
  await askEdge(cloudflare.edge, "unknown.accounts.test", "/private")
  await cloudflare.request("/user/tokens/verify")
  const file = join(cloudflare.directory, "cloudflare/log.ndjson")
  expect(await readFile(file, "utf8")).not.toContain("/private")

  const time = new Date().toISOString()
  await appendFile(file, `${JSON.stringify({ time, event: "eclipse", of: "the sun" })}\n{"time":"2`)
  await cloudflare.restart("SIGKILL")
  await cloudflare.request("/zones")
  expect(await log.read()).toMatchObject([
    { event: "api", path: "/client/v4/user/tokens/verify" },
    { event: "eclipse", of: "the sun" },
    { event: "api", path: "/client/v4/zones" },
  ])
})

test("the log has what a Worker prints and its uncaught errors with their stack, in memory only", async () => {
  await using cloudflare = await startFaultServer()
  const log = await logOf(cloudflare)
  const { host, versionId } = await deploySite(
    cloudflare,
    "talker",
    `export default {
      async fetch(request) {
        if (new URL(request.url).pathname === "/fail") return broken(request.missing)
        console.log("hello", { a: 1 })
        console.error("a warning")
        return new Response()
      },
    }
    function broken(value) { return value.length }`,
  )
  await askEdge(cloudflare.edge, host, "/")
  await askEdge(cloudflare.edge, host, "/fail")
  const messages = async () =>
    (await log.read("kind=worker")).map(({ message }) => String(message)).join("\n")
  await expect.poll(messages).toMatch(/hello.*a: 1[^]*a warning[^]*Uncaught TypeError: Cannot read/)
  expect(await messages()).toMatch(/at broken \(worker\.js:9:\d+\)/)
  expect(await log.read("kind=worker&limit=1")).toMatchObject([{ script: "talker", versionId }])
  const file = join(cloudflare.directory, "cloudflare/log.ndjson")
  expect(await readFile(file, "utf8")).not.toContain("a warning")
})

test("the event stream sends past entries, then live ones, without a gap and by kind", async () => {
  await using cloudflare = await localCloudflare()
  const log = await logOf(cloudflare)
  await askEdge(cloudflare.edge, "unknown.accounts.test", "/before")
  await using events = await log.events("past=10&kind=request")
  expect(await events.next()).toMatchObject({ event: "request", path: "/before" })
  await cloudflare.request("/user/tokens/verify")
  await askEdge(cloudflare.edge, "unknown.accounts.test", "/after")
  expect(await events.next()).toMatchObject({ event: "request", path: "/after" })

  await using live = await log.events("")
  await askEdge(cloudflare.edge, "unknown.accounts.test", "/live")
  expect(await live.next()).toMatchObject({ event: "request", path: "/live" })
})

test("a token in a path is cut to four characters", () => {
  const masked = {
    "/api/auth/reset-password/Xf3kQ9vBn2LmR7sTw1YzAa8c": "/api/auth/reset-password/Xf3k…",
    "/verify/eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl": "/verify/eyJh…",
    "/invite/0k3j5h2g9f8d7s6a5q4w3e2r1t": "/invite/0k3j…",
    "/a/9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08/b": "/a/9f86…/b",
  }
  for (const [path, expected] of Object.entries(masked)) expect(maskPath(path)).toBe(expected)
})

test("words, ids and file names in a path are left alone", () => {
  for (const path of [
    "/",
    "/api/auth/sign-in/with-email-and-password",
    "/accounts/6163636f756e74736c6f63616c000001/workers",
    "/d1/database/0b8a2a52-5d1e-4b8a-9b0a-7f3f0b3c9d11/query",
    "/assets/index-BxK3l2.js",
    "/2026/11/21/a-very-long-title-of-a-post",
    "//double//",
  ]) {
    expect(maskPath(path)).toBe(path)
  }
})
