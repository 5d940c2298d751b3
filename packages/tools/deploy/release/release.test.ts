import { expect, test } from "vitest"

import { startProviderUnderTest } from "../testing/provider-under-test.ts"
import { trialTimeout } from "../testing/worker-under-test.ts"

const { proxy, setUpWorker } = await startProviderUnderTest()

function deploymentsPath(scriptName: string) {
  return new RegExp(`/scripts/${scriptName}/deployments$`)
}

// Most of them wait for a trial.
test.concurrent("the first release goes to 100 % without a trial, and names its author", async () => {
  const worker = await setUpWorker("sick")
  const { id, outputs } = await worker.create(worker.first)
  expect(id).toBe(worker.scriptName)
  expect(outputs).toMatchObject({ versionId: worker.first, deploymentId: expect.any(String) })
  const [live] = await worker.deployments()
  expect(live?.shares).toEqual({ [worker.first]: 100 })
  expect(live?.message).toMatch(/^[0-9a-f]{12}.* by .+/)
})

test.concurrent.each([
  ["behind", /needs the schema of 0002_c\.sql, but its database stands at 0001_b\.sql/],
  ["ahead", /was built for 0002_c\.sql, and a migration since, up to 0003_d\.sql, dropped/],
] as const)("a version at odds with its schema (%s) gets no traffic", async (behaviour, reason) => {
  const worker = await setUpWorker("well", behaviour)
  await expect(worker.update(worker.first, worker.second)).rejects.toThrow(reason)
  const shares = await worker.shares()
  expect(shares[0]).toEqual({ [worker.first]: 100 })
  expect(shares).not.toContainEqual({ [worker.second]: 100 })
})

test.concurrent("a later release is tried at 0 % before it gets traffic", async () => {
  const worker = await setUpWorker("well", "well")
  const outputs = await worker.update(worker.first, worker.second)
  expect(outputs).toMatchObject({ versionId: worker.second })
  expect(await worker.shares()).toEqual([
    { [worker.second]: 100 },
    { [worker.first]: 100, [worker.second]: 0 },
    { [worker.first]: 100 },
  ])
})

test.concurrent("the steps are taken in order, with a trial at each", async () => {
  const worker = await setUpWorker("well", "well")
  await worker.update(worker.first, worker.second, { steps: [10, 50, 100] })
  expect(await worker.shares()).toEqual([
    { [worker.second]: 100 },
    { [worker.first]: 50, [worker.second]: 50 },
    { [worker.first]: 90, [worker.second]: 10 },
    { [worker.first]: 100, [worker.second]: 0 },
    { [worker.first]: 100 },
  ])
})

test.concurrent("a version that falls ill while it bakes at a step gets no more traffic", async () => {
  const worker = await setUpWorker("well", "sick in time")
  const options = { steps: [10, 100], bake: 600, timeout: trialTimeout }
  await expect(worker.update(worker.first, worker.second, options)).rejects.toThrow(
    /answered 500.*serves again at 100 % and is healthy/s,
  )
  expect(await worker.shares()).toEqual([
    { [worker.first]: 100 },
    { [worker.first]: 90, [worker.second]: 10 },
    { [worker.first]: 100, [worker.second]: 0 },
    { [worker.first]: 100 },
  ])
})

test.concurrent.each([
  ["sick", /answered 500: \{"status":"broken"/],
  ["misnamed", /calls itself another/],
  ["silent", /200 without the header accounts-version/],
] as const)("a version that is %s gets no traffic, and the old one serves", async (how, seen) => {
  const worker = await setUpWorker("well", how)
  const update = worker.update(worker.first, worker.second, { timeout: trialTimeout })
  await expect(update).rejects.toThrow(seen)
  await expect(update).rejects.toThrow(
    `Version ${worker.first} serves again at 100 % and is healthy.`,
  )
  const [live, ...before] = await worker.shares()
  expect(live).toEqual({ [worker.first]: 100 })
  expect(before).not.toContainEqual({ [worker.second]: 100 })
})

test.concurrent("a broken live version does not block the next one", async () => {
  const worker = await setUpWorker("sick", "well")
  await worker.update(worker.first, worker.second)
  expect((await worker.shares())[0]).toEqual({ [worker.second]: 100 })
})

test.concurrent.each(["drop after", "500 after", "drop before", "500 before"] as const)(
  "after a lost answer to a deployment (%s) the live deployment decides",
  async (fault) => {
    const worker = await setUpWorker("well", "well")
    const body = new RegExp(`"version_id":"${worker.second}","percentage":100`)
    proxy.inject({ method: "POST", path: deploymentsPath(worker.scriptName), body, fault })
    const outputs = await worker.update(worker.first, worker.second)
    expect(outputs).toMatchObject({ versionId: worker.second })
    expect(await worker.shares()).toEqual([
      { [worker.second]: 100 },
      { [worker.first]: 100, [worker.second]: 0 },
      { [worker.first]: 100 },
    ])
  },
)

test.concurrent("a version that Cloudflare does not know is rejected, and nothing changes", async () => {
  const worker = await setUpWorker("well")
  const unknown = "00000000-0000-4000-8000-000000000000"
  await expect(worker.update(worker.first, unknown)).rejects.toThrow(/was not released: POST .*40/)
  expect(await worker.shares()).toEqual([{ [worker.first]: 100 }])
})
