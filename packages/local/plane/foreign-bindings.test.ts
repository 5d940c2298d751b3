import { expect, test } from "vitest"

import { openTestPlane, serveVersion, versionSpec } from "./testing/test-plane.ts"

const code = `export default {
  async fetch(request, { FILES, PAIRS, JOBS, AI }) {
    const { pathname, searchParams } = new URL(request.url)
    const value = searchParams.get("value")
    try {
      if (pathname === "/ai") return Response.json(await AI.run("model", { prompt: "hello" }))
      if (pathname === "/job") return Response.json(typeof (await JOBS.send({ value })))
      if (value !== null) {
        await FILES.put("a/key", value, { customMetadata: { from: "here" } })
        await PAIRS.put("key", value)
      }
      const file = await FILES.get("a/key")
      const { objects } = await FILES.list()
      return Response.json([
        await file.text(),
        file.customMetadata,
        objects.map(({ key, size }) => [key, size]),
        await PAIRS.get("key"),
        (await PAIRS.list()).keys.map(({ name }) => name),
      ])
    } catch (error) {
      return new Response(error.message, { status: 500 })
    }
  },
}`

const bindings = [
  { type: "r2_bucket", name: "FILES", bucket_name: "files" },
  { type: "kv_namespace", name: "PAIRS", namespace_id: "f".repeat(32) },
  { type: "queue", name: "JOBS", queue_name: "jobs" },
  { type: "ai", name: "AI" },
]

test("versions share R2 buckets, KV namespaces and a queue's end, and say what else they lack", async () => {
  await using plane = await openTestPlane()
  const [old, next] = [versionSpec({ code, bindings }), versionSpec({ code, bindings, number: 2 })]
  for (const version of [old, next]) await plane.start(version)
  await using before = await serveVersion(plane, old.id)
  await using after = await serveVersion(plane, next.id)

  const has = (text: string, size: number) => [
    text,
    { from: "here" },
    [["a/key", size]],
    text,
    ["key"],
  ]
  expect(await (await before.fetch("/?value=one")).json()).toEqual(has("one", 3))
  expect(await (await after.fetch("/")).json()).toEqual(has("one", 3))
  expect(await (await after.fetch("/?value=zwölf")).json()).toEqual(has("zwölf", 6))
  expect((await before.fetch("/job?value=one")).status).toBe(200)

  const failed = await before.fetch("/ai")
  const reason = "AI (ai) does not run here: every call to it throws an error"
  expect([failed.status, await failed.text()]).toEqual([500, reason])
  expect(plane.log.filter((line) => line.includes(": binding "))).toEqual([
    "site (version 1): binding JOBS (queue) takes messages, but has no consumer here",
    `site (version 1): binding ${reason}`,
    "site (version 2): binding JOBS (queue) takes messages, but has no consumer here",
    `site (version 2): binding ${reason}`,
  ])
})
