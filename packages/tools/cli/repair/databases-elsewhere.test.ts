import { expect, test } from "vitest"

import { createApi } from "../../deploy/api.ts"
import { startProviderUnderTest } from "../../deploy/testing/provider-under-test.ts"
import { databasesElsewhere } from "./repair.ts"

const { cloudflare, proxy, account } = await startProviderUnderTest()
const { accountId } = cloudflare

test("each version with traffic keeps rows in the database that is taken over, or its own is named", async () => {
  const api = createApi({ baseUrl: proxy.url, token: cloudflare.token, pause: async () => {} })
  const [own, spare] = [await account.createDatabase("own"), await account.createDatabase("spare")]
  const workerId = await account.createWorker("shop")
  const version = (...ids: string[]) =>
    account.createVersion(
      workerId,
      "well",
      ids.map((database_id, index) => ({ type: "d1", name: `DB${index}`, database_id })),
    )
  const [both, other, none] = [await version(own, spare), await version(spare), await version()]
  const elsewhere = (databaseId?: string) =>
    databasesElsewhere({ api, accountId, scriptName: "shop" }, databaseId)
  expect(await elsewhere(own)).toEqual([])
  await account.deploy("shop", { [both]: 100, [other]: 0 })
  expect(await elsewhere(own)).toEqual([])
  expect(await elsewhere()).toEqual([`${own} (DB0)`, `${spare} (DB1)`])
  await account.deploy("shop", { [both]: 10, [other]: 90 })
  expect(await elsewhere(own)).toEqual([`${spare} (DB0)`])
  await account.deploy("shop", { [both]: 10, [none]: 90 })
  expect(await elsewhere(own)).toEqual([])
})
