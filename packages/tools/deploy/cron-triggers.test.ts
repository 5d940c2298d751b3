import { expect, test } from "vitest"
import * as z from "zod"

import { startProviderUnderTest } from "./testing/provider-under-test.ts"
import { setUpWorker } from "./testing/worker-under-test.ts"

const underTest = await startProviderUnderTest()
const { cloudflare, proxy, provider, account } = underTest
const { accountId } = cloudflare

const Schedules = z.object({ schedules: z.array(z.object({ cron: z.string() })) })

/** A Worker with traffic: Cloudflare may know no other as a script. */
async function setUp() {
  const worker = await setUpWorker(underTest, "well")
  await worker.deploy({ [worker.first]: 100 })
  return worker
}

async function cronsOf(scriptName: string) {
  const answer = await account.call("GET", `/workers/scripts/${scriptName}/schedules`)
  return Schedules.parse(answer).schedules.map(({ cron }) => cron)
}

async function setCrons(scriptName: string, ...crons: string[]) {
  const schedules = crons.map((cron) => ({ cron }))
  await account.call("PUT", `/workers/scripts/${scriptName}/schedules`, schedules)
}

test("a cron that was changed or removed by hand shows as a change of the crons, and is restored", async () => {
  const { scriptName } = await setUp()
  const inputs = { accountId, scriptName, crons: ["23 * * * *", "0 4 * * *"] }
  const state = { ...(await provider.create("CronTriggers", inputs)), inputs }
  expect(new Set(await cronsOf(scriptName))).toEqual(new Set(inputs.crons))
  expect(await provider.read("CronTriggers", state)).toEqual(state)

  for (const foreign of [[], ["0 0 * * *"], ["23 * * * *"], ["0 5 * * *", "23 * * * *"]]) {
    await setCrons(scriptName, ...foreign)
    const freshState = await provider.read("CronTriggers", state)
    expect(freshState?.outputs).toEqual({ ...inputs, crons: foreign })
    const change = { id: state.id, olds: freshState?.outputs ?? {}, oldInputs: inputs, inputs }
    expect(await provider.diff("CronTriggers", change)).toMatchObject({
      paths: ["crons"],
      replaces: [],
    })
    expect(await provider.update("CronTriggers", change)).toEqual(inputs)
    expect(new Set(await cronsOf(scriptName))).toEqual(new Set(inputs.crons))
  }
})

test("crons that Cloudflare lists in another order are the same", async () => {
  const { scriptName } = await setUp()
  const inputs = { accountId, scriptName, crons: ["0 4 * * *", "23 * * * *"] }
  const state = { ...(await provider.create("CronTriggers", inputs)), inputs }
  await setCrons(scriptName, ...inputs.crons.toReversed())
  expect(await provider.read("CronTriggers", state)).toEqual(state)
  const turned = { ...inputs, crons: inputs.crons.toReversed() }
  const change = { olds: state.outputs, oldInputs: inputs, inputs: turned }
  expect((await provider.diff("CronTriggers", change)).changes).toBe(false)
})

test("crons are gone with their Worker, and with nothing else", async () => {
  const { scriptName } = await setUp()
  const inputs = { accountId, scriptName, crons: ["23 * * * *"] }
  const state = { ...(await provider.create("CronTriggers", inputs)), inputs }
  proxy.inject({ method: "GET", path: /schedules/, fault: "403 before" })
  await expect(provider.read("CronTriggers", state)).rejects.toThrow("403")
  await account.call("DELETE", `/workers/workers/${scriptName}`)
  expect(await provider.read("CronTriggers", state)).toBeUndefined()
})

test("crons whose answer was lost are written again", async () => {
  const { scriptName } = await setUp()
  proxy.inject({ method: "PUT", path: /schedules/, fault: "drop after" })
  await provider.create("CronTriggers", { accountId, scriptName, crons: ["23 * * * *"] })
  expect(await cronsOf(scriptName)).toEqual(["23 * * * *"])
})
