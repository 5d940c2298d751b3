import { createHash } from "node:crypto"
import { writeFileSync } from "node:fs"
import { mkdtempDisposable } from "node:fs/promises"
import { tmpdir } from "node:os"
import path from "node:path"

import { afterAll, expect, test } from "vitest"

import { startPlugin } from "./testing/plugin-process.ts"

const directory = await mkdtempDisposable(path.join(tmpdir(), "accounts-provider-"))
const plugin = await startPlugin({ directory: directory.path })

afterAll(async () => {
  await plugin[Symbol.asyncDispose]()
  await directory[Symbol.asyncDispose]()
})

const database = "cloudflare:index/d1Database:D1Database"
const worker = "cloudflare:index/worker:Worker"
const version = "cloudflare:index/workerVersion:WorkerVersion"

const accountId = "6163636f756e74736c6f63616c000001"
const unknownMark = "04da6b54-80e4-46f7-96ec-b56ff0331ba9"
const none = { changes: 1, detailed: {}, replaces: [] }

const module = { name: "worker.js", contentType: "application/javascript+module" }
const moduleInputs = { accountId, workerId: "w", mainModule: "worker.js" }
const fromFile = { ...moduleInputs, modules: [{ ...module, contentFile: "worker.js" }] }

test("an edited module file makes another version, because modules are compared by hash", async () => {
  write("worker.js", "export default 1")
  const olds = await plugin.previewCreate(version, fromFile)
  expect(olds.modules).toEqual([
    { ...module, contentFile: "worker.js", contentSha256: sha256("export default 1") },
  ])
  expect(await plugin.diff(version, { olds, news: fromFile })).toMatchObject(none)

  write("worker.js", "export default 2")
  expect(await plugin.diff(version, { olds, news: fromFile })).toMatchObject({
    changes: 2,
    replaces: ["modules"],
    detailed: { "modules[0].contentSha256": "UPDATE_REPLACE" },
  })
})

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
  for (const answered of [{}, issues, policy, { ...issues, ...policy }]) {
    const answer = { ...observability, ...answered }
    const olds = { ...news, ...defaults, subdomain, observability: answer }
    expect(await plugin.diff(worker, { olds, news })).toMatchObject(none)
  }
  const half = { ...observability, headSamplingRate: 0.5 }
  const olds = { ...news, ...defaults, subdomain, observability: half }
  expect((await plugin.diff(worker, { olds, news })).changes).toBe(2)
})

test("a module can come from the program instead of a file", async () => {
  write("worker.js", "export default 1")
  const given = (text: string) => ({
    ...moduleInputs,
    modules: [{ ...module, contentBase64: Buffer.from(text).toString("base64") }],
  })
  const olds = await plugin.previewCreate(version, given("export default 1"))
  expect(olds.modules).toMatchObject([{ contentSha256: sha256("export default 1") }])
  const edited = await plugin.diff(version, { olds, news: given("export default 2") })
  expect(edited.replaces).toEqual(["modules"])
  // The same content from a file is the same version.
  expect((await plugin.diff(version, { olds, news: fromFile })).replaces).toEqual([])
})

test("an added or removed module makes another version, another order does not", async () => {
  write("worker.js", "export default 1")
  const map = {
    name: "worker.js.map",
    contentType: "application/source-map",
    contentBase64: "e30=",
  }
  const both = { ...moduleInputs, modules: [...fromFile.modules, map] }
  const olds = await plugin.previewCreate(version, both)
  const turned = { ...moduleInputs, modules: both.modules.toReversed() }
  expect(await plugin.diff(version, { olds, news: turned })).toMatchObject(none)
  expect((await plugin.diff(version, { olds, news: fromFile })).detailed).toEqual({
    "modules[1]": "DELETE_REPLACE",
  })
  const fewer = await plugin.previewCreate(version, fromFile)
  expect((await plugin.diff(version, { olds: fewer, news: both })).detailed).toEqual({
    "modules[1]": "ADD_REPLACE",
  })
})

test("a module needs a file that exists and exactly one source", async () => {
  const missing = { ...moduleInputs, modules: [{ ...module, contentFile: "../.build/no.js" }] }
  const file = path.resolve(directory.path, "../.build/no.js")
  expect((await plugin.check(version, missing)).failures).toEqual({
    "modules[0].contentFile": `file ${file} does not exist; build it first, or correct the path`,
  })
  const sources = { contentFile: "worker.js", contentBase64: "e30=" }
  for (const source of [{}, sources]) {
    const { failures } = await plugin.check(version, {
      ...moduleInputs,
      modules: [{ ...module, ...source }],
    })
    expect(failures).toEqual({ "modules[0]": "needs either contentFile or contentBase64" })
  }
})

const text = { name: "B", type: "secret_text", text: "b" }
const bindings = [{ name: "A", type: "plain_text", text: "a" }, text]
const bindingInputs = { accountId, workerId: "w", bindings }

test("bindings in another order do not make another version", async () => {
  const olds = await plugin.previewCreate(version, bindingInputs)
  const news = { ...bindingInputs, bindings: bindings.toReversed() }
  expect(await plugin.diff(version, { olds, news })).toMatchObject({ changes: 2, replaces: [] })
})

test("a changed binding text makes another version, a text that was never read does not", async () => {
  const imported = { ...bindingInputs, bindings: [bindings[0], { name: "B", type: "secret_text" }] }
  const olds = await plugin.previewCreate(version, imported)
  expect(await plugin.diff(version, { olds, news: bindingInputs })).toMatchObject({ replaces: [] })
  const known = await plugin.previewCreate(version, bindingInputs)
  const news = { ...bindingInputs, bindings: [bindings[0], { ...text, text: "c" }] }
  expect(await plugin.diff(version, { olds: known, news })).toMatchObject({
    replaces: ["bindings"],
    detailed: { "bindings[1].text": "UPDATE_REPLACE" },
  })
})

test("binding texts are secret even when the program does not mark them", async () => {
  const asked = { ...bindingInputs, bindings: [bindings[0], { ...text, text: secret("b") }] }
  const { inputs: checked, failures } = await plugin.check(version, asked)
  expect({ checked, failures }).toEqual({ checked: asked, failures: {} })
  const state = await plugin.previewCreate(version, asked)
  expect(state.bindings).toMatchObject([{ text: secret("a") }, { text: secret("b") }])
  expect(await plugin.diff(version, { olds: state, news: asked })).toMatchObject(none)
})

test("defaults fill what a Worker leaves out and are not a change", async () => {
  const inputs = { accountId, name: "one" }
  const olds = await plugin.previewCreate(worker, inputs)
  expect(olds).toMatchObject({
    logpush: false,
    tags: [],
    tailConsumers: [],
    subdomain: { enabled: false, previewsEnabled: false },
    observability: { enabled: false, headSamplingRate: 1, logs: { invocationLogs: true } },
  })
  expect(await plugin.diff(worker, { olds, news: inputs })).toMatchObject(none)
  const news = { ...inputs, observability: { logs: { enabled: true } } }
  expect((await plugin.diff(worker, { olds, news })).detailed).toEqual({
    "observability.logs.enabled": "UPDATE",
  })
})

test("preview URLs follow the subdomain by default", async () => {
  const inputs = { accountId, name: "one", subdomain: { enabled: true } }
  const olds = await plugin.previewCreate(worker, inputs)
  expect(olds.subdomain).toMatchObject({ enabled: true, previewsEnabled: true })
  const news = { ...inputs, subdomain: { enabled: true, previewsEnabled: false } }
  expect((await plugin.diff(worker, { olds, news })).detailed).toEqual({
    "subdomain.previewsEnabled": "UPDATE",
  })
})

test("a removed value returns to its default, and the order of a set is ignored", async () => {
  const inputs = { accountId, name: "one", tags: ["a", "b"], logpush: true }
  const olds = await plugin.previewCreate(worker, inputs)
  expect(await plugin.diff(worker, { olds, news: { ...inputs, tags: ["b", "a"] } })).toMatchObject(
    none,
  )
  const news = { accountId, name: "one", tags: ["b", "c", "d"] }
  expect((await plugin.diff(worker, { olds, news })).detailed).toEqual({
    logpush: "UPDATE",
    "tags[0]": "DELETE",
    "tags[1]": "ADD",
    "tags[2]": "ADD",
  })
})

test("a preview of a new database shows the program's values and nothing else", async () => {
  const inputs = { accountId, name: "accounts-test", readReplication: { mode: "disabled" } }
  expect(await plugin.previewCreate(database, inputs)).toEqual({
    ...inputs,
    createdAt: unknownMark,
    fileSize: unknownMark,
    numTables: unknownMark,
    uuid: unknownMark,
    version: unknownMark,
  })
})

test("a database without readReplication differs from Cloudflare's response", async () => {
  const inputs = { accountId, name: "accounts-test" }
  const olds = {
    ...(await plugin.previewCreate(database, inputs)),
    readReplication: { mode: "disabled" },
  }
  expect(await plugin.diff(database, { olds, news: inputs })).toMatchObject({
    replaces: [],
    detailed: { readReplication: "DELETE" },
  })
})

function write(file: string, content: string) {
  writeFileSync(path.join(directory.path, file), content)
}

function sha256(content: string) {
  return createHash("sha256").update(content).digest("hex")
}

function secret(value: string) {
  return {
    "4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270",
    value,
  }
}
