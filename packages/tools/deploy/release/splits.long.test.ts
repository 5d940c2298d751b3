import { expect, test } from "vitest"

import type { Behaviour } from "../testing/account.ts"
import { startProviderUnderTest } from "../testing/provider-under-test.ts"
import { trialTimeout } from "../testing/worker-under-test.ts"

const { provider, setUpWorker } = await startProviderUnderTest()

type Shares = Record<string, number>

/** A Worker whose first version was released, before somebody else split its traffic. */
async function setUp(...behaviours: Behaviour[]) {
  const worker = await setUpWorker(...behaviours)
  const inputs = worker.inputs(worker.first)
  const { id, outputs } = await provider.create("Release", inputs)
  return {
    ...worker,
    /** As `up` does it: reads what is live first. */
    async release(versionId: string, more: object = {}) {
      const found = await provider.read("Release", { id, outputs, inputs })
      const { outputs: olds = {}, inputs: oldInputs = {} } = found ?? {}
      const change = { id, olds, oldInputs, inputs: { ...worker.inputs(versionId), ...more } }
      return await provider.update("Release", change, { timeout: trialTimeout * 2 })
    },
    /** Since the split, the oldest first. */
    async since(split: Shares) {
      const all = (await worker.shares()).toReversed()
      return all.slice(all.findIndex((one) => JSON.stringify(one) === JSON.stringify(split)) + 1)
    },
  }
}

const unreachable = { connectTo: "http://127.0.0.1:9" }

test.concurrent("a failing release of the version with 90 % gives none to the one with 10 %", async () => {
  const worker = await setUp("well", "sick")
  const split = { [worker.first]: 90, [worker.second]: 10 }
  await worker.deploy(split, "canary by hand")
  const release = worker.release(worker.first, unreachable)
  await expect(release).rejects.toThrow(
    /Nothing was changed: live is .* at \d+ % and .* at \d+ %, .*canary by hand/s,
  )
  expect((await worker.shares())[0]).toEqual(split)
  expect(await worker.deployments()).toHaveLength(2)
})

test.concurrent("a failing release of the version that serves alone brings no former one back", async () => {
  const worker = await setUp("sick", "well")
  await worker.deploy({ [worker.second]: 100 }, "back to the stable one")
  await expect(worker.release(worker.second, unreachable)).rejects.toThrow("Nothing was changed")
  expect(await worker.shares()).toEqual([{ [worker.second]: 100 }, { [worker.first]: 100 }])
})

test.concurrent("a third version is released although a killed run left a split", async () => {
  const worker = await setUp("well", "sick", "well")
  const [first, fix] = [worker.first, worker.third]
  const split = { [first]: 90, [worker.second]: 10 }
  await worker.deploy(split)
  await worker.release(fix, { steps: [10, 100] })
  expect(await worker.since(split)).toEqual([
    { [first]: 100, [fix]: 0 },
    { [first]: 90, [fix]: 10 },
    { [fix]: 100 },
  ])
})

test.concurrent("a third version that fails its trial gets no traffic, and the split is restored as found", async () => {
  const worker = await setUp("well", "well", "sick")
  const split = { [worker.first]: 70, [worker.second]: 30 }
  await worker.deploy(split)
  await expect(worker.release(worker.third)).rejects.toThrow(
    /answered 500.* at \d+ % and .* at \d+ % serve again as before, and version .* is healthy/s,
  )
  expect(await worker.since(split)).toEqual([{ [worker.first]: 100, [worker.third]: 0 }, split])
})

test.concurrent("the canary is released from the step that it has reached, and its split restored", async () => {
  const worker = await setUp("well", "sick in time")
  const split = { [worker.first]: 50, [worker.second]: 50 }
  await worker.deploy(split)
  const release = worker.release(worker.second, { steps: [10, 50, 75, 100], bake: 600 })
  await expect(release).rejects.toThrow(/answered 500/)
  expect(await worker.since(split)).toEqual([])
  await worker.release(worker.first, { steps: [10, 100] })
  expect(await worker.since(split)).toEqual([{ [worker.first]: 100 }])
})

test.concurrent("what a killed trial left at 0 % is as it was after a failure", async () => {
  const worker = await setUp("well", "sick", "sick")
  const left = { [worker.first]: 100, [worker.second]: 0 }
  await worker.deploy(left)
  await expect(worker.release(worker.second)).rejects.toThrow("Nothing was changed")
  await expect(worker.release(worker.third)).rejects.toThrow("serves again at 100 %")
  expect((await worker.shares())[0]).toEqual(left)
})

test.concurrent("of two versions with half each, the one that had more before has all during a trial", async () => {
  const worker = await setUp("well", "well", "sick")
  const [first, second] = [worker.first, worker.second]
  await worker.deploy({ [second]: 10, [first]: 90 })
  const halves = { [second]: 50, [first]: 50 }
  await worker.deploy(halves)
  await expect(worker.release(worker.third)).rejects.toThrow("serve again")
  expect(await worker.since(halves)).toEqual([{ [first]: 100, [worker.third]: 0 }, halves])
})

test.concurrent("a split is restored over a secret that its version had changed", async () => {
  const worker = await setUp("well")
  const [before, after] = [await worker.rotate("well", "one"), await worker.rotate("well", "two")]
  const third = await worker.rotate("sick", "three")
  const split = { [after]: 60, [before]: 40 }
  await worker.deploy({ [before]: 100 })
  await worker.deploy(split)
  await expect(worker.release(third)).rejects.toThrow(
    /those of those versions: ROTATED|serve again/,
  )
  expect((await worker.shares())[0]).toEqual(split)
})

test("somebody who ends the split meanwhile has the last word", async () => {
  const worker = await setUp("well", "well", "sick")
  const split = { [worker.first]: 90, [worker.second]: 10 }
  await worker.deploy(split)
  const ended = worker.release(worker.third).catch(String)
  await expect.poll(worker.shares).toHaveLength(3)
  await worker.deploy({ [worker.second]: 100 }, "the canary is fine")
  expect(await ended).toContain(`stays: live is ${worker.second} at 100 %`)
  expect((await worker.shares())[0]).toEqual({ [worker.second]: 100 })
})
