import { expect, test } from "vitest"

import { localCloudflare } from "../testing/local-cloudflare.ts"

test("the code of a script is downloaded", async () => {
  await using cloudflare = await localCloudflare()
  const path = `/accounts/${cloudflare.accountId}/workers/scripts/greeter`
  const form = new FormData()
  form.append("metadata", JSON.stringify({ main_module: "worker.js" }))
  const source = "export default { fetch: () => new Response('hello') }"
  form.append(
    "worker.js",
    new File([source], "worker.js", { type: "application/javascript+module" }),
  )
  expect((await cloudflare.request(path, { method: "PUT", body: form })).status).toBe(200)
  const downloaded = await (await cloudflare.request(path)).formData()
  expect(await new Response(downloaded.get("worker.js")).text()).toBe(source)

  const gone = await cloudflare.request(path.replace("greeter", "nobody"))
  expect(await gone.json()).toMatchObject({ errors: [{ code: 10_007 }] })
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
