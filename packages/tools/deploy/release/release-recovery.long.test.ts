import { expect, test } from "vitest"

import type { Behaviour } from "../testing/account.ts"
import { startProvider } from "../testing/provider-process.ts"
import { startProviderUnderTest } from "../testing/provider-under-test.ts"
import { trialTimeout } from "../testing/worker-under-test.ts"

const { cloudflare, provider, account, setUpWorker, proxy } = await startProviderUnderTest()
const { token, api: baseUrl } = cloudflare

test("after a killed release the old version serves, and the next run completes it", async () => {
  const worker = await setUpWorker("well", "sick", "well")
  const { id, outputs: olds } = await worker.create(worker.first)
  const oldInputs = worker.inputs(worker.first)
  await using killed = await startProvider({ baseUrl, token })
  const change = { id, olds, oldInputs, inputs: worker.inputs(worker.second) }
  const interrupted = killed.update("Release", change).then(
    () => "released",
    () => "interrupted",
  )
  await expect.poll(worker.shares).toHaveLength(2)
  await killed.kill()
  expect(await interrupted).toBe("interrupted")
  expect((await worker.shares())[0]).toEqual({ [worker.first]: 100, [worker.second]: 0 })

  const inputs = worker.inputs(worker.third)
  const outputs = await provider.update("Release", { id, olds, oldInputs, inputs })
  expect(outputs).toMatchObject({ versionId: worker.third })
  expect((await worker.shares())[0]).toEqual({ [worker.third]: 100 })
})

// Most of these wait for a trial.
test.concurrent.each(["well", "sick"] as const)(
  "a live version that is %s, and that no run has confirmed, is tried; whatever comes of it, no other one gets its traffic",
  async (how) => {
    const worker = await setUpWorker("well", how)
    const { id, outputs } = await worker.create(worker.first)
    await worker.deploy({ [worker.second]: 100 })
    // The engine reads before every update, and keeps what it read even if the update never comes.
    const read = { id, outputs, inputs: worker.inputs(worker.first) }
    const once = await provider.read("Release", read)
    const { outputs: olds = {}, inputs: oldInputs = {} } =
      (once && (await provider.read("Release", once))) ?? {}
    const inputs = worker.inputs(worker.second)
    expect((await provider.diff("Release", { olds, oldInputs, inputs })).changes).toBe(true)

    const timeout = how === "well" ? 60 : trialTimeout
    const update = provider.update("Release", { id, olds, oldInputs, inputs }, { timeout })
    const [outcome, after] = await update.then(
      (released) => ["released", released] as const,
      (error: unknown) => [String(error), olds] as const,
    )
    expect(outcome).toContain(
      how === "well" ? "released" : "./accounts release rollback leads back",
    )
    expect(await worker.shares()).toEqual([{ [worker.second]: 100 }, { [worker.first]: 100 }])
    const secondDiff = await provider.diff("Release", { olds: after, oldInputs: inputs, inputs })
    expect(secondDiff.changes).toBe(how === "sick")
  },
)

test.concurrent("a first version that a killed run left live is confirmed, and one that is sick is named", async () => {
  const worker = await setUpWorker("well")
  await worker.deploy({ [worker.first]: 100 })
  expect(await worker.create(worker.first)).toMatchObject({ outputs: { versionId: worker.first } })

  const sick = await setUpWorker("sick")
  await sick.deploy({ [sick.first]: 100 })
  const creation = provider.create("Release", sick.inputs(sick.first), { timeout: trialTimeout })
  await expect(creation).rejects.toThrow(`Nothing was changed: live is ${sick.first} at 100 %`)
  expect(await sick.shares()).toEqual([{ [sick.first]: 100 }])
})

test("a cancelled release restores the old version before it exits", async () => {
  const worker = await setUpWorker("well", "sick")
  const { id, outputs: olds } = await worker.create(worker.first)
  await using cancelled = await startProvider({ baseUrl, token })
  const oldInputs = worker.inputs(worker.first)
  const change = { id, olds, oldInputs, inputs: worker.inputs(worker.second) }
  const outcome = cancelled.update("Release", change).then(
    () => "released",
    (error: unknown) => String(error),
  )
  await expect.poll(worker.shares).toHaveLength(2)
  await cancelled.cancel()
  expect(await outcome).toContain(`Version ${worker.first} serves again at 100 % and is healthy`)
  expect((await worker.shares())[0]).toEqual({ [worker.first]: 100 })
})

test.concurrent("refresh reads what is live: another version, a split, or no Worker at all", async () => {
  const worker = await setUpWorker("well", "well")
  const { id, outputs } = await worker.create(worker.first)
  const inputs = worker.inputs(worker.first)
  const read = () => provider.read("Release", { id, outputs, inputs })
  expect(await read()).toEqual({ id, outputs, inputs })

  await worker.deploy({ [worker.second]: 100 })
  const drifted = await read()
  expect(drifted?.outputs).toMatchObject({ versionId: worker.second })
  const change = { olds: drifted?.outputs ?? {}, oldInputs: drifted?.inputs ?? {}, inputs }
  expect((await provider.diff("Release", change)).paths).toEqual(["versionId"])

  await worker.deploy({ [worker.first]: 30, [worker.second]: 70 })
  expect((await read())?.outputs["versionId"]).toContain(`${worker.second} at 70 %`)

  await account.call("DELETE", `/workers/workers/${worker.scriptName}`)
  expect(await read()).toBeUndefined()
})

test.concurrent("a release that changes the hostname is tried at the old one", async () => {
  const worker = await setUpWorker("well", "well")
  const url = `http://new-${worker.scriptName}.accounts.test`
  const outputs = await worker.update(worker.first, worker.second, { url })
  expect(outputs).toMatchObject({ versionId: worker.second })
})

test.concurrent("inputs that only say how to release cause no release", async () => {
  const worker = await setUpWorker("well")
  const { outputs: olds } = await worker.create(worker.first)
  const oldInputs = worker.inputs(worker.first)
  const limits = { requests: 100, failures: 1 }
  const inputs = {
    ...worker.inputs(worker.first, { url: "http://other.test", steps: [50, 100] }),
    limits,
  }
  expect((await provider.diff("Release", { olds, oldInputs, inputs })).changes).toBe(false)
})

test.concurrent("a version for an adopted Worker that already serves is tried like any other", async () => {
  const worker = await setUpWorker("well", "sick")
  await worker.deploy({ [worker.first]: 100 })
  const creation = provider.create("Release", worker.inputs(worker.second), {
    timeout: trialTimeout,
  })
  await expect(creation).rejects.toThrow(`Version ${worker.first} serves again at 100 %`)
})

type Shares = Record<string, number>

/** A Worker whose first version was released, before another client split its traffic. */
async function setUp(...behaviours: Behaviour[]) {
  const worker = await setUpWorker(...behaviours)
  const inputs = worker.inputs(worker.first)
  const { id, outputs } = await provider.create("Release", inputs)
  return {
    ...worker,
    /** As `up` does it: reads what is live first. */
    async release(versionId: string, overrides: object = {}) {
      const freshState = await provider.read("Release", { id, outputs, inputs })
      const { outputs: olds = {}, inputs: oldInputs = {} } = freshState ?? {}
      const change = { id, olds, oldInputs, inputs: { ...worker.inputs(versionId), ...overrides } }
      return await provider.update("Release", change, { timeout: trialTimeout * 2 })
    },
    /** Since the split, the oldest first. */
    async since(split: Shares) {
      const sharesList = (await worker.shares()).toReversed()
      return sharesList.slice(
        sharesList.findIndex((shares) => JSON.stringify(shares) === JSON.stringify(split)) + 1,
      )
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
  const killedSplit = { [worker.first]: 100, [worker.second]: 0 }
  await worker.deploy(killedSplit)
  await expect(worker.release(worker.second)).rejects.toThrow("Nothing was changed")
  await expect(worker.release(worker.third)).rejects.toThrow("serves again at 100 %")
  expect((await worker.shares())[0]).toEqual(killedSplit)
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

test("a client that ends the split during the release has the last word", async () => {
  const worker = await setUp("well", "well", "sick")
  const split = { [worker.first]: 90, [worker.second]: 10 }
  await worker.deploy(split)
  const outcome = worker.release(worker.third).catch(String)
  await expect.poll(worker.shares).toHaveLength(3)
  await worker.deploy({ [worker.second]: 100 }, "the canary is fine")
  expect(await outcome).toContain(`stays: live is ${worker.second} at 100 %`)
  expect((await worker.shares())[0]).toEqual({ [worker.second]: 100 })
})

/** A Worker with a live version, one to release, and a hotfix that another client will deploy. */
async function setUpHotfix(second: Behaviour) {
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

const foreignDeployment =
  /another client has deployed since: .* deployed by local@accounts\.test at 20.*"hotfix for sign-in"/

test("another client's deployment during a failing trial stays, and is named immediately", async () => {
  const worker = await setUpHotfix("sick")
  const outcome = worker.release().catch((error: unknown) => error)
  await expect.poll(worker.shares).toHaveLength(2)
  await worker.deployHotfix()
  const error = await outcome
  expect(String(error)).toMatch(foreignDeployment)
  expect(String(error)).toContain(`stays: live is ${worker.third} at 100 %`)
  expect(await worker.shares()).toEqual([
    { [worker.third]: 100 },
    { [worker.first]: 100, [worker.second]: 0 },
    { [worker.first]: 100 },
  ])
})

test.concurrent("another client's deployment just before the last step stays", async () => {
  const worker = await setUpHotfix("well")
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
  await expect(worker.release()).rejects.toThrow(foreignDeployment)
  expect((await worker.shares())[0]).toEqual({ [worker.third]: 100 })
  expect(await worker.shares()).not.toContainEqual({ [worker.second]: 100 })
})

test.concurrent.each(["", "drop after", "500 after"] as const)(
  "a deployment that another client made at the same time serves again %s",
  async (fault) => {
    const worker = await setUpHotfix("well")
    const body = new RegExp(`"version_id":"${worker.second}","percentage":100`)
    const first = worker.deployHotfix
    const rule = { method: "POST", path: worker.path, body, first }
    proxy.inject(fault === "" ? rule : { ...rule, fault })
    await expect(worker.release()).rejects.toThrow(foreignDeployment)
    const [live, ...before] = await worker.deployments()
    expect(live?.shares).toEqual({ [worker.third]: 100 })
    expect(live?.message).toBe(
      "deployed again after a release at the same time: hotfix for sign-in",
    )
    expect(before.map(({ shares }) => shares)).toContainEqual({ [worker.second]: 100 })
  },
)

test("another client's rollback to the previous version stays as it is", async () => {
  const worker = await setUpHotfix("sick")
  const outcome = worker.release().catch((error: unknown) => error)
  await expect.poll(worker.shares).toHaveLength(2)
  await worker.deploy({ [worker.first]: 100 }, "rollback")
  expect(String(await outcome)).toContain(`stays: live is ${worker.first} at 100 %`)
  const [live, ...before] = await worker.deployments()
  expect(live?.message).toBe("rollback")
  expect(before).toHaveLength(2)
})

test("a secret that a failed release changed is changed back, and named", async () => {
  const worker = await setUpWorker()
  const before = await worker.rotate("well", "one")
  const after = await worker.rotate("sick at 100 %", "two")
  const requestStart = proxy.seen.length
  const update = worker.update(before, after, { timeout: trialTimeout })
  await expect(update).rejects.toThrow(
    `Version ${before} serves again at 100 % and is healthy. Secrets have other values again, those of that version: ROTATED.`,
  )
  const [live, ...earlier] = await worker.shares()
  expect(live).toEqual({ [before]: 100 })
  expect(earlier).toContainEqual({ [after]: 100 })
  const forced = proxy.seen.slice(requestStart).filter(({ path }) => path.endsWith("?force=true"))
  expect(forced).toHaveLength(1)
})

test.concurrent.each([
  ["once", 1],
  ["for good", 100],
] as const)(
  "what a release replaced at the same moment and was refused to deploy again (%s) is not forgotten",
  async (how, times) => {
    const worker = await setUpHotfix("well")
    const { path } = worker
    const body = new RegExp(`"version_id":"${worker.second}","percentage":100`)
    proxy.inject({ method: "POST", path, body, first: worker.deployHotfix })
    const theirs = new RegExp(`"version_id":"${worker.third}","percentage":100`)
    proxy.inject({ method: "POST", path, body: theirs, fault: "403 before", times })
    const outcome = await worker.release().catch(String)
    expect(outcome).toMatch(
      /replaced a deployment that another client made at the same time \(.*"hotfix for sign-in"\)/,
    )
    const [live, ...before] = await worker.shares()
    const serves = how === "once" ? worker.third : worker.second
    expect(live).toEqual({ [serves]: 100 })
    expect(outcome).toContain(
      how === "once"
        ? `stays: live is ${worker.third} at 100 %`
        : `When last seen, ${worker.second} at 100 % was live.`,
    )
    // The run does not go back to the version from before the hotfix.
    expect(before.filter((shares) => shares[worker.first] === 100)).toEqual([
      { [worker.first]: 100, [worker.second]: 0 },
      { [worker.first]: 100 },
    ])
  },
)
