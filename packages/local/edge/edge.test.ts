import { randomUUID } from "node:crypto"
import { type OutgoingHttpHeaders, request as open } from "node:http"
import { text } from "node:stream/consumers"

import { expect, test } from "vitest"

import type { EdgeRequest } from "../log/event-log.ts"
import type { Plane, VersionSpec } from "../plane/plane.ts"
import { openTestPlane, until, versionSpec } from "../plane/testing/test-plane.ts"
import { openEdge } from "./edge.ts"
import type { LiveVersion, RoutingTable } from "./routing-table.ts"

const reachable = { workersDev: true, previews: true }

/** An edge whose only script, `site`, has the custom domain `localhost`. `deploy` changes its live versions. */
async function openTestEdge(plane: Plane, specs: VersionSpec[]) {
  const entries: EdgeRequest[] = []
  const woken: string[] = []
  let versions: LiveVersion[] = []
  const table = (): RoutingTable => ({
    domains: new Map([["localhost", "site"]]),
    routes: [],
    zones: new Map(),
    scripts: new Map([["site", { ...reachable, versions, uploaded: specs.map(({ id }) => id) }]]),
  })
  const edge = await openEdge({
    port: 0,
    plane,
    table,
    async wake(versionId) {
      woken.push(versionId)
      const spec = specs.find(({ id }) => id === versionId)
      if (spec) await plane.start(spec)
    },
    onRequest: (entry) => entries.push(entry),
  })
  return {
    ...edge,
    entries,
    woken,
    deploy(...live: [spec: VersionSpec, percentage: number][]) {
      versions = live.map(([{ id }, percentage]) => ({ versionId: id, percentage }))
      plane.pin(versions.map(({ versionId }) => versionId))
    },
    ask: (path: string, headers: OutgoingHttpHeaders = {}) => ask(edge.port, path, headers),
    [Symbol.asyncDispose]: () => edge.close(),
  }
}

/** `fetch` allows neither a custom Host header nor a path that is not a URL's. */
function ask(port: number, path: string, headers: OutgoingHttpHeaders) {
  return new Promise<{ status: number; body: string }>((resolve, reject) => {
    const request = open({
      host: "127.0.0.1",
      port,
      path,
      headers: { host: "localhost", ...headers },
    })
    request.on("response", (response) => {
      text(response).then((body) => resolve({ status: response.statusCode ?? 0, body }), reject)
    })
    request.on("error", reject).end()
  })
}

const echo = versionSpec({
  code: `export default {
    fetch: ({ url, headers, cf }) => Response.json({ url, headers: Object.fromEntries(headers), cf }),
  }`,
})

test("a Worker sees the edge's forwarding headers, never the caller's", async () => {
  await using plane = await openTestPlane()
  await using edge = await openTestEdge(plane, [echo])
  await plane.start(echo)
  edge.deploy([echo, 100])
  const { body } = await edge.ask("//other.test/a/../b?c=%20", {
    host: "LocalHost:8787",
    "MF-Original-URL": "https://other.test/",
    "MF-CF-Blob": '{"colo":"HAX"}',
    "MF-Route-Override": "storage",
    "CF-Connecting-IP": "192.0.2.1",
    "CF-Connecting-IPv6": "2001:db8::1",
    "CF-Ray": "0000000000000000-HAX",
    "CF-Visitor": '{"scheme":"https"}',
    "True-Client-IP": "192.0.2.1",
    "X-Real-IP": "192.0.2.1",
    "X-Forwarded-For": "192.0.2.1",
    "X-Forwarded-Proto": "https",
    "X-Own": "kept",
  })
  const requestSeen = JSON.parse(body)
  expect(requestSeen.url).toBe("http://localhost:8787//other.test/b?c=%20")
  expect(requestSeen.cf.colo).toBe("LOC")
  expect(requestSeen.headers).toEqual({
    "accept-encoding": "br, gzip",
    "cf-connecting-ip": "127.0.0.1",
    "cf-ipcountry": "XX",
    "cf-ray": expect.stringMatching(/^[0-9a-f]{16}-LOC$/),
    "cf-visitor": '{"scheme":"http"}',
    connection: "keep-alive",
    host: "LocalHost:8787",
    "x-forwarded-for": "192.0.2.1, 127.0.0.1",
    "x-forwarded-proto": "http",
    "x-own": "kept",
    "x-real-ip": "127.0.0.1",
  })
})

test("unknown hosts all get the same response, which names nothing", async () => {
  await using plane = await openTestPlane()
  await using edge = await openTestEdge(plane, [])
  const answersTo = (hosts: string[]) =>
    Promise.all(hosts.map(async (host) => [host, await edge.ask("/", { host })]))
  const unknown = [
    "other.test",
    "nope.accounts-local.workers.dev",
    "site.accounts-local.workers.dev",
    "localhost",
  ]
  const notFound = { status: 404, body: "error code: 1042\n" }
  expect(await answersTo(unknown)).toEqual(unknown.map((host) => [host, notFound]))

  const malformed = ["a b", "localhost:", "localhost/x", "a@localhost"]
  const badRequest = { status: 400, body: "error code: 1003\n" }
  expect(await answersTo(malformed)).toEqual(malformed.map((host) => [host, badRequest]))
  expect((await edge.ask("http://localhost/")).status).toBe(400)
})

test("two versions share the traffic, and each can be selected", async () => {
  await using plane = await openTestPlane()
  const [old, fresh, undeployed] = [versionSpec(), versionSpec(), versionSpec()]
  await using edge = await openTestEdge(plane, [old, fresh, undeployed])
  await Promise.all([old, fresh, undeployed].map((spec) => plane.start(spec)))
  const spread = async (headers: OutgoingHttpHeaders = {}) => {
    const counts = new Map<string, number>()
    for (let n = 0; n < 400; n += 1) {
      const { body } = await edge.ask("/", headers)
      counts.set(body, (counts.get(body) ?? 0) + 1)
    }
    return counts
  }
  edge.deploy([old, 50], [fresh, 50])
  const even = await spread()
  // 400 tosses of a fair coin: less than one run in a billion is outside.
  expect(even.get(old.id)).toBeGreaterThan(130)
  expect(even.get(fresh.id)).toBeGreaterThan(130)
  expect((await spread({ "Cloudflare-Workers-Version-Key": "someone" })).size).toBe(1)

  edge.deploy([old, 100], [fresh, 0])
  expect(await spread()).toEqual(new Map([[old.id, 400]]))
  const override = (id: string) => ({ "Cloudflare-Workers-Version-Overrides": `site="${id}"` })
  expect((await edge.ask("/", override(fresh.id))).body).toBe(fresh.id)
  expect((await edge.ask("/", override(undeployed.id))).body).toBe(old.id)
})

test("a preview URL wakes its version", async () => {
  await using plane = await openTestPlane()
  const [live, sleeping] = [versionSpec(), versionSpec()]
  await using edge = await openTestEdge(plane, [live, sleeping])
  await plane.start(live)
  edge.deploy([live, 100])
  const host = `${sleeping.id.slice(0, 8)}-site.accounts-local.workers.dev`
  const [first, second] = await Promise.all([edge.ask("/", { host }), edge.ask("/", { host })])
  expect([first.body, second.body]).toEqual([sleeping.id, sleeping.id])
  expect(plane.processes()).toHaveLength(3)
  expect((await edge.ask("/", { host })).body).toBe(sleeping.id)
  expect(new Set(edge.woken)).toEqual(new Set([sleeping.id]))
})

test("no request fails while versions are exchanged under load", async () => {
  await using plane = await openTestPlane()
  const code = `export default {
    async fetch(_, { VERSION }) {
      await scheduler.wait(Math.random() * 30)
      return new Response(VERSION.id)
    },
  }`
  const specs = Array.from({ length: 4 }, () => versionSpec({ code }))
  await using edge = await openTestEdge(plane, specs)
  const [first] = specs
  if (first) {
    await plane.start(first)
    edge.deploy([first, 100])
  }
  const answers: string[] = []
  const stop = new AbortController()
  const clients = Array.from({ length: 8 }, async () => {
    while (!stop.signal.aborted) {
      const { status, body } = await edge.ask("/")
      answers.push(`${status} ${body}`)
    }
  })
  for (const [index, spec] of specs.slice(1).entries()) {
    await plane.start(spec)
    const before = answers.length
    await until(() => answers.length > before + 50)
    edge.deploy([spec, 100])
    await plane.retire(specs[index]?.id ?? "")
  }
  await until(() => answers.at(-1) === `200 ${specs.at(-1)?.id}`)
  stop.abort()
  await Promise.all(clients)

  const knownAnswers = specs.map(({ id }) => `200 ${id}`)
  expect(answers.filter((answer) => !knownAnswers.includes(answer))).toEqual([])
  expect(new Set(answers)).toEqual(new Set(knownAnswers))
  // Retired versions were never woken again: each choice reads the current table.
  expect(edge.woken).toEqual([])
  expect(plane.processes()).toHaveLength(2)
})

test("a taken port fails with EADDRINUSE", async () => {
  await using plane = await openTestPlane()
  await using edge = await openTestEdge(plane, [])
  const { port } = edge
  const options = { port, plane, table: emptyTable, wake: async () => {}, onRequest: () => {} }
  await expect(openEdge(options)).rejects.toMatchObject({ code: "EADDRINUSE" })
})

function emptyTable(): RoutingTable {
  const empty = { domains: new Map(), scripts: new Map(), zones: new Map() }
  return { routes: [], ...empty }
}

test("every request is reported with the script and version that answered", async () => {
  await using plane = await openTestPlane()
  const slow = versionSpec({
    id: randomUUID(),
    code: "export default { async fetch() { await scheduler.wait(20_000) } }",
  })
  const served: string[] = []
  const serve: Plane["serve"] = (versionId, exchange) => {
    served.push(versionId)
    return plane.serve(versionId, exchange)
  }
  await using edge = await openTestEdge({ ...plane, serve }, [echo, slow])
  await Promise.all([plane.start(echo), plane.start(slow)])
  edge.deploy([echo, 100], [slow, 0])
  await edge.ask("/a?secret=1", { host: "localhost:8787" })
  await edge.ask("/", { host: "other.test" })
  const socket = open({
    host: "127.0.0.1",
    port: edge.port,
    path: "/left",
    headers: { host: "localhost", "Cloudflare-Workers-Version-Overrides": `site="${slow.id}"` },
  })
  socket.on("error", () => {}).end()
  await until(() => served.includes(slow.id))
  socket.destroy()
  await until(() => edge.entries.length === 3)
  const entryFields = { time: expect.any(String), method: "GET", ms: expect.any(Number) }
  const common = { ...entryFields, outcome: "ok" }
  expect(edge.entries).toEqual([
    {
      ...common,
      host: "localhost:8787",
      path: "/a",
      status: 200,
      script: "site",
      versionId: echo.id,
    },
    { ...common, host: "other.test", path: "/", status: 404, script: null, versionId: null },
    {
      ...entryFields,
      outcome: "canceled",
      host: "localhost",
      path: "/left",
      status: 499,
      script: "site",
      versionId: slow.id,
    },
  ])
})
