import { spawn } from "node:child_process"
import { join } from "node:path"
import { createInterface } from "node:readline"

import * as runtime from "@pulumi/pulumi/runtime/rpc.js"
import struct from "google-protobuf/google/protobuf/struct_pb.js"
import { describe, expect, test } from "vitest"

import { running } from "../cloudflare/testing/process-tree.ts"
import { startPlugin } from "./testing/plugin-process.ts"
import { unknownValue } from "./value.ts"
import { decode, encode } from "./wire.ts"

const directory = import.meta.dirname
const getZone = "cloudflare:index/getZone:getZone"
// Nothing listens on port 1.
const nowhere = "http://127.0.0.1:1/client/v4"

describe("the process", () => {
  test("prints its port alone, and says once on stderr what it is", async () => {
    await using plugin = await startPlugin({
      directory,
      environment: { CLOUDFLARE_API_TOKEN: "token" },
    })
    await plugin.configure({ baseUrl: nowhere })
    for (const zoneId of ["a", "b"]) {
      await expect(plugin.invoke(getZone, { zoneId })).rejects.toThrow(`GET /zones/${zoneId}: `)
    }
    expect(plugin.output).toEqual([expect.stringMatching(/^\d+$/)])
    expect(plugin.errors.join("")).toBe(
      `stand-in for the Cloudflare provider 6.22.1, at ${nowhere}\n`,
    )
  })

  test("ends when the engine is killed", async () => {
    const main = join(directory, "main.js")
    const script = '"$0" "$1" & echo "pid $!"; wait'
    const engine = spawn("sh", ["-c", script, process.execPath, main], {
      stdio: ["ignore", "pipe", "ignore"],
    })
    const lines = createInterface(engine.stdout)[Symbol.asyncIterator]()
    // The other one is its port: it has started, and knows who started it.
    const told = [await lines.next(), await lines.next()].map(({ value }) => String(value))
    const pid = Number(/pid (\d+)/.exec(told.join("\n"))?.[1])
    expect(running(pid)).toBe(true)
    engine.kill("SIGKILL")
    await expect.poll(() => running(pid)).toBe(false)
  })

  test("says what it does not have", async () => {
    await using plugin = await startPlugin({ directory })
    await expect(plugin.check("cloudflare:index/zone:Zone", {})).rejects.toThrow(
      'has no resource "cloudflare:index/zone:Zone", only cloudflare:index/d1Database:D1Database, ',
    )
    await expect(plugin.invoke("cloudflare:index/getUser:getUser", {})).rejects.toThrow(
      `has no function "cloudflare:index/getUser:getUser", only ${getZone}`,
    )
  })
})

describe("the configuration", () => {
  test("may be any address of this machine", async () => {
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

  test("may be no other, also where state says so and nothing was checked", async () => {
    await using plugin = await startPlugin({ directory })
    for (const baseUrl of [
      "https://api.cloudflare.com/client/v4",
      "http://127.0.0.1.example.com/client/v4",
      "http://127.0.0.1@example.com/client/v4",
      "ftp://127.0.0.1/client/v4",
      "127.0.0.1:8790",
    ]) {
      const { failures } = await plugin.checkConfig({ baseUrl })
      expect(failures).toEqual({
        baseUrl: expect.stringContaining(`is "${baseUrl}". The stand-in`),
      })
      await expect(plugin.configure({ baseUrl })).rejects.toThrow("on this machine only")
    }
  })

  test("takes the address and the token from the environment, and passes neither on", async () => {
    await using plugin = await startPlugin({
      directory,
      environment: { CLOUDFLARE_API_TOKEN: "token", CLOUDFLARE_BASE_URL: nowhere },
    })
    expect(await plugin.checkConfig({})).toEqual({ failures: {}, inputs: {} })
    await plugin.configure({})
    await expect(plugin.invoke(getZone, { zoneId: "a" })).rejects.toThrow("GET /zones/a: ")
  })

  test("asks for an address, and for a token once there is something to do", async () => {
    await using plugin = await startPlugin({ directory })
    expect(await plugin.checkConfig({ baseURL: nowhere })).toMatchObject({
      failures: {
        baseUrl: expect.stringContaining("is not set"),
        baseURL: "is unknown; remove it",
      },
    })
    await expect(plugin.configure({})).rejects.toThrow("cloudflare:baseUrl is not set")
    await plugin.configure({ baseUrl: nowhere })
    await expect(plugin.invoke(getZone, { zoneId: "a" })).rejects.toThrow(
      "set CLOUDFLARE_API_TOKEN",
    )
  })

  test("may still be unknown in a preview", async () => {
    await using plugin = await startPlugin({ directory })
    const { failures } = await plugin.checkConfig({ baseUrl: runtime.unknownValue })
    expect(failures).toEqual({})
    await plugin.configure({ baseUrl: runtime.unknownValue })
  })
})

describe("getZone", () => {
  test("takes an id or a filter", async () => {
    await using plugin = await startPlugin({ directory })
    const both = await plugin.invoke(getZone, { zoneId: "a", filter: { name: "b" } })
    expect(both.failures).toEqual({ zoneId: "give zoneId or filter, and not both" })
    const neither = await plugin.invoke(getZone, {})
    expect(neither.failures).toEqual({ zoneId: "give zoneId or filter, and not both" })
    const wrong = await plugin.invoke(getZone, { filter: { names: ["b"], match: "most" } })
    expect(wrong.failures).toEqual({
      "filter.names": expect.stringContaining("is unknown; known here: account, "),
      "filter.match": 'must be one of any, all, not "most"',
    })
  })
})

test("the marks on the wire are the engine's", () => {
  const mark = { [runtime.specialSigKey]: runtime.specialSecretSig, value: "s" }
  const sent = { secret: mark, list: [{ "a.b": mark }], unknown: runtime.unknownValue, gone: null }
  const { values, secrets } = decode(struct.Struct.fromJavaScript(sent))
  expect(values).toEqual({ secret: "s", list: [{ "a.b": "s" }], unknown: unknownValue })
  expect(secrets).toEqual(new Set(["secret", 'list[0]["a.b"]']))
  const { gone: _, ...kept } = sent
  expect(encode(values, secrets).toJavaScript()).toEqual(kept)
})
