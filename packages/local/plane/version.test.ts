import { expect, test } from "vitest"

import { NotRunningError } from "./plane.ts"
import { withinMinute } from "./testing/minute.ts"
import { module, openTestPlane, serveVersion, until, versionSpec } from "./testing/test-plane.ts"

test("a version gets its bindings and its own metadata", async () => {
  await using plane = await openTestPlane()
  await plane.openDatabase("main")
  const version = versionSpec({
    tag: "v1",
    bindings: [
      { name: "DB", type: "d1", database_id: "main", id: "main" },
      { name: "TEXT", type: "plain_text", text: "open" },
      { name: "SECRET", type: "secret_text", text: "hidden" },
      { name: "JSON", type: "json", json: { deep: [1, null] } },
      { name: "VERSION", type: "version_metadata" },
      { name: "LIMIT", type: "ratelimit", namespace_id: "1001", simple: { limit: 2, period: 60 } },
    ],
    code: `export default {
      async fetch(request, { DB, LIMIT, ...plain }) {
        const limits = []
        const key = request.url
        for (let i = 0; i < 3; i++) limits.push((await LIMIT.limit({ key })).success)
        return Response.json({
          url: key,
          colo: request.cf.colo,
          one: await DB.prepare("SELECT 1 AS one").first("one"),
          limits,
          plain,
        })
      },
    }`,
  })
  await plane.start(version)
  await using site = await serveVersion(plane, version.id)
  const { path, answer } = await withinMinute(async (round) => {
    const requestPath = `/a?b=${round}`
    return { path: requestPath, answer: await (await site.fetch(requestPath)).json() }
  })
  expect(answer).toEqual({
    url: `https://site.test${path}`,
    colo: "LOC",
    one: 1,
    limits: [true, true, false],
    plain: {
      TEXT: "open",
      SECRET: "hidden",
      JSON: { deep: [1, null] },
      VERSION: { id: version.id, tag: "v1", timestamp: version.createdOn },
    },
  })
})

test("the versions of a canary share databases and rate limits", async () => {
  await using plane = await openTestPlane()
  await plane.openDatabase("main")
  await plane.query("main", [{ sql: "CREATE TABLE note (key TEXT)", params: [] }])
  const bindings = [
    { name: "DB", type: "d1", id: "main" },
    { name: "LIMIT", type: "ratelimit", namespace_id: "1001", simple: { limit: 3, period: 60 } },
  ]
  const code = `export default {
    async fetch({ url: key }, { DB, LIMIT }) {
      const before = await DB.prepare("SELECT count(*) AS n FROM note WHERE key = ?").bind(key).first("n")
      await DB.prepare("INSERT INTO note (key) VALUES (?)").bind(key).run()
      return Response.json([before, (await LIMIT.limit({ key })).success])
    },
  }`
  const [old, fresh] = [versionSpec({ bindings, code }), versionSpec({ bindings, code })]
  await Promise.all([plane.start(old), plane.start(fresh)])
  await using oldSite = await serveVersion(plane, old.id)
  await using freshSite = await serveVersion(plane, fresh.id)
  const answers = await withinMinute(async (round) => {
    const bodies: unknown[] = []
    for (const site of [oldSite, freshSite, oldSite, freshSite]) {
      bodies.push(await (await site.fetch(`/${round}`)).json())
    }
    return bodies
  })
  expect(answers).toEqual([
    [0, true],
    [1, true],
    [2, true],
    [3, false],
  ])
})

test("modules of every type arrive unchanged", async () => {
  await using plane = await openTestPlane()
  const version = versionSpec({
    modules: [
      module(
        "worker.js",
        `import text from "./a.txt"; import data from "./b.bin"; import json from "./c.json"
        import { one } from "./lib/d.js"; import wasm from "./e.wasm"
        export default { fetch: () => Response.json([text, [...new Uint8Array(data)], json, one, wasm instanceof WebAssembly.Module]) }`,
      ),
      module("a.txt", "tèxt", "text/plain"),
      module("b.bin", new Uint8Array([0, 255, 128]), "application/octet-stream"),
      module("c.json", '{"a":1}', "application/json"),
      module("lib/d.js", "export const one = 1"),
      module("e.wasm", new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0]), "application/wasm"),
    ],
  })
  await plane.start(version)
  await using site = await serveVersion(plane, version.id)
  expect(await (await site.fetch("/")).json()).toEqual(["tèxt", [0, 255, 128], { a: 1 }, 1, true])
})

test("a retiring version finishes its requests and takes no new ones", async () => {
  await using plane = await openTestPlane()
  const version = versionSpec({
    code: "export default { async fetch() { await scheduler.wait(700); return new Response('done') } }",
  })
  await plane.start(version)
  await using site = await serveVersion(plane, version.id)
  const pendingAnswer = site.fetch("/")
  await until(() => site.requests() === 1)
  const retired = plane.retire(version.id)
  expect(plane.running(version.id)).toBe(false)
  expect(await (await site.fetch("/")).text()).toContain(NotRunningError.name)
  expect(await (await pendingAnswer).text()).toBe("done")
  await retired
  await until(() => plane.processes().length === 1)
})

test("a version started again while it retires keeps running", async () => {
  await using plane = await openTestPlane()
  const version = versionSpec({
    code: "export default { async fetch() { await scheduler.wait(500); return new Response('done') } }",
  })
  await plane.start(version)
  await using site = await serveVersion(plane, version.id)
  const pendingAnswer = site.fetch("/")
  await until(() => site.requests() === 1)
  const retired = plane.retire(version.id)
  await plane.start(version)
  await Promise.all([pendingAnswer, retired])
  expect(await (await site.fetch("/")).text()).toBe("done")
})

test("live versions keep running, and so do the three others used last", async () => {
  await using plane = await openTestPlane()
  const versions = Array.from({ length: 6 }, (_, index) => versionSpec({ number: index + 1 }))
  const running = () => versions.filter(({ id }) => plane.running(id)).map(({ number }) => number)
  const [live] = versions
  if (live) plane.pin([live.id])
  for (const version of versions) await plane.start(version)
  await until(() => plane.processes().length === 5)
  expect(running()).toEqual([1, 4, 5, 6])

  plane.pin([])
  await until(() => plane.processes().length === 4)
  expect(running()).toEqual([4, 5, 6])
})

test("bodies stream both ways", async () => {
  await using plane = await openTestPlane()
  const version = versionSpec({
    code: "export default { fetch: ({ body }) => new Response(body) }",
  })
  await plane.start(version)
  await using site = await serveVersion(plane, version.id)
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>()
  const writer = writable.getWriter()
  const firstWrite = writer.write(Buffer.from("first"))
  const response = await site.fetch("/", { method: "POST", body: readable, duplex: "half" })
  const reader = response.body?.getReader()
  await firstWrite
  expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toBe("first")

  const large = Buffer.alloc(5_000_000, "x")
  await Promise.all([writer.write(large), drain(reader, large.length)])
  await writer.close()
  expect((await reader?.read())?.done).toBe(true)
})

async function drain(reader: ReadableStreamDefaultReader<Uint8Array> | undefined, bytes: number) {
  for (let remaining = bytes; remaining > 0;) {
    remaining -= (await reader?.read())?.value?.length ?? 0
  }
}

test("a cron calls the scheduled handler", async () => {
  await using plane = await openTestPlane()
  const version = versionSpec({
    code: `export default {
      scheduled({ cron, scheduledTime }) {
        if (cron === "bad") throw new Error("no")
        console.log(cron, scheduledTime)
      },
    }`,
  })
  await plane.start(version)
  expect(await plane.fireCron(version.id, "0 3 * * *", new Date(1000))).toMatchObject({
    outcome: "ok",
  })
  await until(() => plane.log.includes("site (version 1): 0 3 * * * 1000"))
  expect(await plane.fireCron(version.id, "bad", new Date(0))).toMatchObject({
    outcome: "exception",
  })
})

test("console output and uncaught exceptions are logged, with the stack", async () => {
  await using plane = await openTestPlane()
  const version = versionSpec({
    script: "exception-log",
    code: `export default { fetch() { console.log("before", { a: 1 }); throw new RangeError("too far") } }`,
  })
  await plane.start(version)
  await using site = await serveVersion(plane, version.id)
  expect((await site.fetch("/")).status).toBe(500)
  await until(() => plane.log.length > 1)
  expect(plane.log).toEqual([
    "exception-log (version 1): before { a: 1 }",
    "exception-log (version 1): Uncaught RangeError: too far\n    at Object.fetch (worker.js:1:67)",
  ])
})
