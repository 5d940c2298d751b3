import { expect, test } from "vitest"
import * as z from "zod"

import { startProviderUnderTest } from "../testing/provider-under-test.ts"
import { setUpService, smokeKey } from "../testing/service-under-test.ts"

const { cloudflare, provider, account } = await startProviderUnderTest()

const scriptName = "service"
const service = await setUpService(account, scriptName)
const first = await service.createVersion()

function inputs(versionId: string) {
  const smoke = { key: smokeKey, origin: service.url }
  const { accountId, edge: connectTo } = cloudflare
  return { accountId, scriptName, versionId, url: service.url, connectTo, steps: [100], smoke }
}

const { id, outputs } = await provider.create("Release", inputs(first))

const Log = z.object({ entries: z.array(z.object({ method: z.string(), path: z.string() })) })

async function countSignUps(): Promise<number> {
  const { entries } = Log.parse(await cloudflare.local("/local/log?kind=request&limit=1000"))
  const signUp = ({ method, path }: (typeof entries)[number]) =>
    method === "POST" && path === "/api/auth/sign-up/email"
  return entries.filter(signUp).length
}

test("machines that still have the old version delay a release, and cost it no second account", async () => {
  const next = await service.createVersion()
  await cloudflare.local("/local/settings", { machines: { count: 8, spreadMs: 6000, seed: 3 } })
  const change = { id, olds: outputs, oldInputs: inputs(first), inputs: inputs(next) }
  const logStart = provider.log.length
  const released = await provider.update("Release", change, { timeout: 60 })
  expect(released).toMatchObject({ versionId: next })
  const log = provider.log.slice(logStart)
  expect(log.filter((line) => line.startsWith("a smoke-test account signed up"))).toHaveLength(1)
  expect(await service.users()).toEqual([])
  expect(await countSignUps()).toBe(1)
})
