import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

import { afterAll, expect, test } from "vitest"
import { stringify } from "yaml"

import { startProviderUnderTest } from "../../provider/testing/provider-under-test.ts"
import { findLeftovers } from "./leftovers.ts"

const underTest = await startProviderUnderTest()
const { cloudflare, proxy, account } = underTest
afterAll(() => underTest[Symbol.asyncDispose]())

test("a route is found without looking up the zone that the stack file names by its id", async () => {
  const directory = mkdtempSync(join(tmpdir(), "leftovers-"))
  const stackFile = join(directory, "Pulumi.preview-left.yaml")
  const config = {
    "cloudflare:baseUrl": cloudflare.api,
    "accounts:environment": "preview",
    "accounts:accountId": cloudflare.accountId,
    "accounts:zone": "accounts.test",
    "accounts:zoneId": "7a6f6e656163636f756e747300000001",
    "accounts:apiOrigin": "https://left.accounts.test",
    "accounts:webOrigin": "https://left.accounts.test",
    "accounts:attach": "route",
  }
  const name = "accounts-preview-left"
  await account.createWorker(name)
  await account.addRoute(name, "left.accounts.test/*")
  using _refused = proxy.injectAll([
    { method: "GET", path: /\/zones\?/, fault: "403 before", times: 9 },
  ])
  try {
    writeFileSync(stackFile, stringify({ config }))
    const api = { baseUrl: proxy.url, token: cloudflare.token }
    expect(await findLeftovers("preview-left", { stackFile, api })).toEqual([
      `Worker ${name}`,
      "route left.accounts.test/*",
    ])
  } finally {
    rmSync(directory, { recursive: true })
  }
})
