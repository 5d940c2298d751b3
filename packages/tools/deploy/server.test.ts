import { spawn } from "node:child_process"
import { mkdtempDisposableSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { delimiter, join } from "node:path"
import { createInterface } from "node:readline"

import { unknownValue } from "@accounts-stack/pulumi-host/properties"
import { afterAll, expect, test } from "vitest"

import { isAlive } from "../cli/process/is-alive.ts"
import { expectNoLeak } from "../tests/testing/secrets/secret-forms.ts"
import { startProvider } from "./testing/provider-process.ts"

// No test here talks to Cloudflare, and nothing listens on port 9.
const provider = await startProvider({ baseUrl: "http://127.0.0.1:9/client/v4" })
afterAll(() => provider[Symbol.asyncDispose]())

const sha256 = "0".repeat(64)
const migrations = {
  accountId: "account",
  databaseId: "database",
  directory: "../migrations",
  files: [{ name: "0000_first.sql", sha256 }],
  scriptName: "worker",
  protectLive: true,
}
const release = {
  accountId: "account",
  scriptName: "worker",
  versionId: "version",
  url: "http://localhost:8787",
  connectTo: "http://127.0.0.1:8787",
  steps: [10, 100],
}

async function problemsOf(target: typeof provider, type: string, inputs: Record<string, unknown>) {
  const { failures } = await target.check(type, inputs)
  return Object.entries(failures).map(([property, reason]) => `${property}: ${reason}`)
}

test("the provider prints only its port on stdout", () => {
  expect(provider.output.join("")).toMatch(/^\d+\n$/)
})

test.each([
  "https://api.cloudflare.com/client/v4",
  "http://127.0.0.1:8790/client/v4",
  "http://[::1]:8790/client/v4",
])("the token may be sent to %s", async (baseUrl) => {
  expect((await provider.checkConfig({ baseUrl })).failures).toEqual({})
})

test.each([
  "https://api.cloudflare.com.example.com/client/v4",
  "http://api.cloudflare.com/client/v4",
  "https://api.cloudflare.com/client/v4/../../elsewhere",
  "http://localhost:8790/client/v4",
  "http://127.0.0.1.example.com/client/v4",
  "http://127.0.0.1@example.com/client/v4",
  "http://user:password@127.0.0.1/client/v4",
  "https://127.0.0.1/client/v4",
  "file:///etc/passwd",
  "",
])("the token is never sent to %j", async (baseUrl) => {
  const { failures } = await provider.checkConfig({ baseUrl })
  expect(failures).toEqual({ baseUrl: expect.stringMatching(/^baseUrl is https:\/\/api.cloud/) })
})

test("an unknown key of the provider's configuration is an error", async () => {
  const baseUrl = "http://127.0.0.1:8790/client/v4"
  const { failures } = await provider.checkConfig({ baseUrl, apiToken: "x" })
  expect(failures).toEqual({ "": 'Unrecognized key: "apiToken"' })
})

test("valid inputs pass, even values that only up will know", async () => {
  expect(await problemsOf(provider, "Migrations", migrations)).toEqual([])
  expect(
    await problemsOf(provider, "Migrations", { ...migrations, databaseId: unknownValue }),
  ).toEqual([])
  expect(await problemsOf(provider, "Migrations", { ...migrations, files: unknownValue })).toEqual(
    [],
  )
  expect(await problemsOf(provider, "Release", release)).toEqual([])
  const undecided = {
    ...release,
    versionId: unknownValue,
    url: unknownValue,
    connectTo: unknownValue,
  }
  expect(await problemsOf(provider, "Release", undecided)).toEqual([])
  expect(await problemsOf(provider, "Verification", { url: "https://api.example.com" })).toEqual([])
  expect(await problemsOf(provider, "Secret", { bytes: 32 })).toEqual([])
})

test.each([
  ["Migrations", { ...migrations, file: [] }, ': Unrecognized key: "file"'],
  ["Migrations", { ...migrations, files: [{ name: "x.sql", sha256 }] }, 'files: "x.sql" is not a'],
  ["Migrations", { ...migrations, files: [] }, "files: there are no migrations"],
  [
    "Migrations",
    { ...migrations, files: [{ name: "0000_first.sql", sha256: "abc" }] },
    "files[0].sha256: sha256 is 64 hexadecimal digits",
  ],
  ["Release", { ...release, steps: [10, 50] }, "steps: steps are rising percentages"],
  ["Release", { ...release, steps: [50, 10, 100] }, "steps: steps are rising percentages"],
  ["Release", { ...release, steps: [] }, "steps: steps are rising percentages"],
  ["Release", { ...release, url: "ftp://example.com" }, "url: url is an http(s) URL"],
  ["Release", { ...release, connectTo: "http://example.com" }, 'connectTo: connectTo is "http://'],
  ["Verification", { url: "localhost" }, "url: url is an http(s) URL"],
  ["Verification", { url: "http://a.test", versionId: "x" }, ': Unrecognized key: "versionId"'],
  ["Secret", { bytes: 8 }, "bytes: Too small"],
  ["Secret", { bytes: 32, value: "mine" }, ': Unrecognized key: "value"'],
])("%s %j is rejected: %s", async (type, inputs, message) => {
  expect(await problemsOf(provider, type, inputs)).toEqual([expect.stringContaining(message)])
})

test("connectTo is allowed only with a base URL on this machine", async () => {
  await using real = await startProvider({ baseUrl: "https://api.cloudflare.com/client/v4" })
  expect(await problemsOf(real, "Release", release)).toEqual([
    "connectTo: connectTo is for a baseUrl on this machine; remove it",
  ])
})

test("a missing token is an error, but a preview needs none", async () => {
  const plan = await provider.create("Migrations", migrations, { preview: true })
  expect(plan.outputs).toMatchObject({ databaseId: "database", head: "0000_first.sql" })
  const creation = provider.create("Release", release)
  await expect(creation).rejects.toThrow("CLOUDFLARE_API_TOKEN is not set")
})

test("an unknown resource type is an error that names it", async () => {
  const creation = provider.create("Nothing", {})
  await expect(creation).rejects.toThrow('no resource type "accounts:index:Nothing"')
})

test("a secret has the requested size, is marked secret, and stays until the size changes", async () => {
  const { outputs } = await provider.create("Secret", { bytes: 32 })
  const marked = { "4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270" }
  expect(outputs).toEqual({ bytes: 32, value: { ...marked, value: expect.any(String) } })
  const { value } = Object(outputs["value"])
  expect(value).toMatch(/^[\w-]{43}$/)
  expect(Buffer.from(value, "base64url")).toHaveLength(32)
  expect((await provider.create("Secret", { bytes: 32 })).outputs).not.toEqual(outputs)

  const olds = { bytes: 32, value }
  const unchanged = { olds, oldInputs: { bytes: 32 }, inputs: { bytes: 32 } }
  expect((await provider.diff("Secret", unchanged)).changes).toBe(false)
  const longer = { ...unchanged, inputs: { bytes: 64 } }
  expect((await provider.diff("Secret", longer)).replaces).toEqual(["bytes"])
  const read = await provider.read("Secret", { id: "x", outputs: olds, inputs: { bytes: 32 } })
  expect(read?.outputs).toEqual({ bytes: 32, value: { ...marked, value } })
  expectNoLeak([...provider.log, ...provider.output].join("\n"), { value })
})

test("another rotation generates a new secret in place", async () => {
  const { id, outputs } = await provider.create("Secret", { bytes: 32 })
  const { value } = Object(outputs["value"])
  const olds = { bytes: 32, value }
  const change = { olds, oldInputs: { bytes: 32 }, inputs: { bytes: 32, rotation: 1 } }
  const expected = { changes: true, paths: ["rotation"], replaces: [] }
  expect(await provider.diff("Secret", change)).toEqual(expected)
  const rotated = await provider.update("Secret", { id, ...change })
  expect(rotated).toMatchObject({ bytes: 32, rotation: 1, value: { value: expect.any(String) } })
  expect(Object(rotated["value"]).value).not.toBe(value)
  const repeated = { ...change, olds: { ...olds, rotation: 1 } }
  expect((await provider.diff("Secret", repeated)).changes).toBe(false)
})

test("a secret cannot be imported, and the error says what to do instead", async () => {
  const reading = provider.read("Secret", { id: "x", outputs: {}, inputs: {} })
  await expect(reading).rejects.toThrow(/cannot be imported.*pulumi config set --secret/)
})

test.each(["DatabaseIdentity", "HostCheck", "Verification"])(
  "a %s cannot be imported with nothing in it",
  async (type) => {
    const reading = provider.read(type, { id: "x", outputs: {}, inputs: {} })
    await expect(reading).rejects.toThrow(/cannot be imported.*declare it/)
  },
)

test("the preview of a secret marks its unknown value as secret", async () => {
  const { outputs } = await provider.create("Secret", { bytes: 32 }, { preview: true })
  expect(outputs["value"]).toMatchObject({ value: unknownValue })
})

test("the provider exits when its engine is killed", async () => {
  const launcher = join(import.meta.dirname, "pulumi-resource-accounts")
  // The shell stands for the engine: it starts the provider, prints its process id, and is killed.
  const engine = spawn("sh", ["-c", '"$0" & echo "pid $!"; wait', launcher], {
    stdio: ["ignore", "pipe", "ignore"],
  })
  const lines = createInterface(engine.stdout)[Symbol.asyncIterator]()
  const pid = Number(String((await lines.next()).value).replace("pid ", ""))
  expect(String((await lines.next()).value)).toMatch(/^\d+$/)
  expect(isAlive(pid)).toBe(true)
  engine.kill("SIGKILL")
  await expect.poll(() => isAlive(pid)).toBe(false)
})

test("the provider runs with the project's own Node, whatever Node is first on PATH", async () => {
  using folder = mkdtempDisposableSync(join(tmpdir(), "provider-node-"))
  writeFileSync(join(folder.path, "node"), "#!/bin/sh\nexit 1\n", { mode: 0o755 })
  const launcher = join(import.meta.dirname, "pulumi-resource-accounts")
  const started = spawn(launcher, {
    stdio: ["ignore", "pipe", "ignore"],
    env: { PATH: [folder.path, process.env["PATH"]].join(delimiter) },
  })
  const lines = createInterface(started.stdout)[Symbol.asyncIterator]()
  const { value } = await lines.next()
  started.kill()
  expect(String(value)).toMatch(/^\d+$/)
})
