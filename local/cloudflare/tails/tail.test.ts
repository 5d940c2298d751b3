import { request } from "node:http"

import { expect, test } from "vitest"

import { until } from "../plane/testing/test-plane.ts"
import { askEdge } from "../testing/ask-edge.ts"
import { type LocalCloudflare, localCloudflare } from "../testing/local-cloudflare.ts"
import { createWorker, deployVersion, uploadVersion } from "../testing/worker.ts"
import { wranglerProject } from "../testing/wrangler.ts"

const code = `export default {
  fetch({ url }) {
    console.log("asked for", { url })
    if (url.endsWith("/fail")) throw new RangeError("too far")
    return new Response("x".repeat(10))
  },
  scheduled() {},
}`

async function deploy(cloudflare: LocalCloudflare, name: string, text = code) {
  const { accountId } = cloudflare
  const client = await cloudflare.client()
  const known = await client.workers.beta.workers
    .get(name, { account_id: accountId })
    .catch(() => createWorker(client, accountId, name))
  const { id } = await uploadVersion(client, { workerId: known.id, accountId, code: text })
  await deployVersion(client, { accountId, script: name, versionId: id })
  const hostname = `${name}.accounts.test`
  await client.workers.domains.update({ account_id: accountId, hostname, service: name })
  return id
}

test("wrangler tail prints what a Worker does, including versions deployed meanwhile", async () => {
  await using cloudflare = await localCloudflare()
  const versionId = await deploy(cloudflare, "tailed")
  await deploy(cloudflare, "other")
  await using wrangler = await wranglerProject({
    cloudflare,
    config: { name: "tailed" },
    files: {},
  })
  const ask = (path: string) => askEdge(cloudflare.edge, "tailed.accounts.test", path)
  await using pretty = wrangler.start(["tail", "tailed", "--format", "pretty"])
  await using errors = wrangler.start([
    "tail",
    "tailed",
    "--format",
    "json",
    "--status",
    "error",
    "--version-id",
    versionId,
  ])
  // With JSON wrangler does not say when it listens.
  await until(async () => {
    await ask("/fail")
    return pretty.output().includes("/fail") && errors.output().includes("/fail")
  })
  await askEdge(cloudflare.edge, "other.accounts.test", "/elsewhere")
  await ask("/fine?a=b")
  await until(() => pretty.output().includes("/fine?a=b"))
  expect(pretty.output()).toMatch(/GET http:\/\/tailed\.accounts\.test\/fail - Exception Thrown @/)
  expect(pretty.output()).toContain("(log) asked for { url: 'http://tailed.accounts.test/fail' }")
  expect(pretty.output()).toMatch(/RangeError: too far.*\n\s+at Object.fetch \(worker.js:4:/)
  expect(pretty.output()).toMatch(/\/fine\?a=b - Ok @/)
  expect(JSON.parse(errors.output().split(/(?<=^\})$/m)[0] ?? "")).toMatchObject({
    scriptName: "tailed",
    scriptVersion: { id: versionId },
    outcome: "exception",
    exceptions: [{ name: "RangeError", message: "too far" }],
    logs: [{ level: "log", message: ["asked for", { url: expect.any(String) }] }],
    event: { request: { method: "GET", url: "http://tailed.accounts.test/fail" } },
  })

  await deploy(cloudflare, "tailed", `${code} // again`)
  await ask("/fail?again")
  await until(() => pretty.output().includes("/fail?again"))
  expect(errors.output()).not.toMatch(/again|fine|elsewhere/)
  expect(pretty.output()).not.toContain("elsewhere")
})

test("a tail serves one listener at a secret URL until it is deleted", async () => {
  await using cloudflare = await localCloudflare()
  const { accountId: account_id } = cloudflare
  await deploy(cloudflare, "tailed", code.replace('"asked for"', '"y".repeat(70_000)'))
  const client = await cloudflare.client()
  const { id, url, expires_at } = await client.workers.scripts.tail.create("tailed", { account_id })
  expect(await client.workers.scripts.tail.get("tailed", { account_id })).toEqual({
    id,
    url,
    expires_at,
  })
  expect(Date.parse(expires_at)).toBeGreaterThan(Date.now() + 5 * 60 * 60 * 1000)

  const socket = new WebSocket(url, "trace-v1")
  const received: string[] = []
  socket.addEventListener("message", ({ data }) => received.push(String(data)))
  await new Promise((resolve) => {
    socket.addEventListener("open", resolve)
  })
  socket.send(JSON.stringify({ debug: false }))
  await askEdge(cloudflare.edge, "tailed.accounts.test", "/")
  await until(() => received.length > 0)
  expect(JSON.parse(received[0] ?? "").logs[0].message[0]).toBe("y".repeat(70_000))

  const { port } = new URL(url)
  const status = (path: string) =>
    new Promise<number | undefined>((resolve, reject) => {
      const headers = { connection: "Upgrade", upgrade: "websocket", "sec-websocket-key": "x" }
      const asked = request({ host: "127.0.0.1", port, path, headers })
      asked.on("upgrade", ({ statusCode }, opened) => {
        opened.destroy()
        resolve(statusCode)
      })
      asked.on("response", ({ statusCode }) => resolve(statusCode)).on("error", reject)
      asked.end()
    })
  expect(await status(new URL(url).pathname)).toBe(404)
  expect(await status("/tails/guessed")).toBe(404)
  expect(await status("/client/v4/zones")).toBe(404)

  const closed = new Promise((resolve) => {
    socket.addEventListener("close", ({ code: reason }) => resolve(reason))
  })
  await client.workers.scripts.tail.delete(id, { account_id, script_name: "tailed" })
  expect(await closed).toBe(1001)
  const again = client.workers.scripts.tail.delete(id, { account_id, script_name: "tailed" })
  await expect(again).rejects.toThrow("10007")
  await expect(client.workers.scripts.tail.create("missing", { account_id })).rejects.toThrow(
    "10007",
  )
})
