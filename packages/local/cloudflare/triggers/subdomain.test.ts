import { expect, test } from "vitest"

import { localCloudflare } from "../testing/local-cloudflare.ts"

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
