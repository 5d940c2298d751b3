import { expect, test } from "vitest"

import { startProviderUnderTest } from "../testing/provider-under-test.ts"
import { setUpWorker } from "../testing/worker-under-test.ts"
import { describeRefusal } from "./service-request.ts"

const { cloudflare, provider, account } = await startProviderUnderTest()

/** A Worker at a host of its own, which the zone may guard. */
async function setUp() {
  const worker = await setUpWorker(
    { cloudflare, account, provider, workersDev: false },
    "well",
    "well",
  )
  const host = `${worker.scriptName}.accounts.test`
  await account.attachDomain(worker.scriptName, host)
  await worker.deploy({ [worker.first]: 100 })
  return {
    ...worker,
    host,
    release: (trialHeaders?: Record<string, string>) => {
      const inputs = worker.inputs(worker.second, { url: `http://${host}` })
      return provider.create("Release", { ...inputs, ...(trialHeaders && { trialHeaders }) })
    },
  }
}

test("a release passes the Browser Integrity Check, which is on by default", async () => {
  const worker = await setUp()
  await worker.release()
  expect((await worker.shares())[0]).toEqual({ [worker.second]: 100 })
})

test("Bot Fight Mode ends a release immediately, with an error that names what to turn off", async () => {
  const worker = await setUp()
  await cloudflare.local("/local/settings", { fightMode: true })
  const release = worker.release()
  await expect(release).rejects.toThrow(
    /challenges this client as a bot \(cf-mitigated: challenge\)\. Turn off Bot Fight Mode.* \(after 3 attempts\)/,
  )
  await cloudflare.local("/local/settings", { fightMode: false })
  expect((await worker.shares())[0]).toEqual({ [worker.first]: 100 })
})

test.each([true, false])(
  "Access (login: %s) is named, and lets a release with its service token pass",
  async (login) => {
    const worker = await setUp()
    const serviceTokens = [{ id: "release.access", secret: "canary-of-the-token" }]
    const accessApplications = [{ host: worker.host, login, serviceTokens }]
    await cloudflare.local("/local/settings", { accessApplications })
    await expect(worker.release()).rejects.toThrow(
      /Cloudflare Access (asks for a login at|refuses).*Service Auth.*accounts:trialHeaders \(after 3/,
    )
    const headers = {
      "CF-Access-Client-Id": "release.access",
      "CF-Access-Client-Secret": "canary-of-the-token",
    }
    const { outputs } = await worker.release(headers)
    expect(outputs).toMatchObject({ versionId: worker.second })
    expect(JSON.stringify(outputs) + provider.log.join("\n")).not.toContain("canary")
  },
)

test("a WAF rule is named, and lets a release with its header pass", async () => {
  const worker = await setUp()
  const except = { header: "x-accounts-release", value: "a-sealed-value" }
  await cloudflare.local("/local/settings", { firewallRules: [{ host: worker.host, except }] })
  await expect(worker.release()).rejects.toThrow(/403: a WAF rule of the zone .*\(error 1020\)/)
  await worker.release({ "X-Accounts-Release": "a-sealed-value" })
  expect((await worker.shares())[0]).toEqual({ [worker.second]: 100 })
})

test.each([
  [403, {}, "error code: 1010", /Browser Integrity Check refused this client/, true],
  [429, { "retry-after": "30" }, "error code: 1015", /rate limit .*for 30 s/, false],
  [530, {}, "error code: 1016", /DNS record leads to no origin/, false],
  [404, {}, "", /404 without the header accounts-version/, false],
  [302, { location: "https://elsewhere.example/" }, "", /302 without the header/, false],
])("%s %o %s is read as what it is", (status, headers, text, problem, final) => {
  const refusal = describeRefusal({ status, headers, text, versionId: undefined, cookies: [] })
  expect(refusal.problem).toMatch(problem)
  expect(refusal.final).toBe(final)
})
