import { afterAll, expect, test } from "vitest"

import { allTraffic } from "../../deploy/release/deployments.ts"
import type { Behaviour } from "../../deploy/testing/account.ts"
import { startAccount } from "../database/testing/database-site.ts"
import { options, setUpReleased } from "./testing/released-worker.ts"
import { moveTraffic, planRollback } from "./traffic-move.ts"

const underTest = await startAccount()
const { account } = underTest
afterAll(() => underTest[Symbol.asyncDispose]())

async function setUp(...behaviours: Behaviour[]) {
  return await setUpReleased(underTest, behaviours)
}

/** The first of three versions, and what a run that released another one left of its deployments. */
async function setUpKilled(...left: number[]) {
  const worker = await setUp("well", "well", "well")
  const [first = "", second = "", third = ""] = worker.versions
  await account.deploy(worker.site.worker, { [first]: 100 }, "by hand")
  for (const share of left) {
    const split = { [first]: 100 - share, [second]: share }
    await account.deploy(worker.site.worker, split, "a release that was killed")
  }
  return { ...worker, first, second, third }
}

test.each([
  ["its trial", [0]],
  ["a step", [0, 10]],
  ["its last step but one", [0, 10, 50, 90]],
] as const)(
  "a release that was killed at %s is rolled back, or finished by the name of its version",
  async (_when, left) => {
    await using worker = await setUpKilled(...left)
    const { site, first, second } = worker
    const back = await planRollback(site)
    expect(back.to).toEqual(allTraffic(first))
    const finished = await planRollback(site, second)
    await moveTraffic(site, back, options)
    const [live, ...before] = await worker.shares()
    expect(live).toEqual({ [first]: 100 })
    // It goes there at once: the version that is to serve has been deployed all the time.
    expect(before).toHaveLength(left.length + 4)
    await expect(planRollback(site, first)).rejects.toThrow("serves all traffic already")
    // Whoever planned before somebody else acted changes nothing.
    await expect(moveTraffic(site, finished, options)).rejects.toThrow("somebody else deployed")
  },
)

test("the new version of a split gets all traffic after its health and schema were asked", async () => {
  await using worker = await setUpKilled(0, 10)
  await moveTraffic(worker.site, await planRollback(worker.site, worker.second), options)
  expect((await worker.shares())[0]).toEqual({ [worker.second]: 100 })
  const [live] = await account.deployments(worker.site.worker)
  expect(live?.message).toMatch(/^rolled back from .* at \d+ % and .* at \d+ %, at [0-9a-f]{12}/)
})

test("a canary that is sick is not finished, and its split stays", async () => {
  await using worker = await setUp("sick", "well")
  const [sick = "", well = ""] = worker.versions
  const split = { [well]: 90, [sick]: 10 }
  await account.deploy(worker.site.worker, split, "canary by hand")
  const finished = moveTraffic(worker.site, await planRollback(worker.site, sick), {
    ...options,
    patience: 3000,
  })
  await expect(finished).rejects.toThrow(/answered 500.*Nothing was changed: live is/s)
  expect((await worker.shares())[0]).toEqual(split)
})

test("a rollback of a split gives all traffic to the version from before it, or to one that is named", async () => {
  await using worker = await setUpKilled(0, 10, 50)
  const { site, first, third } = worker
  expect((await planRollback(site)).to).toEqual(allTraffic(first))
  await moveTraffic(site, await planRollback(site, third), options)
  expect((await worker.shares()).slice(0, 2)).toEqual([
    { [third]: 100 },
    { [first]: 100, [third]: 0 },
  ])
})

test("a rollback goes back to the split before, each of its versions tried at 0 %", async () => {
  await using worker = await setUp("well", "well", "well")
  const [first = "", second = "", third = ""] = worker.versions
  const split = { [first]: 90, [second]: 10 }
  for (const shares of [split, { [first]: 100, [third]: 0 }, { [third]: 100 }]) {
    await account.deploy(worker.site.worker, shares, "release over a split")
  }
  await moveTraffic(worker.site, await planRollback(worker.site), options)
  expect((await worker.shares()).slice(0, 3)).toEqual([
    split,
    { [third]: 100, [second]: 0 },
    { [third]: 100, [first]: 0 },
  ])
})

test("a release over a split that was killed at its trial is rolled back to that split", async () => {
  await using worker = await setUp("well", "well", "well")
  const [first = "", second = "", third = ""] = worker.versions
  const split = { [first]: 90, [second]: 10 }
  for (const shares of [{ [first]: 100 }, split, { [first]: 100, [third]: 0 }]) {
    await account.deploy(worker.site.worker, shares, "release over a split")
  }
  await moveTraffic(worker.site, await planRollback(worker.site), options)
  expect((await worker.shares())[0]).toEqual(split)
})

test("of two versions that nothing served before, the one to serve has to be named", async () => {
  await using site = await underTest.openSite({})
  const workerId = await account.createWorker(site.worker)
  const [one, other] = [
    await account.createVersion(workerId, "well"),
    await account.createVersion(workerId, "well"),
  ]
  await account.deploy(site.worker, { [one]: 50, [other]: 50 })
  await expect(planRollback(site)).rejects.toThrow("One of several is to be named")
  expect((await planRollback(site, other)).to).toEqual(allTraffic(other))
})
