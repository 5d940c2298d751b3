import { serve } from "@accounts-stack/local/daemon/testing/serve"
import { afterEach, expect, test, vi } from "vitest"
import * as z from "zod"

import { openApi } from "../cli/api.ts"
import { expectPermissions, printTokenExpiry, tokenExpiry } from "../cli/token-expiry.ts"

afterEach(() => vi.restoreAllMocks())

const accountId = "0123456789abcdef0123456789abcdef"

/** Answers as Cloudflare does a token of a user or of an account, which the other's route does not know. */
async function openTokens(
  owner: "user" | "account" | "nobody",
  expires: string | null | undefined,
) {
  const ownPath = owner === "user" ? "/user/tokens/verify" : `/accounts/${accountId}/tokens/verify`
  const paths: string[] = []
  const server = await serve((request, response) => {
    paths.push(request.url ?? "")
    const isValid = owner !== "nobody" && request.url === ownPath
    response.writeHead(isValid ? 200 : 401, { "content-type": "application/json" })
    const errors = isValid ? [] : [{ code: 1000, message: "Invalid API Token" }]
    const result = isValid ? { id: "a", status: "active", expires_on: expires } : null
    response.end(JSON.stringify({ success: isValid, errors, messages: [], result }))
  })
  const api = openApi({ baseUrl: server.url, token: "canary" })
  return {
    api,
    accountId,
    asked: paths,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  }
}

const ends = "2026-12-01T00:00:00Z"

test.each([
  { owner: "user", expires: ends, found: new Date(ends), requests: 1 },
  { owner: "account", expires: ends, found: new Date(ends), requests: 2 },
  { owner: "user", expires: undefined, found: undefined, requests: 1 },
  { owner: "account", expires: null, found: undefined, requests: 2 },
] as const)("a token of a $owner that ends at $expires is asked where it is known", async (row) => {
  await using tokens = await openTokens(row.owner, row.expires)
  expect(await tokenExpiry(tokens)).toEqual(row.found)
  expect(tokens.asked).toHaveLength(row.requests)
})

test("a token of which Cloudflare says nothing is not taken for one without an end", async () => {
  await using tokens = await openTokens("nobody", undefined)
  await expect(tokenExpiry(tokens)).rejects.toThrow("Invalid API Token")
  await printTokenExpiry(tokens)
})

test("a token that lacks a permission is refused before the first change, with the permission's name", async () => {
  const requests: string[] = []
  await using server = await serve((request, response) => {
    const { method, url = "" } = request
    requests.push(`${method} ${url}`)
    const isAllowed = url.includes("/workers/") && method === "GET"
    response.writeHead(isAllowed ? 200 : 403, { "content-type": "application/json" })
    const errors = isAllowed ? [] : [{ code: 10_000, message: "Authentication error" }]
    response.end(JSON.stringify({ success: isAllowed, errors, messages: [], result: null }))
  })
  const api = openApi({ baseUrl: server.url, token: "canary" })
  await expect(expectPermissions({ api, accountId })).rejects.toThrow(
    `GET /accounts/${accountId}/d1/database?per_page=10: 403 Authentication error [code: 10000]: the token lacks Account › D1: Read`,
  )
  const changes = [
    [`/accounts/${accountId}/workers/domains`, "Account › Workers Scripts: Edit"],
    ["/zones/z/workers/routes", "Zone › Workers Routes: Edit"],
    ["/zones/z/dns_records", "Zone › DNS: Edit"],
  ] as const
  for (const [path, lacks] of changes) {
    await expect(api.put(path, {}, z.unknown())).rejects.toThrow(`the token lacks ${lacks}, or`)
  }
  expect(requests.filter((request) => request.startsWith("GET"))).toHaveLength(2)
})

test.each([
  ["/zones", { id: undefined, hasRoutes: false }, "Zone › Zone: Read"],
  ["/zones/z/workers/routes", { id: undefined, hasRoutes: true }, "Zone › Workers Routes: Read"],
  ["/zones/z/workers/routes", { id: "z", hasRoutes: true }, "Zone › Workers Routes: Read"],
  // Nothing of it is needed.
  ["/zones", { id: "z", hasRoutes: true }, undefined],
  ["/zones/z/workers/routes", { id: undefined, hasRoutes: false }, undefined],
])("without %s, a stack whose zone is %j lacks what it needs there", async (path, zone, lacks) => {
  await using server = await serve((request, response) => {
    const isRefused = (request.url ?? "").split("?")[0] === `${base}${path}`
    const result = request.url?.startsWith(`${base}/zones?`) ? [{ id: "z", name: "acme.com" }] : []
    const errors = isRefused ? [{ code: 10_000, message: "Authentication error" }] : []
    response.writeHead(isRefused ? 403 : 200, { "content-type": "application/json" })
    response.end(JSON.stringify({ success: !isRefused, errors, messages: [], result }))
  })
  const base = new URL(server.url).pathname.replace(/\/$/, "")
  const api = openApi({ baseUrl: server.url, token: "canary" })
  const trial = expectPermissions({ api, accountId }, { name: "acme.com", ...zone })
  if (lacks === undefined) return await trial
  await expect(trial).rejects.toThrow(`the token lacks ${lacks}, or is of another account`)
})

test.each([
  { now: "2026-11-01T00:00:00Z", says: undefined },
  { now: "2026-11-17T00:00:01Z", says: /ends in 13 days, at 2026-12-01T/ },
  { now: "2026-11-30T12:00:00Z", says: /ends in less than a day, at / },
])("who uses a token is told two weeks before it ends: $now", async ({ now, says }) => {
  await using tokens = await openTokens("user", ends)
  const written = vi.spyOn(process.stderr, "write").mockReturnValue(true)
  await printTokenExpiry(tokens, new Date(now))
  const text = written.mock.calls.map(([chunk]) => String(chunk)).join("")
  written.mockRestore()
  expect(text).toMatch(says ?? /^$/)
  expect(text).not.toContain("canary")
})
