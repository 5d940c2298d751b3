import { expect, test } from "vitest"

import { createApi } from "../../deploy/api.ts"
import { startProviderUnderTest } from "../../deploy/testing/provider-under-test.ts"
import { databasesElsewhere } from "./repair.ts"

const { cloudflare, proxy, account } = await startProviderUnderTest()
const { accountId } = cloudflare

test("each version with traffic keeps rows in the database that is taken over, or its own is named", async () => {
  const api = createApi({ baseUrl: proxy.url, token: cloudflare.token, pause: async () => {} })
  const [ownDatabase, spare] = [
    await account.createDatabase("own"),
    await account.createDatabase("spare"),
  ]
  const workerId = await account.createWorker("shop")
  const version = (...ids: string[]) =>
    account.createVersion(
      workerId,
      "well",
      ids.map((database_id, index) => ({ type: "d1", name: `DB${index}`, database_id })),
    )
  const [withBoth, withSpare, withNone] = [
    await version(ownDatabase, spare),
    await version(spare),
    await version(),
  ]
  const elsewhere = (databaseId?: string) =>
    databasesElsewhere({ api, accountId, scriptName: "shop" }, databaseId)
  expect(await elsewhere(ownDatabase)).toEqual([])
  await account.deploy("shop", { [withBoth]: 100, [withSpare]: 0 })
  expect(await elsewhere(ownDatabase)).toEqual([])
  expect(await elsewhere()).toEqual([`${ownDatabase} (DB0)`, `${spare} (DB1)`])
  await account.deploy("shop", { [withBoth]: 10, [withSpare]: 90 })
  expect(await elsewhere(ownDatabase)).toEqual([`${spare} (DB0)`])
  await account.deploy("shop", { [withBoth]: 10, [withNone]: 90 })
  expect(await elsewhere(ownDatabase)).toEqual([])
})
