import { readFile, readdir, stat } from "node:fs/promises"
import { join } from "node:path"

import { expect, test, vi } from "vitest"

import { temporaryDirectory } from "../../../daemon/testing/temporary-directory.ts"
import { localCloudflare, localCloudflareProcess } from "../../testing/local-cloudflare.ts"
import { createWorker, deployVersion, uploadVersion } from "../../testing/worker.ts"
import { readRoutes } from "./coverage.ts"
import { Exchange } from "./exchange.ts"

function recordTo(directory: string) {
  vi.stubEnv("LOCAL_CLOUDFLARE_EXCHANGES", directory)
  return { [Symbol.dispose]: () => void vi.unstubAllEnvs() }
}

async function recording(directory: string): Promise<Exchange[]> {
  const exchanges: Exchange[] = []
  for (const file of await readdir(directory)) {
    if (file === "routes.json") continue
    const path = join(directory, file)
    expect((await stat(path)).mode & 0o777).toBe(0o600)
    const lines = (await readFile(path, "utf8")).split("\n").filter((line) => line !== "")
    exchanges.push(...lines.map((line) => Exchange.parse(JSON.parse(line))))
  }
  return exchanges
}

test("every exchange is recorded before its response is sent, and nothing else is", async () => {
  await using directory = await temporaryDirectory()
  using _recording = recordTo(directory.path)
  await using cloudflare = await localCloudflareProcess()
  const client = await cloudflare.client()
  const { accountId } = cloudflare
  const { uuid = "" } = await client.d1.database.create({ account_id: accountId, name: "notes" })
  const sql = `SELECT '${"a".repeat(5000)}'`
  await client.d1.database.query(uuid, { account_id: accountId, sql })
  const worker = await createWorker(client, accountId, "recorded")
  const version = await uploadVersion(client, { accountId, workerId: worker.id })
  await deployVersion(client, { accountId, script: "recorded", versionId: version.id })

  const form = new FormData()
  form.set("metadata", JSON.stringify({ main_module: "worker.js" }))
  const type = "application/javascript+module"
  form.set("worker.js", new File(["export default { fetch() {} }"], "worker.js", { type }))
  const script = `/accounts/${accountId}/workers/scripts/recorded/versions?bindings_inherit=strict`
  expect((await cloudflare.request(script, { method: "POST", body: form })).status).toBe(501)
  await cloudflare.request("/nowhere", { headers: { authorization: "Bearer wrong" } })
  await cloudflare.request("/../../local/status")
  const preflight = { origin: "https://a.test", "access-control-request-method": "POST" }
  await cloudflare.request("/nowhere", { method: "OPTIONS", headers: preflight })
  await cloudflare.restart("SIGKILL")

  const exchanges = await recording(directory.path)
  expect(exchanges.map(({ method, path, status }) => [method, path, status])).toEqual([
    ["POST", `/client/v4/accounts/${accountId}/d1/database`, 200],
    ["POST", `/client/v4/accounts/${accountId}/d1/database/${uuid}/query`, 200],
    ["POST", `/client/v4/accounts/${accountId}/workers/workers`, 200],
    ["POST", `/client/v4/accounts/${accountId}/workers/workers/${worker.id}/versions`, 200],
    ["POST", `/client/v4/accounts/${accountId}/workers/scripts/recorded/deployments`, 200],
    ["POST", `/client/v4/accounts/${accountId}/workers/scripts/recorded/versions`, 501],
    ["GET", "/client/v4/nowhere", 403],
  ])
  const routes = readRoutes(directory.path)
  expect(routes).toContainEqual({ method: "PUT", path: "/accounts/{}/d1/database/{}" })
  expect(routes.filter(({ method, path }) => method === "ALL" || /[:*]/.test(path))).toEqual([])

  expect(exchanges[0]).toMatchObject({
    userAgent: expect.stringMatching(/^Cloudflare\/JS /),
    query: [],
    request: { type: "application/json", json: { name: "notes" } },
    response: { json: { success: true, result: { name: "notes" } } },
  })
  expect(exchanges[1]).toMatchObject({ request: { json: { sql: sql.slice(0, 4096) } } })
  expect(exchanges[5]).toMatchObject({
    query: [["bindings_inherit", "strict"]],
    request: {
      parts: [
        { name: "metadata", content: { json: { main_module: "worker.js" } } },
        { name: "worker.js", filename: "worker.js", content: { type, bytes: 29 } },
      ],
    },
  })
})

test("without a directory nothing is recorded", async () => {
  await using directory = await temporaryDirectory()
  using _recording = recordTo("")
  await using cloudflare = await localCloudflare()
  expect((await cloudflare.request("/zones")).status).toBe(200)
  expect(await readdir(directory.path)).toEqual([])
})
