import { serve } from "@accounts-stack/local/daemon/testing/serve"
import { expect, test, vi } from "vitest"

import { messageOf } from "../../base/failure.ts"
import { createApi } from "../api.ts"
import type { Behaviour } from "../testing/account.ts"
import { startProviderUnderTest } from "../testing/provider-under-test.ts"
import { trialTimeout } from "../testing/worker-under-test.ts"
import { DeploymentRun } from "./deployment-run.ts"
import { describeSplit, openDeployments } from "./deployments.ts"
import { awaitHealth } from "./health.ts"

const { proxy, setUpWorker, provider, cloudflare, account } = await startProviderUnderTest()

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

test.concurrent("a version that starts to fail while it bakes at a step loses its traffic", async () => {
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
] as const)(
  "a version that is %s gets no traffic, and the old one serves",
  async (how, expectedReason) => {
    const worker = await setUpWorker("well", how)
    const update = worker.update(worker.first, worker.second, { timeout: trialTimeout })
    await expect(update).rejects.toThrow(expectedReason)
    await expect(update).rejects.toThrow(
      `Version ${worker.first} serves again at 100 % and is healthy.`,
    )
    const [live, ...before] = await worker.shares()
    expect(live).toEqual({ [worker.first]: 100 })
    expect(before).not.toContainEqual({ [worker.second]: 100 })
  },
)

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
  async (limitedRequest) => {
    const worker = await setUp("well")
    {
      const path = new RegExp(`/${worker.scriptName}/${limitedRequest}`)
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
    const secondOutcome = await worker.release(next === "released" ? 60 : trialTimeout).then(
      () => "released",
      (error: unknown) =>
        messageOf(error).replace(
          /^.* \.\/accounts release rollback leads back\.$/s,
          "way back named",
        ),
    )
    expect(secondOutcome).toBe(next)
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
  const outcome = await worker.release(trialTimeout).then(() => "released", messageOf)
  const [live = {}] = await worker.shares()
  const liveSplit = Object.entries(live).map(([versionId, percentage]) => ({
    versionId,
    percentage,
  }))
  return { said: outcome, seen: liveSplit }
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
  const startTime = Date.now()
  const healthy = await awaitHealth({
    address: { url: service.url },
    expected: [versionId],
    deadline: startTime + 60_000,
    signal: new AbortController().signal,
    // The clock goes on by an hour.
    watch: async () => void vi.setSystemTime(startTime + 3_600_000),
  }).finally(() => vi.useRealTimers())
  expect(healthy).toBe(versionId)
})

const { accountId, token } = cloudflare

/** A Worker whose first version serves, after one that did before. No request reaches it. */
async function setUpRun() {
  const worker = await setUpWorker("well", "well", "well")
  await worker.deploy({ [worker.third]: 100 }, "long ago")
  await worker.deploy({ [worker.first]: 100 }, "start")
  const api = createApi({ baseUrl: proxy.url, token, pause: async () => {} })
  const deployments = openDeployments({ api, accountId, scriptName: worker.scriptName })
  const open = async () =>
    new DeploymentRun({ deployments, start: await deployments.live(), message: "this run" })
  return { ...worker, path: new RegExp(`/scripts/${worker.scriptName}/deployments`), open }
}

test("a deployment that is deleted during the run does not bring back an older one", async () => {
  const worker = await setUpRun()
  const run = await worker.open()
  const [start] = await worker.deployments()
  let posted = false
  proxy.inject({ method: "POST", path: worker.path, first: async () => void (posted = true) })
  proxy.inject({
    method: "GET",
    path: worker.path,
    times: 100,
    first: async () => {
      if (!posted) return
      posted = false
      await account.call(
        "DELETE",
        `/workers/scripts/${worker.scriptName}/deployments/${start?.id ?? ""}`,
      )
    },
  })
  await run.deploy([{ versionId: worker.second, percentage: 100 }])
  expect(await worker.shares()).toEqual([{ [worker.second]: 100 }, { [worker.third]: 100 }])
})

test("a run knows its deployment again although Cloudflare shortened the message", async () => {
  const worker = await setUpRun()
  const api = createApi({ baseUrl: cloudflare.api, token })
  const deployments = openDeployments({ api, accountId, scriptName: worker.scriptName })
  const shortening = {
    ...deployments,
    list: async () =>
      (await deployments.list()).map((deployment) =>
        Object.assign(deployment, { message: deployment.message.slice(0, 4) }),
      ),
  }
  const start = await shortening.live()
  const run = new DeploymentRun({ deployments: shortening, start, message: "this run" })
  await run.deploy([{ versionId: worker.second, percentage: 100 }])
  expect((await worker.shares())[0]).toEqual({ [worker.second]: 100 })
})

type Worker = Awaited<ReturnType<typeof setUpRun>>

/** Runs a trial, a release whose answer is lost and a restoration, as `promote` does; another client acts before one of the requests. */
async function race(worker: Worker, theirs: Record<string, number>, moment: number) {
  const run = await worker.open()
  let requests = 0
  let acted = false
  const first = async () => {
    requests += 1
    if (requests !== moment) return
    acted = true
    await account.deploy(worker.scriptName, theirs, "theirs", { force: true })
  }
  using _rules = proxy.injectAll([
    { method: "GET", path: worker.path, first, times: 1000 },
    { method: "POST", path: worker.path, first },
    { method: "POST", path: worker.path, first, fault: "drop after" },
    { method: "POST", path: worker.path, first, times: 1000 },
  ])
  const split = { versionId: worker.second, percentage: 100 }
  const before = { versionId: worker.first, percentage: 100 }
  const outcome = await run
    .deploy([before, { ...split, percentage: 0 }])
    .then(() => run.deploy([split]))
    .then(async () => {
      throw new Error((await run.external()) === undefined ? "sick" : "foreign")
    })
    .catch(messageOf)
  if ((await run.external()) === undefined) await run.restore([before], "restored").catch(messageOf)
  return { acted, ended: outcome, live: (await worker.shares())[0] }
}

test("whenever another client splits the traffic, even with the run's version, its split serves in the end", async () => {
  const worker = await setUpRun()
  const theirs = { [worker.first]: 30, [worker.second]: 70 }
  const ends: string[] = []
  for (let moment = 1; ; moment += 1) {
    await account.deploy(worker.scriptName, { [worker.first]: 100 }, "start", { force: true })
    const { acted, live } = await race(worker, theirs, moment)
    if (!acted) break
    ends.push(JSON.stringify(live))
  }
  expect(ends.length).toBeGreaterThan(10)
  expect([...new Set(ends)]).toEqual([JSON.stringify(theirs)])
})
