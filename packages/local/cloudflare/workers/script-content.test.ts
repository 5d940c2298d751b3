import { expect, test } from "vitest"
import * as z from "zod"

import { localCloudflare } from "../testing/local-cloudflare.ts"
import { createWorker } from "../testing/worker.ts"

const Versions = z.object({ result: z.object({ items: z.array(z.object({ id: z.string() })) }) })

const type = "application/javascript+module"

function code(answer: string): File {
  const text = `export default { fetch: (_, env) => new Response(${JSON.stringify(answer)} + env.WORD) }`
  return new File([text], "worker.js", { type })
}

test("the code of a script is downloaded, and replaced without its bindings", async () => {
  await using cloudflare = await localCloudflare()
  const { accountId: account_id } = cloudflare
  const bindings = [{ type: "plain_text" as const, name: "WORD", text: " world" }]
  const metadata = { main_module: "worker.js", compatibility_date: "2026-08-01", bindings }
  const path = `/accounts/${account_id}/workers/scripts/greeter`
  const put = async (to: string, settings: object, answer: string) => {
    const form = new FormData()
    form.append("metadata", JSON.stringify(settings))
    form.append("worker.js", code(answer))
    return (await cloudflare.request(to, { method: "PUT", body: form })).status
  }
  expect(await put(path, metadata, "hello")).toBe(200)
  const download = async () => {
    const form = await (await cloudflare.request(path)).formData()
    return await new Response(form.get("worker.js")).text()
  }
  expect(await download()).toContain("hello")

  expect(await put(`${path}/content`, { main_module: "worker.js" }, "goodbye")).toBe(200)
  expect(await download()).toContain("goodbye")
  const listed = await (await cloudflare.request(`${path}/versions`)).json()
  const { items } = Versions.parse(listed).result
  const live = await cloudflare.request(`${path}/deployments`)
  const deployed = [{ version_id: items[0]?.id, percentage: 100 }]
  expect(await live.json()).toMatchObject({ result: { deployments: [{ versions: deployed }, {}] } })
  const found = await cloudflare.request(`${path}/versions/${items[0]?.id}`)
  expect(await found.json()).toMatchObject({ result: { resources: { bindings } } })

  const unnamed = new FormData()
  unnamed.append("worker.js", code("lost"))
  const refused = await cloudflare.request(`${path}/content`, { method: "PUT", body: unnamed })
  expect(await refused.json()).toMatchObject({
    errors: [{ message: expect.stringContaining("main module") }],
  })
  const gone = await cloudflare.request(path.replace("greeter", "nobody"))
  expect(await gone.json()).toMatchObject({ errors: [{ code: 10_007 }] })
})

test("scripts are searched by a part of their name or by their id, page by page", async () => {
  await using cloudflare = await localCloudflare()
  const { accountId: account_id } = cloudflare
  const client = await cloudflare.client()
  const ids: Record<string, string> = {}
  for (const name of ["shop-b", "shop-a", "blog"]) {
    ids[name] = (await createWorker(client, account_id, name)).id
  }
  const search = async (query: Record<string, string | number>) => {
    const found = await client.workers.scripts.search({ account_id, ...query })
    return found.map(({ script_name }) => script_name)
  }
  expect(await search({ name: "shop" })).toEqual(["shop-a", "shop-b"])
  expect(await search({ id: ids["blog"] ?? "" })).toEqual(["blog"])
  expect(await search({ order_by: "created_on", per_page: 2, page: 2 })).toEqual(["blog"])
})

test("the account's workers.dev name can go and come back", async () => {
  await using cloudflare = await localCloudflare()
  const { accountId: account_id } = cloudflare
  const client = await cloudflare.client()
  const { subdomain } = await client.workers.subdomains.get({ account_id })
  await client.workers.subdomains.delete({ account_id })
  await expect(client.workers.subdomains.get({ account_id })).rejects.toThrow(/404.*10007/s)
  await client.workers.subdomains.update({ account_id, subdomain })
  expect(await client.workers.subdomains.get({ account_id })).toEqual({ subdomain })
})
