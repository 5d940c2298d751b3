import { expect, test } from "vitest"

import { localCloudflare } from "../cloudflare/testing/local-cloudflare.ts"

test("a client finds its token and the account's name under workers.dev, which a setting takes away", async () => {
  await using cloudflare = await localCloudflare()
  const { accountId: account_id } = cloudflare
  const client = await cloudflare.client()
  expect(await client.user.tokens.verify()).toMatchObject({ status: "active" })
  expect(await client.workers.subdomains.get({ account_id })).toEqual({
    subdomain: "accounts-local",
  })
  await cloudflare.local("/local/settings", { subdomain: null })
  await expect(client.workers.subdomains.get({ account_id })).rejects.toThrow(/404.*10007/s)
})
