import { afterAll, expect, test } from "vitest"
import * as z from "zod"

import { openAccount } from "../testing/account.ts"
import { startLocalCloudflare } from "../testing/local-cloudflare.ts"
import { startProviderHere } from "../testing/provider-here.ts"
import { setUpService, smokeKey } from "../testing/service-under-test.ts"

const cloudflare = await startLocalCloudflare()
const provider = await startProviderHere({ baseUrl: cloudflare.api, token: cloudflare.token })
const account = openAccount(cloudflare)
afterAll(async () => {
  await provider[Symbol.asyncDispose]()
  await cloudflare[Symbol.asyncDispose]()
})

const scriptName = "service"
const service = await setUpService(account, scriptName)
const first = await service.createVersion()

function inputs(versionId: string) {
  const smoke = { key: smokeKey, origin: service.url }
  const { accountId, edge: connectTo } = cloudflare
  return { accountId, scriptName, versionId, url: service.url, connectTo, steps: [100], smoke }
}

const { id, outputs } = await provider.create("Release", inputs(first))

async function countSignUps(): Promise<number> {
  const path = "/local/log?kind=request&method=POST&path=/api/auth/sign-up/email&limit=1000"
  return z.object({ entries: z.array(z.unknown()) }).parse(await cloudflare.local(path)).entries
    .length
}

test("machines that still have the old version delay a release, and cost it no second account", async () => {
  const next = await service.createVersion()
  await cloudflare.local("/local/settings", { machines: { count: 8, spreadMs: 6000, seed: 3 } })
  const change = { id, olds: outputs, oldInputs: inputs(first), inputs: inputs(next) }
  const begun = provider.log.length
  const released = await provider.update("Release", change, { timeout: 60 })
  expect(released).toMatchObject({ versionId: next })
  const log = provider.log.slice(begun)
  expect(log.filter((line) => line.startsWith("a smoke-test account signed up"))).toHaveLength(1)
  expect(await service.users()).toEqual([])
  expect(await countSignUps()).toBe(1)
})
