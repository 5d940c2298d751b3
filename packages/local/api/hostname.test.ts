import { expect, test } from "vitest"

import { localCloudflare } from "../cloudflare/testing/local-cloudflare.ts"
import { createWorker } from "../cloudflare/testing/worker.ts"

test("hostnames and routes belong to one Worker and to one of the account's zones", async () => {
  await using cloudflare = await localCloudflare()
  const { accountId: account_id } = cloudflare
  const client = await cloudflare.client()
  for (const name of ["mine", "yours"]) await createWorker(client, account_id, name)
  const attach = (hostname: string, service: string) =>
    client.workers.domains.update({ account_id, hostname, service })

  const domain = await attach("host.accounts.test", "mine")
  expect(await attach("host.accounts.test", "mine")).toEqual(domain)
  expect(await client.workers.domains.get(domain.id, { account_id })).toEqual(domain)
  await expect(attach("host.accounts.test", "yours")).rejects.toThrow(
    /^409 .*100116.*already in use by other custom domain.*'override_existing_origin'/,
  )
  await expect(attach("host.elsewhere.test", "mine")).rejects.toThrow("is not in the zone")
  await expect(attach("other.accounts.test", "missing")).rejects.toThrow("10007")
  const moved = await cloudflare.request(`/accounts/${account_id}/workers/domains`, {
    method: "PUT",
    body: JSON.stringify({
      hostname: "host.accounts.test",
      service: "yours",
      override_existing_origin: true,
    }),
  })
  expect(await moved.json()).toMatchObject({ result: { id: domain.id, service: "yours" } })
  await client.workers.domains.delete(domain.id, { account_id })
  await expect(client.workers.domains.get(domain.id, { account_id })).rejects.toThrow("100114")

  const { zone_id } = domain
  const pattern = "*.accounts.test/api/*"
  const route = await client.workers.routes.create({ zone_id, pattern, script: "mine" })
  await expect(client.workers.routes.create({ zone_id, pattern, script: "yours" })).rejects.toThrow(
    /10020.*'mine'/,
  )
  await expect(
    client.workers.routes.create({ zone_id, pattern: "elsewhere.test/*", script: "mine" }),
  ).rejects.toThrow("10022")
  await client.workers.routes.update(route.id, { zone_id, pattern, script: "yours" })
  expect(await client.workers.routes.get(route.id, { zone_id })).toMatchObject({ script: "yours" })
})

test("a custom domain is refused where other DNS records are, unless it overrides them", async () => {
  await using cloudflare = await localCloudflare()
  const { accountId: account_id } = cloudflare
  const client = await cloudflare.client()
  await createWorker(client, account_id, "wanting")
  const hostname = "taken.accounts.test"
  const zone_id = "7a6f6e656163636f756e747300000001"
  const record = {
    zone_id,
    name: hostname,
    type: "A" as const,
    content: "192.0.2.1",
    ttl: 1 as const,
  }
  await client.dns.records.create(record)
  await client.dns.records.create({ ...record, type: "TXT", content: '"kept"' })
  const attach = (more: Record<string, unknown> = {}) =>
    cloudflare.request(`/accounts/${account_id}/workers/domains`, {
      method: "PUT",
      body: JSON.stringify({ hostname, service: "wanting", ...more }),
    })
  const records = async () => {
    const all = await Array.fromAsync(
      client.dns.records.list({ zone_id, name: { exact: hostname } }),
    )
    return all.map(({ type, content, meta }) => ({ type, content, meta }))
  }

  const refused = await attach()
  expect(refused.status).toBe(409)
  expect(await refused.json()).toMatchObject({
    errors: [
      {
        code: 100_117,
        message: `Hostname '${hostname}' already has externally managed DNS records (A, CNAME, etc). Either delete them, try a different hostname, or use the option 'override_existing_dns_record' to override.`,
      },
    ],
  })
  expect(await records()).toHaveLength(2)

  expect((await attach({ override_existing_dns_record: true })).status).toBe(200)
  const managed = {
    type: "AAAA",
    content: "100::",
    meta: { origin_worker_id: "wanting", read_only: true },
  }
  expect(await records()).toEqual([managed, { type: "TXT", content: '"kept"', meta: {} }])
  await expect(client.dns.records.create(record)).rejects.toThrow("81062")

  await client.workers.beta.workers.delete("wanting", { account_id })
  expect(await records()).toEqual([{ type: "TXT", content: '"kept"', meta: {} }])
  await client.dns.records.create(record)
})
