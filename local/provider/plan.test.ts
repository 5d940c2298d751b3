import { createHash } from "node:crypto"
import { writeFileSync } from "node:fs"
import { mkdtempDisposable } from "node:fs/promises"
import { tmpdir } from "node:os"
import path from "node:path"

import { afterAll, describe, expect, test } from "vitest"

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

describe("the modules of a version", () => {
  const module = { name: "worker.js", contentType: "application/javascript+module" }
  const inputs = { accountId, workerId: "w", mainModule: "worker.js" }
  const fromFile = { ...inputs, modules: [{ ...module, contentFile: "worker.js" }] }

  test("are known by the hash of their content, so an edited file is another version", async () => {
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

  test("may be given in the program itself", async () => {
    write("worker.js", "export default 1")
    const given = (text: string) => ({
      ...inputs,
      modules: [{ ...module, contentBase64: Buffer.from(text).toString("base64") }],
    })
    const olds = await plugin.previewCreate(version, given("export default 1"))
    expect(olds.modules).toMatchObject([{ contentSha256: sha256("export default 1") }])
    const edited = await plugin.diff(version, { olds, news: given("export default 2") })
    expect(edited.replaces).toEqual(["modules"])
    // The same content out of a file is the same version.
    expect((await plugin.diff(version, { olds, news: fromFile })).replaces).toEqual([])
  })

  test("come and go with another version, in any order", async () => {
    write("worker.js", "export default 1")
    const map = {
      name: "worker.js.map",
      contentType: "application/source-map",
      contentBase64: "e30=",
    }
    const both = { ...inputs, modules: [...fromFile.modules, map] }
    const olds = await plugin.previewCreate(version, both)
    const turned = { ...inputs, modules: both.modules.toReversed() }
    expect(await plugin.diff(version, { olds, news: turned })).toMatchObject(none)
    expect((await plugin.diff(version, { olds, news: fromFile })).detailed).toEqual({
      "modules[1]": "DELETE_REPLACE",
    })
    const fewer = await plugin.previewCreate(version, fromFile)
    expect((await plugin.diff(version, { olds: fewer, news: both })).detailed).toEqual({
      "modules[1]": "ADD_REPLACE",
    })
  })

  test("need a file that is there, and one source", async () => {
    const missing = { ...inputs, modules: [{ ...module, contentFile: "../.build/no.js" }] }
    const place = path.resolve(directory.path, "../.build/no.js")
    expect((await plugin.check(version, missing)).failures).toEqual({
      "modules[0].contentFile": `there is no file ${place}; build it first, or correct the path`,
    })
    const sources = { contentFile: "worker.js", contentBase64: "e30=" }
    for (const source of [{}, sources]) {
      const { failures } = await plugin.check(version, {
        ...inputs,
        modules: [{ ...module, ...source }],
      })
      expect(failures).toEqual({ "modules[0]": "needs one of contentFile and contentBase64" })
    }
  })
})

describe("bindings", () => {
  const text = { name: "B", type: "secret_text", text: "b" }
  const bindings = [{ name: "A", type: "plain_text", text: "a" }, text]
  const inputs = { accountId, workerId: "w", bindings }

  test("in another order do not need another version", async () => {
    const olds = await plugin.previewCreate(version, inputs)
    const news = { ...inputs, bindings: bindings.toReversed() }
    expect(await plugin.diff(version, { olds, news })).toMatchObject({ changes: 2, replaces: [] })
  })

  test("whose text was never read do not need another version, whose text changed do", async () => {
    const imported = { ...inputs, bindings: [bindings[0], { name: "B", type: "secret_text" }] }
    const olds = await plugin.previewCreate(version, imported)
    expect(await plugin.diff(version, { olds, news: inputs })).toMatchObject({ replaces: [] })
    const known = await plugin.previewCreate(version, inputs)
    const news = { ...inputs, bindings: [bindings[0], { ...text, text: "c" }] }
    expect(await plugin.diff(version, { olds: known, news })).toMatchObject({
      replaces: ["bindings"],
      detailed: { "bindings[1].text": "UPDATE_REPLACE" },
    })
  })

  test("keep their texts secret, also where the program did not say so", async () => {
    const asked = { ...inputs, bindings: [bindings[0], { ...text, text: secret("b") }] }
    const { inputs: checked, failures } = await plugin.check(version, asked)
    expect({ checked, failures }).toEqual({ checked: asked, failures: {} })
    const state = await plugin.previewCreate(version, asked)
    expect(state.bindings).toMatchObject([{ text: secret("a") }, { text: secret("b") }])
    expect(await plugin.diff(version, { olds: state, news: asked })).toMatchObject(none)
  })
})

describe("defaults", () => {
  test("fill what a Worker leaves out, and are no change", async () => {
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

  test("let preview URLs follow the subdomain", async () => {
    const inputs = { accountId, name: "one", subdomain: { enabled: true } }
    const olds = await plugin.previewCreate(worker, inputs)
    expect(olds.subdomain).toMatchObject({ enabled: true, previewsEnabled: true })
    const news = { ...inputs, subdomain: { enabled: true, previewsEnabled: false } }
    expect((await plugin.diff(worker, { olds, news })).detailed).toEqual({
      "subdomain.previewsEnabled": "UPDATE",
    })
  })

  test("come back when a value is taken away, and a set has no order", async () => {
    const inputs = { accountId, name: "one", tags: ["a", "b"], logpush: true }
    const olds = await plugin.previewCreate(worker, inputs)
    expect(
      await plugin.diff(worker, { olds, news: { ...inputs, tags: ["b", "a"] } }),
    ).toMatchObject(none)
    const news = { accountId, name: "one", tags: ["b", "c", "d"] }
    expect((await plugin.diff(worker, { olds, news })).detailed).toEqual({
      logpush: "UPDATE",
      "tags[0]": "DELETE",
      "tags[1]": "ADD",
      "tags[2]": "ADD",
    })
  })
})

test("a preview knows of a new database what the program says, and nothing else", async () => {
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

test("a database without readReplication differs from what Cloudflare returns", async () => {
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
