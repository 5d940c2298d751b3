import { setTimeout as delay } from "node:timers/promises"

import { afterAll, expect, test, vi } from "vitest"

import type { Behaviour } from "../testing/account.ts"
import { startProviderUnderTest } from "../testing/provider-under-test.ts"
import { setUpWorker, trialTimeout } from "../testing/worker-under-test.ts"

const { cloudflare, proxy, provider, account } = await startProviderUnderTest()

// No trial runs out of patience before it has seen what it waits for, however slow the machine is.
vi.useFakeTimers({ toFake: ["Date"] })
afterAll(() => vi.useRealTimers())

/** Lets a trial's time run out when it has said that. */
async function endTrial(trial: Promise<unknown>, message: string) {
  const outcome = trial.then(
    () => true,
    () => true,
  )
  await expect
    .poll(() => provider.log.join("\n"), { timeout: 60_000 })
    .toContain(`not yet: ${message}`)
  // A clock that moves while Cloudflare's API is asked takes nothing of that time.
  do vi.setSystemTime(Date.now() + trialTimeout * 1000)
  while (!(await Promise.race([outcome, delay(3000, false)])))
}

/** A Worker off workers.dev, whose first version is live. */
async function setUp(...behaviours: Behaviour[]) {
  const worker = await setUpWorker(
    { cloudflare, account, provider, workersDev: false },
    ...behaviours,
  )
  await worker.deploy({ [worker.first]: 100 })
  const url = `http://${worker.scriptName}.accounts.test`
  return {
    ...worker,
    host: `${worker.scriptName}.accounts.test`,
    url,
    /** Releases as a stack whose state does not have the Worker yet. */
    adopt: (versionId: string, at = url) =>
      provider.create("Release", worker.inputs(versionId, { url: at }), { timeout: trialTimeout }),
  }
}

async function expectRefused(
  worker: Awaited<ReturnType<typeof setUp>>,
  adoption: Promise<unknown>,
) {
  await endTrial(adoption, `version ${worker.second} answered 500`)
  await expect(adoption).rejects.toThrow(/answered 500[\s\S]*serves again at 100 % and is healthy/)
  const [live, ...before] = await worker.shares()
  expect(live).toEqual({ [worker.first]: 100 })
  expect(before).not.toContainEqual({ [worker.second]: 100 })
}

test("a Worker to which nothing leads is released without a trial", async () => {
  const worker = await setUp("well", "sick")
  await worker.adopt(worker.second)
  expect((await worker.shares())[0]).toEqual({ [worker.second]: 100 })
  expect(provider.log.at(-1)).toBe(
    `no domain, no route and no workers.dev leads to ${worker.scriptName}: deployed without a trial, as it has no traffic`,
  )
})

test.each(["domain", "route"] as const)(
  "a %s at the stack's own host needs a trial",
  async (how) => {
    const worker = await setUp("well", "sick")
    if (how === "domain") await account.attachDomain(worker.scriptName, worker.host)
    if (how === "route") await account.setRoutes(worker.scriptName, `${worker.host}/*`)
    await expectRefused(worker, worker.adopt(worker.second))
  },
)

test.each(["domain", "route"] as const)(
  "a %s at another host needs a trial, which takes place there",
  async (how) => {
    const worker = await setUp("well", "sick")
    const elsewhere = `old-${worker.host}`
    if (how === "domain") await account.attachDomain(worker.scriptName, elsewhere)
    if (how === "route") await account.setRoutes(worker.scriptName, `${elsewhere}/*`)
    const adoption = worker.adopt(worker.second)
    await expectRefused(worker, adoption)
    await expect(adoption).rejects.toThrow(`http://${elsewhere}/api/health`)
  },
)

test.each([
  ["its own host, beside an unmanaged one", "own", "own"],
  ["the former host, where the new one is another Worker's", "former", "former"],
  ["the only one that leads there, where the new one is another Worker's", "none", "foreign"],
] as const)("a Worker with several domains is tried at %s", async (_which, attached, hostKey) => {
  const worker = await setUp("well", "sick")
  const otherWorker = await setUp("well")
  const hosts = {
    own: worker.host,
    former: `former-${worker.host}`,
    // The first in the order of their names.
    foreign: `a-${worker.host}`,
  }
  await account.attachDomain(worker.scriptName, hosts.foreign)
  if (attached === "own") await account.attachDomain(worker.scriptName, hosts.own)
  else await account.attachDomain(otherWorker.scriptName, hosts.own)
  if (attached === "former") await account.attachDomain(worker.scriptName, hosts.former)
  const formerInputs = worker.inputs(worker.first, { url: `http://${hosts.former}` })
  const { accountId, scriptName } = formerInputs
  const olds = { accountId, scriptName, versionId: worker.first, deploymentId: "one" }
  const inputs = worker.inputs(worker.second, { url: worker.url })
  const change = { id: scriptName, olds, oldInputs: formerInputs, inputs }
  const update = provider.update("Release", change, { timeout: trialTimeout })
  await expectRefused(worker, update)
  await expect(update).rejects.toThrow(`http://${hosts[hostKey]}/api/health`)
  expect(await otherWorker.shares()).toEqual([{ [otherWorker.first]: 100 }])
})

test("workers.dev needs a trial even when the stack has another host", async () => {
  const worker = await setUpWorker({ cloudflare, account, provider }, "well", "sick")
  await worker.deploy({ [worker.first]: 100 })
  const inputs = worker.inputs(worker.second, { url: `http://${worker.scriptName}.accounts.test` })
  const adoption = provider.create("Release", inputs, { timeout: trialTimeout })
  await endTrial(adoption, `version ${worker.second} answered 500`)
  await expect(adoption).rejects.toThrow(`${worker.url}/api/health: version ${worker.second}`)
  expect((await worker.shares())[0]).toEqual({ [worker.first]: 100 })
})

test("a host that a route leads to another Worker fails the trial, with that reason", async () => {
  const worker = await setUp("well", "well")
  await account.attachDomain(worker.scriptName, worker.host)
  const otherWorker = await setUp("well")
  await account.setRoutes(otherWorker.scriptName, `${worker.host}/*`)
  const adoption = worker.adopt(worker.second)
  await endTrial(adoption, `version ${otherWorker.first} answered instead of ${worker.second}`)
  await expect(adoption).rejects.toThrow(
    `version ${otherWorker.first} answered instead of ${worker.second}. Cloudflare shows no such version of this Worker: ` +
      "does a route or a domain lead to another?",
  )
  expect((await worker.shares())[0]).toEqual({ [worker.first]: 100 })
})

test("a route that is not for the service's host cannot be tried, so the version is refused", async () => {
  const worker = await setUp("well", "well")
  await account.setRoutes(worker.scriptName, `*${worker.host}/login*`)
  await expect(worker.adopt(worker.second)).rejects.toThrow(
    /the route \*worker-\d+\.accounts\.test\/login\* leads to it, but none of http:.* does: attach one of them/,
  )
  expect(await worker.shares()).toEqual([{ [worker.first]: 100 }])
})

test("routes are asked of the stack's own zone alone", async () => {
  const worker = await setUp("well", "well")
  await account.setRoutes(worker.scriptName, `${worker.host}/*`)
  const before = proxy.seen.length
  await worker.adopt(worker.second)
  const paths = proxy.seen.slice(before).map(({ path }) => path)
  expect(paths.filter((path) => path.includes("/zones"))).toEqual([
    `/client/v4/zones?name=accounts.test&account.id=${cloudflare.accountId}`,
    "/client/v4/zones/7a6f6e656163636f756e747300000001/workers/routes",
  ])
})

// The list of routes names no Worker, but the first two never get as far as to ask for it.
test.each([
  ["domains", (name: string) => new RegExp(`/workers/domains\\?service=${name}$`)],
  ["workers.dev", (name: string) => new RegExp(`/workers/workers/${name}$`)],
  ["routes", () => /\/zones\/7a6f6e656163636f756e747300000001\/workers\/routes$/],
] as const)(
  "when Cloudflare does not say whether %s lead there, nothing changes",
  async (_what, pathOf) => {
    const worker = await setUp("well", "well")
    const path = pathOf(worker.scriptName)
    proxy.inject({ method: "GET", path, fault: "500 before", times: 4 })
    await expect(worker.adopt(worker.second)).rejects.toThrow(
      `it cannot be told whether traffic reaches ${worker.scriptName}, so it was not deployed without a trial`,
    )
    expect(await worker.shares()).toEqual([{ [worker.first]: 100 }])
  },
)

test("a token that does not see the host's zone cannot tell, so the version is refused", async () => {
  const worker = await setUp("well", "well")
  const place = { url: "http://api.elsewhere.example", zone: "elsewhere.example" }
  const adoption = provider.create("Release", worker.inputs(worker.second, place))
  await expect(adoption).rejects.toThrow(
    "the token sees no zone elsewhere.example: give it the permission Zone Read, or set accounts:zoneId",
  )
  expect(await worker.shares()).toEqual([{ [worker.first]: 100 }])
})

test("a token that may not list zones finds the route in the zone that the stack file names", async () => {
  const worker = await setUp("well", "sick")
  await account.setRoutes(worker.scriptName, `${worker.host}/*`)
  const zoneId = "7a6f6e656163636f756e747300000001"
  using _refused = proxy.injectAll([
    { method: "GET", path: /\/zones\?/, fault: "403 before", times: 9 },
  ])
  const adoption = provider.create(
    "Release",
    worker.inputs(worker.second, { url: worker.url, zoneId }),
    { timeout: trialTimeout },
  )
  await expectRefused(worker, adoption)
})

test("an answer of another Worker at the old host does not hold up a Worker without traffic", async () => {
  const otherWorker = await setUp("well")
  await account.attachDomain(otherWorker.scriptName, otherWorker.host)
  const worker = await setUp("well", "well")
  // The first run failed when it attached the host, which was the other Worker's.
  const takenInputs = worker.inputs(worker.first, { url: otherWorker.url })
  const outputs = {
    accountId: takenInputs.accountId,
    scriptName: takenInputs.scriptName,
    deploymentId: "one",
  }
  const change = {
    id: worker.scriptName,
    olds: { ...outputs, versionId: worker.first },
    oldInputs: takenInputs,
    inputs: worker.inputs(worker.second, { url: worker.url }),
  }
  const released = await provider.update("Release", change, { timeout: trialTimeout })
  expect(released).toMatchObject({ versionId: worker.second })
  expect(await otherWorker.shares()).toEqual([{ [otherWorker.first]: 100 }])
})

test("a host is not verified by the answer of another Worker", async () => {
  const worker = await setUp("well")
  const otherWorker = await setUp("well")
  await account.attachDomain(otherWorker.scriptName, worker.host)
  const { accountId, scriptName, connectTo } = worker.inputs(worker.first)
  const inputs = { accountId, scriptName, connectTo, url: worker.url }
  const verified = provider.create("Verification", inputs, { timeout: trialTimeout })
  await endTrial(verified, `version ${otherWorker.first} answered instead of ${worker.first}`)
  await expect(verified).rejects.toThrow(
    `version ${otherWorker.first} answered instead of ${worker.first}. Cloudflare shows no such version of this Worker`,
  )
})

test("a host is verified by a version that another client deploys during the wait", async () => {
  const worker = await setUp("well", "well")
  const { accountId, scriptName, connectTo } = worker.inputs(worker.first)
  const inputs = { accountId, scriptName, connectTo, url: worker.url }
  const logStart = provider.log.length
  const verified = provider.create("Verification", inputs, { timeout: 60 })
  const waits = () => provider.log.slice(logStart).filter((line) => line.startsWith("not yet: "))
  await expect.poll(waits, { timeout: 60_000 }).not.toEqual([])
  await worker.deploy({ [worker.second]: 100 }, "hotfix")
  await account.attachDomain(scriptName, worker.host)
  await verified
  expect(provider.log).toContain(`${worker.host} is healthy: version ${worker.second}`)
})

test("a Worker with traffic whose deployments Cloudflare does not list is not released untried", async () => {
  const worker = await setUpWorker({ cloudflare, account, provider }, "well", "sick")
  await worker.create(worker.first)
  const path = new RegExp(`/scripts/${worker.scriptName}/deployments$`)
  proxy.inject({ method: "GET", path, fault: "10007 before" })
  await expect(worker.create(worker.second)).rejects.toThrow(
    /was not released, and nothing has changed: .* lists no deployment of worker-\d+, but says that it was deployed at 20/,
  )
  expect(await worker.shares()).toEqual([{ [worker.first]: 100 }])
})

test("a Worker that Cloudflare does not know as a script until its first deployment is released", async () => {
  const worker = await setUpWorker({ cloudflare, account, provider }, "well")
  const path = new RegExp(`/scripts/${worker.scriptName}/deployments$`)
  proxy.inject({ method: "GET", path, fault: "10007 before", times: 2 })
  await worker.create(worker.first)
  expect(await worker.shares()).toEqual([{ [worker.first]: 100 }])
})
