import { spawn } from "node:child_process"
import { join } from "node:path"
import { createInterface } from "node:readline"

import * as runtime from "@pulumi/pulumi/runtime/rpc.js"
import { expect, test } from "vitest"

import { running } from "../cloudflare/testing/process-tree.ts"
import { changeTo, startPlugin } from "./testing/plugin-process.ts"

const directory = import.meta.dirname
const worker = "cloudflare:index/worker:Worker"
// Nothing listens on port 1.
const nowhere = "http://127.0.0.1:1/client/v4"

/** An import, for which the provider has to ask. */
function imported(id: string) {
  return { id: `account/${id}`, outputs: {}, inputs: {} }
}

test("the process prints only its port on stdout and names itself once on stderr", async () => {
  await using plugin = await startPlugin({
    directory,
    environment: { CLOUDFLARE_API_TOKEN: "token" },
  })
  await plugin.configure({ baseUrl: nowhere })
  for (const id of ["a", "b"]) {
    await expect(plugin.read(worker, imported(id))).rejects.toThrow(
      `GET /accounts/account/workers/workers/${id}: `,
    )
  }
  expect(plugin.output).toEqual([expect.stringMatching(/^\d+$/)])
  expect(plugin.errors.join("")).toBe("stand-in for the Cloudflare provider 6.22.1\n")
})

test("the process exits when the engine is killed", async () => {
  const main = join(directory, "main.js")
  const script = '"$0" "$1" & echo "pid $!"; wait'
  const engine = spawn("sh", ["-c", script, process.execPath, main], {
    stdio: ["ignore", "pipe", "ignore"],
  })
  const lines = createInterface(engine.stdout)[Symbol.asyncIterator]()
  // The other line is the port: the provider has started and knows its parent.
  const printed = [await lines.next(), await lines.next()].map(({ value }) => String(value))
  const pid = Number(/pid (\d+)/.exec(printed.join("\n"))?.[1])
  expect(running(pid)).toBe(true)
  engine.kill("SIGKILL")
  await expect.poll(() => running(pid)).toBe(false)
})

test("a resource of an unknown type is stored as the program declared it", async () => {
  await using plugin = await startPlugin({ directory })
  const bucket = "cloudflare:index/r2Bucket:R2Bucket"
  const config = { accountId: "account", name: "files", location: "weur" }
  expect(await plugin.check(bucket, config)).toEqual({ failures: {}, inputs: config })
  expect((await plugin.create(bucket, config, { preview: true })).outputs).toEqual(config)
  const { id, outputs } = await plugin.create(bucket, config)
  expect([id, outputs]).toEqual([expect.stringMatching(/^[0-9a-f]{32}$/), config])
  const resourceState = { id, outputs, inputs: config }
  expect(await plugin.read(bucket, resourceState)).toEqual(resourceState)
  const news = { accountId: "account", name: "files", storageClass: "Standard" }
  const comparison = await plugin.diff(bucket, { olds: outputs, inputs: config })
  const difference = await plugin.diff(bucket, { olds: outputs, inputs: news })
  expect([comparison.paths, difference.paths, difference.replaces]).toEqual([
    [],
    ["location", "storageClass"],
    [],
  ])
  expect(await plugin.update(bucket, changeTo(resourceState, news))).toEqual(news)
  await plugin.remove(bucket, resourceState)
  await expect(plugin.read(bucket, { id, outputs: {}, inputs: {} })).rejects.toThrow(
    "cannot import",
  )
})

test("the base URL can be any loopback address", async () => {
  await using plugin = await startPlugin({ directory })
  for (const baseUrl of [
    "http://127.0.0.1:8790/client/v4",
    "http://localhost:8790/client/v4",
    "http://[::1]:8790/client/v4/",
    "https://127.1.2.3/client/v4",
  ]) {
    expect(await plugin.checkConfig({ baseUrl })).toEqual({ failures: {}, inputs: { baseUrl } })
    await plugin.configure({ baseUrl })
  }
})

test("any other base URL is rejected, also when state contains it and nothing checked it", async () => {
  await using plugin = await startPlugin({ directory })
  for (const baseUrl of [
    "https://api.cloudflare.com/client/v4",
    "http://127.0.0.1.example.com/client/v4",
    "http://127.0.0.1@example.com/client/v4",
    "ftp://127.0.0.1/client/v4",
    "127.0.0.1:8790",
  ]) {
    const { failures } = await plugin.checkConfig({ baseUrl })
    expect(failures).toEqual({ baseUrl: expect.stringContaining(`is "${baseUrl}". The stand-in`) })
    await expect(plugin.configure({ baseUrl })).rejects.toThrow(
      "works with a local Cloudflare only",
    )
  }
})

test("base URL and token come from the environment and never become inputs", async () => {
  await using plugin = await startPlugin({
    directory,
    environment: { CLOUDFLARE_API_TOKEN: "token", CLOUDFLARE_BASE_URL: nowhere },
  })
  expect(await plugin.checkConfig({})).toEqual({ failures: {}, inputs: {} })
  await plugin.configure({})
  await expect(plugin.read(worker, imported("a"))).rejects.toThrow("GET /accounts/account/")
})

test("a missing base URL is reported at once, a missing token on the first request", async () => {
  await using plugin = await startPlugin({ directory })
  expect(await plugin.checkConfig({ baseURL: nowhere })).toMatchObject({
    failures: { baseUrl: expect.stringContaining("is not set"), baseURL: "is unknown; remove it" },
  })
  await expect(plugin.configure({})).rejects.toThrow("cloudflare:baseUrl is not set")
  await plugin.configure({ baseUrl: nowhere })
  await expect(plugin.read(worker, imported("a"))).rejects.toThrow("set CLOUDFLARE_API_TOKEN")
})

test("the base URL may be unknown in a preview", async () => {
  await using plugin = await startPlugin({ directory })
  const { failures } = await plugin.checkConfig({ baseUrl: runtime.unknownValue })
  expect(failures).toEqual({})
  await plugin.configure({ baseUrl: runtime.unknownValue })
})
