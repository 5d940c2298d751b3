import { expect, test } from "vitest"

import { askEdge } from "../cloudflare/testing/ask-edge.ts"
import { localCloudflare } from "../cloudflare/testing/local-cloudflare.ts"
import { createWorker, deployVersion, uploadVersion } from "../cloudflare/testing/worker.ts"

const zone_id = "7a6f6e656163636f756e747300000001"

test("a route without a Worker turns Workers off for its path, however it lost its Worker", async () => {
  await using cloudflare = await localCloudflare()
  const { accountId } = cloudflare
  const client = await cloudflare.client()
  const worker = await createWorker(client, accountId, "routed")
  const { id } = await uploadVersion(client, { workerId: worker.id, accountId })
  await deployVersion(client, { accountId, script: "routed", versionId: id })
  const everywhere = await client.workers.routes.create({
    zone_id,
    pattern: "*.accounts.test/*",
    script: "routed",
  })
  const narrow = "www.accounts.test/static/*"
  const route = await client.workers.routes.create({ zone_id, pattern: narrow, script: "routed" })
  const ask = async (path: string) =>
    (await askEdge(cloudflare.edge, "www.accounts.test", path)).status
  expect([await ask("/static/x"), await ask("/")]).toEqual([200, 200])

  const put = (body: unknown) =>
    cloudflare.request(`/zones/${zone_id}/workers/routes/${route.id}`, {
      method: "PUT",
      body: JSON.stringify(body),
    })
  for (const body of [{ pattern: narrow, script: null }, { pattern: narrow }]) {
    await client.workers.routes.update(route.id, { zone_id, pattern: narrow, script: "routed" })
    expect(await ask("/static/x")).toBe(200)
    expect(await (await put(body)).json()).toMatchObject({ result: { pattern: narrow } })
    expect([await ask("/static/x"), await ask("/")]).toEqual([404, 200])
    expect(await client.workers.routes.get(route.id, { zone_id })).toEqual({
      id: route.id,
      pattern: narrow,
    })
  }
  expect(await (await put({ pattern: narrow, script: "missing" })).json()).toMatchObject({
    errors: [{ code: 10007 }],
  })
  await client.workers.routes.delete(route.id, { zone_id })
  expect(await ask("/static/x")).toBe(200)
  await client.workers.routes.delete(everywhere.id, { zone_id })
  expect(await ask("/")).toBe(404)
})

test("a route pattern that Cloudflare does not understand is refused with its own text", async () => {
  await using cloudflare = await localCloudflare()
  const { accountId } = cloudflare
  const client = await cloudflare.client()
  await createWorker(client, accountId, "routed")
  const wildcards =
    "may only contain wildcards at the beginning of the hostname and the end of the path"
  const refused = {
    "a.accounts.test/*/y": wildcards,
    "a.accounts.test/*.jpg": wildcards,
    "a.*.accounts.test/": wildcards,
    "a.accounts.test*": wildcards,
    "a.accounts.test/?a=*": "should not have query parameters",
    "a.accounts.test/#top": "Could not understand route pattern",
    "12 a.accounts.test/": "Could not understand route pattern",
    "": "pattern",
    "elsewhere.test/*": "must include zone name",
    "a.localhost/*": "must include zone name",
  }
  for (const [pattern, message] of Object.entries(refused)) {
    const creation = client.workers.routes.create({ zone_id, pattern, script: "routed" })
    await expect(creation).rejects.toThrow(message)
    if (pattern === "") continue
    await expect(creation).rejects.toThrow(/^400 .*10022/)
  }
  const accepted = [
    "*accounts.test/*",
    "https://*.accounts.test/a*",
    "a.accounts.test",
    "accounts.test/a",
  ]
  for (const pattern of accepted) {
    await client.workers.routes.create({ zone_id, pattern, script: "routed" })
  }
  expect(await Array.fromAsync(client.workers.routes.list({ zone_id }))).toHaveLength(4)
})
