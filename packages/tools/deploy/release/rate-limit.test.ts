import { serve } from "@accounts-stack/local/daemon/testing/serve"
import { expect, test, vi } from "vitest"

import { messageOf } from "../../base/failure.ts"
import type { Behaviour } from "../testing/account.ts"
import { startProviderUnderTest } from "../testing/provider-under-test.ts"
import { trialTimeout } from "../testing/worker-under-test.ts"
import { describeSplit } from "./deployments.ts"
import { awaitHealth } from "./health.ts"

const { proxy, provider, setUpWorker } = await startProviderUnderTest()

/** A Worker with a live version and one to release. */
async function setUp(second: Behaviour) {
  const worker = await setUpWorker("well", second)
  const { id, outputs: olds } = await worker.create(worker.first)
  const [oldInputs, inputs] = [worker.inputs(worker.first), worker.inputs(worker.second)]
  return {
    ...worker,
    path: new RegExp(`/scripts/${worker.scriptName}/`),
    release: (timeout = 60) =>
      provider.update("Release", { id, olds, oldInputs, inputs }, { timeout }),
  }
}

test.concurrent.each(["deployments", "versions"])(
  "a limit between upload and trial (%s) changes nothing, and is said",
  async (what) => {
    const worker = await setUp("well")
    {
      const path = new RegExp(`/${worker.scriptName}/${what}`)
      using _limit = proxy.injectAll([{ method: "GET", path, fault: "limit before", times: 100 }])
      await expect(worker.release()).rejects.toThrow(
        /version .* was not released, and nothing has changed: .*The rate limit lasts 3600 s more: run again then/,
      )
    }
    expect(await worker.shares()).toEqual([{ [worker.first]: 100 }])
    expect(await worker.release()).toMatchObject({ versionId: worker.second })
  },
)

test.concurrent.each([
  ["with the trial", "well", 0, "released"],
  ["between trial and promotion", "well", 1, "released"],
  ["with the restoration", "sick at 100 %", 2, "way back named"],
] as const)(
  "a limit that begins %s says what was live, and the next run goes on",
  async (_when, behaviour, deployed, next) => {
    const worker = await setUp(behaviour)
    const { said, seen } = await releaseUntil(worker, deployed)
    expect(said).toContain("The rate limit lasts 3600 s more")
    expect(said).toContain(`When last seen, ${describeSplit(seen)} was live. Run again`)
    const again = await worker.release(next === "released" ? 60 : trialTimeout).then(
      () => "released",
      (error: unknown) =>
        messageOf(error).replace(
          /^.* \.\/accounts release rollback leads back\.$/s,
          "way back named",
        ),
    )
    expect(again).toBe(next)
  },
)

/** A release whose token is limited from its next deployment on, after a number of others. */
async function releaseUntil(worker: Awaited<ReturnType<typeof setUp>>, deployed: number) {
  const { path } = worker
  using rules = new DisposableStack()
  const limitAll = async () => {
    rules.use(proxy.injectAll([{ method: "GET", path, fault: "limit before", times: 100 }]))
  }
  const passes = Array.from({ length: deployed }, () => ({ method: "POST", path }))
  const limited = {
    method: "POST",
    path,
    fault: "limit before",
    first: limitAll,
    times: 100,
  } as const
  rules.use(proxy.injectAll([...passes, limited]))
  const said = await worker.release(trialTimeout).then(() => "released", messageOf)
  const [live = {}] = await worker.shares()
  const seen = Object.entries(live).map(([versionId, percentage]) => ({ versionId, percentage }))
  return { said, seen }
}

/** A service that is not there at first. */
function startLateService(versionId: string) {
  let requests = 0
  return serve((_request, response) => {
    requests += 1
    if (requests === 1) return response.writeHead(404).end()
    response.setHeader("accounts-version", versionId)
    return response.end(JSON.stringify({ status: "ok", version: { id: versionId } }))
  })
}

test("waiting for a limit takes nothing of the time that a version has to become healthy", async () => {
  const versionId = "11111111-1111-4111-8111-111111111111"
  await using service = await startLateService(versionId)
  const begun = Date.now()
  const healthy = await awaitHealth({
    address: { url: service.url },
    expected: [versionId],
    deadline: begun + 60_000,
    signal: new AbortController().signal,
    // The clock goes on by an hour.
    watch: async () => void vi.setSystemTime(begun + 3_600_000),
  }).finally(() => vi.useRealTimers())
  expect(healthy).toBe(versionId)
})
