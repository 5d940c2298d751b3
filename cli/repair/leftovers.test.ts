import { writeFileSync } from "node:fs"
import { mkdtempDisposable } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"

import { afterAll, expect, test } from "vitest"
import { stringify } from "yaml"

import { createApi } from "../../provider/api.ts"
import { startProviderUnderTest } from "../../provider/testing/provider-under-test.ts"
import { findLeftovers } from "./leftovers.ts"

const underTest = await startProviderUnderTest()
const { cloudflare, proxy, account } = underTest
afterAll(() => underTest[Symbol.asyncDispose]())

const stack = "preview-left"
const name = `accounts-${stack}`
const hostname = "left.accounts.test"

/** What is left, by the stack file of a preview in a route's zone. */
async function leftovers(changes: Record<string, unknown> = {}): Promise<string[]> {
  await using directory = await mkdtempDisposable(join(tmpdir(), "leftovers-"))
  const stackFile = join(directory.path, `Pulumi.${stack}.yaml`)
  const config = {
    "cloudflare:baseUrl": cloudflare.api,
    "accounts:environment": "preview",
    "accounts:accountId": cloudflare.accountId,
    "accounts:zone": "accounts.test",
    "accounts:apiOrigin": `https://${hostname}`,
    "accounts:webOrigin": `https://${hostname}`,
    "accounts:attach": "route",
    ...changes,
  }
  writeFileSync(stackFile, stringify({ config }))
  const pause = async () => {}
  const api = createApi({ baseUrl: proxy.url, token: cloudflare.token, pause })
  return await findLeftovers(stack, { stackFile, api })
}

test("whatever has a stack's name is left, and nothing of another's", async () => {
  expect(await leftovers()).toEqual([])
  const databaseId = await account.createDatabase(name)
  await account.createDatabase(`${name}-2`)
  await account.createWorker(name)
  await account.createWorker(`${name}-2`)
  await account.addRoute(name, `${hostname}/*`)
  await account.addRoute(`${name}-2`, "other.accounts.test/*")
  await account.attachDomain(name, "host.accounts.test")
  expect(await leftovers()).toEqual([
    `database ${name} (${databaseId})`,
    `Worker ${name}`,
    "host host.accounts.test",
    `route ${hostname}/*`,
  ])
})

test("a route is found without looking up the zone that the stack file names by its id", async () => {
  using _refused = proxy.injectAll([
    { method: "GET", path: /\/zones\?/, fault: "403 before", times: 9 },
  ])
  const found = await leftovers({ "accounts:zoneId": "7a6f6e656163636f756e747300000001" })
  expect(found).toContain(`route ${hostname}/*`)
})

test.each(["d1/database", "workers/workers", "workers/domains", "workers/routes", "zones?"])(
  "an answer to %s that is no list of Cloudflare's does not mean that nothing is left",
  async (list) => {
    const path = new RegExp(list.replace("?", "\\?"))
    for (const fault of ["page before", "cut before", "403 before"] as const) {
      using _page = proxy.injectAll([{ method: "GET", path, fault, times: 9 }])
      await expect(leftovers()).rejects.toThrow(/without a readable answer|403/)
    }
  },
)
