import { setTimeout as delay } from "node:timers/promises"

import { askEdge } from "@accounts-stack/local/cloudflare/testing/ask-edge"
import { workersDevHost } from "@accounts-stack/local/seed"
import { expect, test } from "vitest"
import * as z from "zod"

import { startProviderUnderTest } from "../testing/provider-under-test.ts"

const { cloudflare, proxy, provider, account } = await startProviderUnderTest()

/** How a version serves members; it is always healthy. */
type Manner = "well" | "5 % fail" | "5 % throw" | "all fail" | "slow"

const source = `let served = 0
export default {
  async fetch(request, { MANNER, VERSION }) {
    const headers = { "accounts-version": VERSION.id }
    if (new URL(request.url).pathname === "/api/health") {
      return Response.json({ status: "ok", version: { id: VERSION.id } }, { headers })
    }
    served += 1
    if (MANNER === "5 % throw" && served % 20 === 0) throw new Error("uncaught")
    const fails = MANNER === "all fail" || (MANNER === "5 % fail" && served % 20 === 0)
    const iterations = MANNER === "slow" ? 100_000 : 1000
    const key = await crypto.subtle.importKey("raw", new Uint8Array(8), "PBKDF2", false, ["deriveBits"])
    const salt = new Uint8Array(16)
    await crypto.subtle.deriveBits({ name: "PBKDF2", hash: "SHA-512", salt, iterations }, key, 512)
    return new Response("", { status: fails ? 500 : 200, headers })
  },
}`

let workers = 0

async function setUp(first: Manner, second: Manner, logs: object = { enabled: true }) {
  workers += 1
  const scriptName = `watched-${workers}`
  const created = await account.call("POST", "/workers/workers", {
    name: scriptName,
    subdomain: { enabled: true, previews_enabled: false },
    observability: { enabled: true, logs },
  })
  const workerId = z.object({ id: z.string() }).parse(created).id
  const upload = (manner: Manner) =>
    account.upload(workerId, source, {
      bindings: [
        { type: "version_metadata", name: "VERSION" },
        { type: "plain_text", name: "MANNER", text: manner },
      ],
    })
  const [old, fresh] = [await upload(first), await upload(second)]
  const host = workersDevHost(scriptName)
  const inputs = (versionId: string, overrides: object = {}) => ({
    accountId: cloudflare.accountId,
    scriptName,
    versionId,
    url: `http://${host}`,
    connectTo: cloudflare.edge,
    ...overrides,
  })
  const { id, outputs: olds } = await provider.create("Release", inputs(old, { steps: [100] }))
  const queries = { method: "POST", path: /telemetry\/query$/, body: new RegExp(`"${scriptName}"`) }
  let visited = 0
  return {
    old,
    fresh,
    queries,
    visited: () => visited,
    shares: async () => (await account.deployments(scriptName)).map(({ shares }) => shares),
    /** @param visits requests of members, which come while it runs */
    async release(limits: object, { visits = 0, bake = 2 } = {}) {
      const change = { limits, steps: [50, 100], bake }
      const stop = new AbortController()
      const oldInputs = inputs(old, { steps: [100] })
      const update = provider
        .update("Release", { id, olds, oldInputs, inputs: inputs(fresh, change) }, { timeout: 60 })
        .then(() => "released", String)
        .finally(() => stop.abort())
      const visit = async () => {
        while (!stop.signal.aborted) {
          visited += 1
          await askEdge(cloudflare.edge, host, "/api/auth/sign-up/email")
          await delay(1000 / visits)
        }
      }
      const [outcome] = await Promise.all([update, visits > 0 && visit()])
      return outcome
    },
  }
}

const plenty = { visits: 60, bake: 6 }

test.concurrent.each([
  ["5 % fail", /[\d.]+ % failed \([1-9]\d* answered 5xx, 0 without an answer\)/],
  ["5 % throw", /[\d.]+ % failed \(0 answered 5xx, [1-9]\d* without an answer\)/],
] as const)(
  "a version of whose requests %s is taken back, and what was seen is said",
  async (manner, expectedReason) => {
    const worker = await setUp("well", manner)
    const outcome = await worker.release({ requests: 50, failures: 2 }, { ...plenty, bake: 60 })
    expect(outcome).toMatch(expectedReason)
    expect(outcome).toMatch(
      /after \d+ s at 50 % it was more than accounts:releaseLimits\.failures \(2\) worse .*: \d+ requests/,
    )
    expect(outcome).toContain(`Version ${worker.old} serves again at 100 % and is healthy`)
    expect(await worker.shares()).toEqual([
      { [worker.old]: 100 },
      { [worker.old]: 50, [worker.fresh]: 50 },
      { [worker.old]: 100, [worker.fresh]: 0 },
      { [worker.old]: 100 },
    ])
  },
)

test.concurrent("a version that takes more processor time than the one beside it is taken back", async () => {
  const worker = await setUp("well", "slow")
  const outcome = await worker.release({ requests: 50, cpu: 100 }, { ...plenty, bake: 60 })
  expect(outcome).toMatch(/after \d+ s at 50 % .*releaseLimits\.cpu \(100\) worse/)
  expect((await worker.shares())[0]).toEqual({ [worker.old]: 100 })
})

test.concurrent("a version that serves as the one beside it is released, though both fail as often", async () => {
  const worker = await setUp("all fail", "all fail")
  // Requests logged during the queries favour neither version.
  using _slow = proxy.injectAll([{ ...worker.queries, first: () => delay(1500), times: 100 }])
  const limits = { requests: 5, failures: 2, cpu: 1000 }
  expect(await worker.release(limits, { ...plenty, bake: 12 })).toBe("released")
  // A run that says nothing for a minute would seem to wait for Cloudflare.
  expect(provider.log).toContainEqual(
    expect.stringMatching(`version ${worker.fresh} is healthy, and stays at 50 % for [1-9] s more`),
  )
  expect(provider.log.join("\n")).toMatch(
    new RegExp(
      `version ${worker.fresh} was judged .* at 50 %: .* 100.0 % failed .* 100.0 % failed`,
    ),
  )
})

test.concurrent("a version without visits is not released, unless no requests are required", async () => {
  const unjudged = (least: number) =>
    `not judged by its traffic at 50 %: too few requests, as accounts:releaseLimits asks for ${least} of each version: 0 requests`
  const worker = await setUp("well", "all fail")
  expect(await worker.release({ requests: 50, failures: 2 })).toContain(`it was ${unjudged(50)}`)
  expect((await worker.shares())[0]).toEqual({ [worker.old]: 100 })
  expect(await worker.release({ requests: 0, failures: 2 })).toBe("released")
  expect(provider.log.join("\n")).toContain(`version ${worker.fresh} was ${unjudged(1)}`)
})

test.concurrent("of sampled logs, the requests that they have are counted, not what those stand for", async () => {
  const worker = await setUp("well", "well", { enabled: true, head_sampling_rate: 0.2 })
  const outcome = await worker.release({ requests: 100_000, failures: 2 }, plenty)
  const [, logged] = /too few requests, .* of each version: (\d+) requests/.exec(outcome) ?? []
  // Half of the visits reach the version, and the logs have a fifth of these.
  expect(Number(logged)).toBeGreaterThan(0)
  expect(Number(logged)).toBeLessThan(worker.visited() * 0.3)
})

/** As if what was logged could not be queried yet. */
function notYet(result: object) {
  const calculations = ["requests", "cpuMs", "cpuVariance"].map((alias) => ({
    alias,
    aggregates: [],
  }))
  return { ...result, calculations }
}

test.concurrent("numbers that come late are waited for as long as it bakes, and said to be late after that", async () => {
  const worker = await setUp("well", "5 % fail")
  const limits = { requests: 50, failures: 2 }
  {
    // A look is two queries, and a third for whether the logs are late.
    using _late = proxy.injectAll([{ ...worker.queries, change: notYet, times: 2 + 3 }])
    const outcome = await worker.release(limits, { ...plenty, bake: 60 })
    expect(outcome).toContain("releaseLimits.failures (2) worse")
  }
  using _later = proxy.injectAll([{ ...worker.queries, change: notYet, times: 100 }])
  const outcome = await worker.release(limits, plenty)
  expect(outcome).toMatch(
    /not judged .*logs show none of its requests, not even this release's own: they are late/,
  )
  expect((await worker.shares())[0]).toEqual({ [worker.old]: 100 })
})

test.concurrent.each([
  ["403 before", "needs a token with Account › Workers Observability: Edit"],
  ["500 before", "500"],
] as const)("logs that cannot be asked (%s) are said before anything moves", async (fault, why) => {
  const worker = await setUp("well", "well")
  using _fault = proxy.injectAll([{ ...worker.queries, fault, times: 100 }])
  const outcome = await worker.release({ requests: 0, failures: 2 })
  expect(outcome).toContain("was not released, and nothing has changed")
  expect(outcome).toContain(why)
  expect(await worker.shares()).toEqual([{ [worker.old]: 100 }])
})

test("logs that stop answering while it bakes are said, and never taken for health", async () => {
  const worker = await setUp("well", "well")
  const released = worker.release({ requests: 1, failures: 2 }, plenty)
  await expect.poll(worker.shares, { timeout: 20_000 }).toHaveLength(3)
  using _fault = proxy.injectAll([{ ...worker.queries, fault: "403 before", times: 100 }])
  const outcome = await released
  expect(outcome).toMatch(
    /not judged by its traffic at 50 %: Cloudflare's logs could not be asked: .*403/,
  )
  expect((await worker.shares())[0]).toEqual({ [worker.old]: 100 })
})
