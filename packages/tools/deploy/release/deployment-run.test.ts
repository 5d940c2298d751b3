import { expect, test } from "vitest"

import { messageOf } from "../../base/failure.ts"
import { createApi } from "../api.ts"
import { startProviderUnderTest } from "../testing/provider-under-test.ts"
import { openDeploymentRun } from "./deployment-run.ts"
import { openDeployments } from "./deployments.ts"

const { cloudflare, proxy, account, setUpWorker } = await startProviderUnderTest()
const { accountId, token } = cloudflare

/** A Worker whose first version serves, after one that did before. No request reaches it. */
async function setUp() {
  const worker = await setUpWorker("well", "well", "well")
  await worker.deploy({ [worker.third]: 100 }, "long ago")
  await worker.deploy({ [worker.first]: 100 }, "start")
  const api = createApi({ baseUrl: proxy.url, token, pause: async () => {} })
  const deployments = openDeployments({ api, accountId, scriptName: worker.scriptName })
  const open = async () =>
    openDeploymentRun({ deployments, start: await deployments.live(), message: "this run" })
  return { ...worker, path: new RegExp(`/scripts/${worker.scriptName}/deployments`), open }
}

test("a deployment that somebody deletes meanwhile does not bring back one from long ago", async () => {
  const worker = await setUp()
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
  const worker = await setUp()
  const api = createApi({ baseUrl: cloudflare.api, token })
  const deployments = openDeployments({ api, accountId, scriptName: worker.scriptName })
  const shortening = {
    ...deployments,
    list: async () =>
      (await deployments.list()).map((one) =>
        Object.assign(one, { message: one.message.slice(0, 4) }),
      ),
  }
  const start = await shortening.live()
  const run = openDeploymentRun({ deployments: shortening, start, message: "this run" })
  await run.deploy([{ versionId: worker.second, percentage: 100 }])
  expect((await worker.shares())[0]).toEqual({ [worker.second]: 100 })
})

type Worker = Awaited<ReturnType<typeof setUp>>

/** A trial, a release whose answer is lost and a restoration, as `promote` makes them; somebody else acts before one request. */
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
  const ended = await run
    .deploy([before, { ...split, percentage: 0 }])
    .then(() => run.deploy([split]))
    .then(async () => {
      throw new Error((await run.foreign()) === undefined ? "sick" : "foreign")
    })
    .catch(messageOf)
  if ((await run.foreign()) === undefined) await run.restore([before], "restored").catch(messageOf)
  return { acted, ended, live: (await worker.shares())[0] }
}

test("whenever somebody else splits the traffic, even with the run's version, their split serves in the end", async () => {
  const worker = await setUp()
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
