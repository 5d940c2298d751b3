import { expect, test } from "vitest"

import { localCloudflare } from "../testing/process.ts"
import { createWorker } from "../testing/worker.ts"

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
  await expect(attach("host.accounts.test", "yours")).rejects.toThrow(/^409 .*100116.*'mine'/)
  await expect(attach("host.elsewhere.test", "mine")).rejects.toThrow("100117")
  await expect(attach("other.accounts.test", "missing")).rejects.toThrow("10007")
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
  ).rejects.toThrow("100117")
  await client.workers.routes.update(route.id, { zone_id, pattern, script: "yours" })
  expect(await client.workers.routes.get(route.id, { zone_id })).toMatchObject({ script: "yours" })
})
