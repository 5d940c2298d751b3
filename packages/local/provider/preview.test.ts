import { afterAll, expect, test } from "vitest"

import { startPlugin } from "./testing/plugin-process.ts"

const plugin = await startPlugin({ directory: import.meta.dirname })

afterAll(() => plugin[Symbol.asyncDispose]())

const database = "cloudflare:index/d1Database:D1Database"
const worker = "cloudflare:index/worker:Worker"

const accountId = "6163636f756e74736c6f63616c000001"
const unknownMark = "04da6b54-80e4-46f7-96ec-b56ff0331ba9"
const noDifference = { changes: false, paths: [], replaces: [] }

test("settings that the program leaves to Cloudflare are no drift, whatever they become", async () => {
  const logs = { enabled: true, headSamplingRate: 1, invocationLogs: true, persist: true }
  const traces = { enabled: false, headSamplingRate: 1, persist: true, destinations: [] }
  const observability = {
    enabled: true,
    headSamplingRate: 1,
    logs: { ...logs, destinations: [] },
    traces,
  }
  const news = { accountId, name: "one", observability }
  const defaults = { logpush: false, tags: [], tailConsumers: [] }
  const subdomain = { enabled: false, previewsEnabled: false }
  const issues = { issues: { enabled: true } }
  const policy = { traces: { ...traces, propagationPolicy: "accept" } }
  for (const addition of [{}, issues, policy, { ...issues, ...policy }]) {
    const answer = { ...observability, ...addition }
    const olds = { id: "w", ...news, ...defaults, subdomain, observability: answer }
    expect(await plugin.diff(worker, { olds, inputs: news })).toMatchObject(noDifference)
  }
  const half = { ...observability, headSamplingRate: 0.5 }
  const olds = { id: "w", ...news, ...defaults, subdomain, observability: half }
  expect((await plugin.diff(worker, { olds, inputs: news })).changes).toBe(true)
})

test("defaults fill what a Worker leaves out and are not a change", async () => {
  const inputs = { accountId, name: "one" }
  const { outputs: olds } = await plugin.create(worker, inputs, { preview: true })
  expect(olds).toMatchObject({
    logpush: false,
    tags: [],
    tailConsumers: [],
    subdomain: { enabled: false, previewsEnabled: false },
    observability: { enabled: false, headSamplingRate: 1, logs: unknownMark },
  })
  expect(await plugin.diff(worker, { olds, inputs })).toMatchObject(noDifference)
  const withLogs = { ...inputs, observability: { logs: {} } }
  const { observability } = (await plugin.create(worker, withLogs, { preview: true })).outputs
  const news = { ...inputs, observability: { logs: { enabled: true } } }
  const changedOlds = { ...olds, observability }
  expect(await plugin.diff(worker, { olds: changedOlds, inputs })).toMatchObject(noDifference)
  expect((await plugin.diff(worker, { olds: changedOlds, inputs: news })).paths).toContain(
    "observability",
  )
})

test("preview URLs follow the subdomain by default", async () => {
  const inputs = { accountId, name: "one", subdomain: { enabled: true } }
  const { outputs: olds } = await plugin.create(worker, inputs, { preview: true })
  expect(olds.subdomain).toMatchObject({ enabled: true, previewsEnabled: true })
  const news = { ...inputs, subdomain: { enabled: true, previewsEnabled: false } }
  expect((await plugin.diff(worker, { olds, inputs: news })).paths).toContain("subdomain")
})

test("a removed value returns to its default, and the order of a set is ignored", async () => {
  const inputs = { accountId, name: "one", tags: ["a", "b"], logpush: true }
  const { outputs: olds } = await plugin.create(worker, inputs, { preview: true })
  expect(
    await plugin.diff(worker, { olds, inputs: { ...inputs, tags: ["b", "a"] } }),
  ).toMatchObject(noDifference)
  const news = { accountId, name: "one", tags: ["b", "c", "d"] }
  expect((await plugin.diff(worker, { olds, inputs: news })).paths).toEqual(
    expect.arrayContaining(["logpush", "tags"]),
  )
})

test("a preview of a new database shows the program's values and nothing else", async () => {
  const inputs = { accountId, name: "accounts-test", readReplication: { mode: "disabled" } }
  expect((await plugin.create(database, inputs, { preview: true })).outputs).toEqual({
    ...inputs,
    createdAt: unknownMark,
    fileSize: unknownMark,
    id: unknownMark,
    numTables: unknownMark,
    uuid: unknownMark,
    version: unknownMark,
  })
})

test("a database without readReplication differs from Cloudflare's response", async () => {
  const inputs = { accountId, name: "accounts-test" }
  const olds = {
    ...(await plugin.create(database, inputs, { preview: true })).outputs,
    readReplication: { mode: "disabled" },
  }
  expect(await plugin.diff(database, { olds, inputs })).toMatchObject({
    replaces: [],
    paths: expect.arrayContaining(["readReplication"]),
  })
})
