import { writeFileSync } from "node:fs"
import { mkdtempDisposable } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"

import { expect, test } from "vitest"
import { stringify } from "yaml"

import { createApi } from "../../deploy/api.ts"
import { startProviderUnderTest } from "../../deploy/testing/provider-under-test.ts"
import {
  findLeftovers,
  findUnmanagedResources,
  type UnmanagedResource,
  readSubject,
} from "./unmanaged-resources.ts"

const { cloudflare, proxy, account } = await startProviderUnderTest()

const stack = "preview-left"
const name = `accounts-${stack}`
const hostname = "left.accounts.test"

const api = createApi({ baseUrl: proxy.url, token: cloudflare.token, pause: async () => {} })

/** The stack file of a preview, with changes. */
async function subject(changes: Record<string, unknown> = {}) {
  await using directory = await mkdtempDisposable(join(tmpdir(), "unmanaged-"))
  const stackFile = join(directory.path, `Pulumi.${stack}.yaml`)
  const config = {
    "cloudflare:baseUrl": cloudflare.api,
    "accounts:environment": "preview",
    "accounts:accountId": cloudflare.accountId,
    "accounts:zone": "accounts.test",
    "accounts:apiOrigin": `https://${hostname}`,
    "accounts:webOrigin": `https://${hostname}`,
    ...changes,
  }
  writeFileSync(stackFile, stringify({ config }))
  return readSubject({ stack, stackFile })
}

/** Leftovers of a preview that has a route. */
async function leftovers(changes: Record<string, unknown> = {}): Promise<string[]> {
  const unmanaged = await findLeftovers(
    await subject({ "accounts:attach": "route", ...changes }),
    api,
  )
  return unmanaged.map(({ label }) => label)
}

test("whatever has a stack's name is left, and nothing of another's", async () => {
  expect(await leftovers()).toEqual([])
  const databaseId = await account.createDatabase(name)
  await account.createDatabase(`${name}-2`)
  const workerId = await account.createWorker(name)
  await account.createWorker(`${name}-2`)
  await account.setRoutes(name, `${hostname}/*`)
  await account.setRoutes(`${name}-2`, "other.accounts.test/x/*")
  await account.attachDomain(name, "host.accounts.test")
  expect(await leftovers()).toEqual([
    `database ${name} (${databaseId})`,
    `Worker ${name} (${workerId})`,
    expect.stringMatching(/^host host\.accounts\.test \([0-9a-f-]+\)$/),
    expect.stringMatching(/^route left\.accounts\.test\/\* \([0-9a-f-]+\)$/),
  ])
})

test("a route is found without looking up the zone that the stack file names by its id", async () => {
  using _refused = proxy.injectAll([
    { method: "GET", path: /\/zones\?/, fault: "403 before", times: 9 },
  ])
  const labels = await leftovers({ "accounts:zoneId": "7a6f6e656163636f756e747300000001" })
  expect(labels.join()).toContain(`route ${hostname}/*`)
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

function summary({ kind, declared, leadsTo }: UnmanagedResource) {
  return { kind, importId: declared?.importId, suffix: declared?.suffix, leadsTo }
}

test("what the stack file declares is found with its place in the program, what it does not without", async () => {
  const unmanaged = await findUnmanagedResources(
    await subject({ "accounts:routes": ["other.accounts.test/x/*"], "accounts:protect": true }),
    { api, allRoutes: true },
  )
  const zone = expect.stringMatching(/^7a6f6e65\w+\/\w+$/)
  expect(unmanaged.map(summary)).toEqual([
    { kind: "database", importId: expect.stringContaining("/"), suffix: "" },
    { kind: "Worker", importId: expect.stringContaining("/"), suffix: "" },
    { kind: "host" },
    { kind: "route" },
    { kind: "route", importId: zone, suffix: "-other.accounts.test/x/*", leadsTo: `${name}-2` },
  ])
  expect(unmanaged.map(({ declared }) => declared?.protect)).toEqual([
    true,
    true,
    undefined,
    undefined,
    // Only the route of the host is as good as a host.
    false,
  ])
})

test("the host of the stack file is found, whichever Worker has it", async () => {
  await account.attachDomain(`${name}-2`, hostname)
  const unmanaged = await findUnmanagedResources(await subject(), { api, allRoutes: false })
  expect(unmanaged.map(summary)).toContainEqual({
    kind: "host",
    importId: expect.stringMatching(new RegExp(`^${cloudflare.accountId}/[0-9a-f-]+$`)),
    suffix: `-${hostname}`,
    leadsTo: `${name}-2`,
  })
  expect(unmanaged.filter(({ kind }) => kind === "route")).toEqual([])
})
