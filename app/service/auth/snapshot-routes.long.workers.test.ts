import { beforeAll, expect, test, vi } from "vitest"

import committed from "../../../docs/routes.json"
import { createBrowser } from "../../testing/browser.ts"
import { createEveryRoute, visitEveryRoute } from "../../testing/every-route.ts"
import {
  type Browser,
  cache,
  createKnown,
  endSessions,
  grace,
  snapshotOf,
} from "../../testing/snapshot.ts"
import worker from "../../worker.ts"

const every = await createEveryRoute({ SESSION_CACHE: String(cache), SESSION_GRACE: String(grace) })
const requests = new Map<string, Request>()
const routes = Object.entries(committed)

function routeOf({ method, url }: Request) {
  const { pathname } = new URL(url)
  return routes.find(([route]) => {
    const [verb, path = ""] = route.split(" ")
    return verb === method && new RegExp(`^${path.replaceAll(/\{\w+\}/g, "[^/]+")}$`).test(pathname)
  })?.[0]
}

beforeAll(async () => {
  using _ = every.network()
  const { fetch } = worker
  const spy = vi.spyOn(worker, "fetch").mockImplementation((request, ...rest) => {
    const route = routeOf(request)
    if (route !== undefined && !requests.has(route)) requests.set(route, request.clone())
    return fetch(request, ...rest)
  })
  await visitEveryRoute(every, (_name, action) => action())
  spy.mockRestore()
})

/** Sends the request of a route again. */
async function send(browser: Browser, route: string) {
  const request = requests.get(route)
  if (request === undefined) throw new Error(`${route} was not visited`)
  const { pathname, search } = new URL(request.url)
  const body = await request.clone().arrayBuffer()
  const type = request.headers.get("content-type")
  const headers = {
    "cf-connecting-ip": "192.0.2.1",
    ...(type !== null && { "content-type": type }),
  }
  let status = 0
  const sent = await every.counting.during(async () => {
    const given = { headers, ...(body.byteLength > 0 && { body: new Uint8Array(body) }) }
    ;({ status } = await browser.send(request.method, `${pathname}${search}`, given))
  })
  return { status, sent: sent.length }
}

/** A browser whose snapshot is good for another minute, although its session has been deleted. */
async function createEnded() {
  const known = await createKnown(every.bound)
  await endSessions(known)
  return known.browser
}

const told = ["GET /api/auth/get-session", "GET /api/v1/whoami"]
const open = routes.filter(([route, { who }]) => who === "anybody" && !told.includes(route))
const members = routes.filter(([, { who }]) => who !== "anybody")

test.each(told)("a snapshot alone answers %s", async (route) => {
  using _ = every.network()
  expect(await send(await createEnded(), route)).toEqual({ status: 200, sent: 0 })
})

test.each(members)("a snapshot admits nobody, since the database is asked: %s", async (route) => {
  using _ = every.network()
  const browser = await createEnded()
  const { status, sent } = await send(browser, route)
  expect([status, sent > 0, snapshotOf(browser)]).toEqual([401, true, undefined])
})

test.each(open)("a snapshot changes nothing for what anybody may ask: %s", async (route) => {
  using _ = every.network()
  const [ended, stranger] = [await createEnded(), createBrowser(every.bound)]
  expect((await send(ended, route)).status).toBe((await send(stranger, route)).status)
})

test("these are all routes", () => {
  expect([told.length, members.length > 15, open.length > 10]).toEqual([2, true, true])
  expect(told.length + members.length + open.length).toBe(routes.length)
})
