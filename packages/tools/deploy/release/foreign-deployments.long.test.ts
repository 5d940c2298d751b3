import { expect, test } from "vitest"

import type { Behaviour } from "../testing/account.ts"
import { startProviderUnderTest } from "../testing/provider-under-test.ts"
import { trialTimeout } from "../testing/worker-under-test.ts"

const { proxy, provider, setUpWorker } = await startProviderUnderTest()

/** A Worker with a live version, one to release, and a hotfix that somebody else will deploy. */
async function setUp(second: Behaviour) {
  const worker = await setUpWorker("well", second, "well")
  const { id, outputs: olds } = await worker.create(worker.first)
  const oldInputs = worker.inputs(worker.first)
  return {
    ...worker,
    path: new RegExp(`/scripts/${worker.scriptName}/deployments`),
    deployHotfix: () => worker.deploy({ [worker.third]: 100 }, "hotfix for sign-in"),
    release: () =>
      provider.update(
        "Release",
        { id, olds, oldInputs, inputs: worker.inputs(worker.second) },
        { timeout: 20 },
      ),
  }
}

const named =
  /somebody else deployed meanwhile: .* deployed by local@accounts\.test at 20.*"hotfix for sign-in"/

test("somebody else's deployment during a failing trial stays, and is named at once", async () => {
  const worker = await setUp("sick")
  const ended = worker.release().catch((error: unknown) => error)
  await expect.poll(worker.shares).toHaveLength(2)
  await worker.deployHotfix()
  const error = await ended
  expect(String(error)).toMatch(named)
  expect(String(error)).toContain(`stays: live is ${worker.third} at 100 %`)
  expect(await worker.shares()).toEqual([
    { [worker.third]: 100 },
    { [worker.first]: 100, [worker.second]: 0 },
    { [worker.first]: 100 },
  ])
})

test.concurrent("somebody else's deployment just before the last step stays", async () => {
  const worker = await setUp("well")
  // Before the list that the run reads ahead of its second deployment.
  let lists = 0
  proxy.inject({
    method: "GET",
    path: worker.path,
    first: async () => {
      lists += 1
      if (lists === 4) await worker.deployHotfix()
    },
    times: 100,
  })
  await expect(worker.release()).rejects.toThrow(named)
  expect((await worker.shares())[0]).toEqual({ [worker.third]: 100 })
  expect(await worker.shares()).not.toContainEqual({ [worker.second]: 100 })
})

test.concurrent.each(["", "drop after", "500 after"] as const)(
  "a deployment that somebody else made at the same moment serves again %s",
  async (fault) => {
    const worker = await setUp("well")
    const body = new RegExp(`"version_id":"${worker.second}","percentage":100`)
    const first = worker.deployHotfix
    const rule = { method: "POST", path: worker.path, body, first }
    proxy.inject(fault === "" ? rule : { ...rule, fault })
    await expect(worker.release()).rejects.toThrow(named)
    const [live, ...before] = await worker.deployments()
    expect(live?.shares).toEqual({ [worker.third]: 100 })
    expect(live?.message).toBe(
      "deployed again after a release at the same time: hotfix for sign-in",
    )
    expect(before.map(({ shares }) => shares)).toContainEqual({ [worker.second]: 100 })
  },
)

test("a rollback by somebody else to the version before is left as it is", async () => {
  const worker = await setUp("sick")
  const ended = worker.release().catch((error: unknown) => error)
  await expect.poll(worker.shares).toHaveLength(2)
  await worker.deploy({ [worker.first]: 100 }, "rollback")
  expect(String(await ended)).toContain(`stays: live is ${worker.first} at 100 %`)
  const [live, ...before] = await worker.deployments()
  expect(live?.message).toBe("rollback")
  expect(before).toHaveLength(2)
})

test("a secret that a failed release changed is changed back, and named", async () => {
  const worker = await setUpWorker()
  const before = await worker.rotate("well", "one")
  const after = await worker.rotate("sick at 100 %", "two")
  const update = worker.update(before, after, { timeout: trialTimeout })
  await expect(update).rejects.toThrow(
    `Version ${before} serves again at 100 % and is healthy. Secrets have other values again, those of that version: ROTATED.`,
  )
  const [live, ...earlier] = await worker.shares()
  expect(live).toEqual({ [before]: 100 })
  expect(earlier).toContainEqual({ [after]: 100 })
  const forced = proxy.seen.filter(({ path }) => path.endsWith("?force=true"))
  expect(forced).toHaveLength(1)
})

test.concurrent.each([
  ["once", 1],
  ["for good", 100],
] as const)(
  "what a release replaced at the same moment and was refused to deploy again (%s) is not forgotten",
  async (how, times) => {
    const worker = await setUp("well")
    const { path } = worker
    const body = new RegExp(`"version_id":"${worker.second}","percentage":100`)
    proxy.inject({ method: "POST", path, body, first: worker.deployHotfix })
    const theirs = new RegExp(`"version_id":"${worker.third}","percentage":100`)
    proxy.inject({ method: "POST", path, body: theirs, fault: "403 before", times })
    const said = await worker.release().catch(String)
    expect(said).toMatch(
      /replaced a deployment that somebody else made at the same moment \(.*"hotfix for sign-in"\)/,
    )
    const [live, ...before] = await worker.shares()
    const serves = how === "once" ? worker.third : worker.second
    expect(live).toEqual({ [serves]: 100 })
    expect(said).toContain(
      how === "once"
        ? `stays: live is ${worker.third} at 100 %`
        : `When last seen, ${worker.second} at 100 % was live.`,
    )
    // Nobody goes back to the version from before the hotfix.
    expect(before.filter((shares) => shares[worker.first] === 100)).toEqual([
      { [worker.first]: 100, [worker.second]: 0 },
      { [worker.first]: 100 },
    ])
  },
)
