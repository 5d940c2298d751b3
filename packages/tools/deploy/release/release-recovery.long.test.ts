import { expect, test } from "vitest"

import { startProvider } from "../testing/provider-process.ts"
import { startProviderUnderTest } from "../testing/provider-under-test.ts"
import { trialTimeout } from "../testing/worker-under-test.ts"

const { cloudflare, provider, account, setUpWorker } = await startProviderUnderTest()
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
    const [said, after] = await update.then(
      (released) => ["released", released] as const,
      (error: unknown) => [String(error), olds] as const,
    )
    expect(said).toContain(how === "well" ? "released" : "./accounts release rollback leads back")
    expect(await worker.shares()).toEqual([{ [worker.second]: 100 }, { [worker.first]: 100 }])
    const again = await provider.diff("Release", { olds: after, oldInputs: inputs, inputs })
    expect(again.changes).toBe(how === "sick")
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
  const ended = cancelled.update("Release", change).then(
    () => "released",
    (error: unknown) => String(error),
  )
  await expect.poll(worker.shares).toHaveLength(2)
  await cancelled.cancel()
  expect(await ended).toContain(`Version ${worker.first} serves again at 100 % and is healthy`)
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
