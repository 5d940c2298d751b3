import { expect, test, vi } from "vitest"

import { startProviderUnderTest } from "../testing/provider-under-test.ts"
import { setUpService, smokeKey } from "../testing/service-under-test.ts"
import { trySignIn } from "./sign-in-trial.ts"

const { cloudflare, provider, account } = await startProviderUnderTest()

const scriptName = "service"
const service = await setUpService(account, scriptName)
const good = await service.createVersion()
const address = { url: service.url, connectTo: cloudflare.edge }
const smoke = { key: smokeKey, origin: service.url }

function inputs(versionId: string, overrides: object = { smoke }) {
  return {
    accountId: cloudflare.accountId,
    scriptName,
    versionId,
    ...address,
    steps: [100],
    ...overrides,
  }
}

async function shares() {
  return (await account.deployments(scriptName)).map((each) => each.shares)
}

const release = await provider.create("Release", inputs(good))

function update(versionId: string, overrides?: object) {
  const oldInputs = inputs(good)
  const change = {
    ...release,
    olds: release.outputs,
    oldInputs,
    inputs: inputs(versionId, overrides),
  }
  return provider.update("Release", change, { timeout: 20 })
}

/** The service, except that requests to this path fail. */
function without(path: string) {
  return (module: string) => {
    return `${module.replace(/export\s*\{\s*([\w$]+) as default/, "const served=$1;export{guarded as default")}
    const guarded = { ...served, fetch: (request, ...rest) =>
      new URL(request.url).pathname === "/api/auth${path}"
        ? Response.json({ code: "BROKEN" }, { status: 500, headers: { "accounts-version": rest[0].VERSION.id } })
        : served.fetch(request, ...rest) }`
  }
}

test("a version whose health is fine but whose sign-in is broken gets no traffic", async () => {
  const broken = await service.createVersion(without("/sign-in/email"))
  await expect(update(broken)).rejects.toThrow(
    /sign-in\/email.* answered 500 instead of [\s\S]*serves again at 100 % and is healthy/,
  )
  const [live, ...before] = await shares()
  expect(live).toEqual({ [good]: 100 })
  expect(before).toContainEqual({ [good]: 100, [broken]: 0 })
  expect(before).not.toContainEqual({ [broken]: 100 })
})

test("a version that does not trust the front end's origin gets no traffic", async () => {
  const origin = "https://app.accounts.test"
  const locked = await service.createVersion(undefined, {
    WEB_URL: origin,
    AUTH_TRUSTED_ORIGIN: service.url,
  })
  await expect(update(locked, { smoke: { ...smoke, origin } })).rejects.toThrow(
    /sign-up\/email: the preflight of https:\/\/app\.accounts\.test was answered 403.*accounts:trustedOrigins[\s\S]*INVALID_ORIGIN/,
  )
  expect((await shares())[0]).toEqual({ [good]: 100 })

  const open = await service.createVersion(undefined, {
    WEB_URL: origin,
    AUTH_TRUSTED_ORIGIN: `${origin},${service.url}`,
  })
  await update(open, { smoke: { ...smoke, origin } })
  expect((await shares())[0]).toEqual({ [open]: 100 })
})

test("a good version passes the sign-in trial, which leaves no account behind", async () => {
  const before = await service.users()
  const next = await service.createVersion()
  const outputs = await update(next)
  expect(outputs).toMatchObject({ versionId: next })
  expect(JSON.stringify(outputs)).not.toContain(smokeKey)
  expect((await shares())[0]).toEqual({ [next]: 100 })
  expect(await service.users()).toEqual(before)
})

test.each([-40, 90])(
  "a machine whose clock is %d minutes off signs in as well, by the service's own",
  async (minutes) => {
    const [live = {}] = await shares()
    const [expected = ""] = Object.keys(live)
    const { now } = Date
    const clock = vi.spyOn(Date, "now").mockImplementation(() => now() + minutes * 60_000)
    const messages: string[] = []
    const say = (message: string) => void messages.push(message)
    try {
      const log = { info: say, warn: say }
      const { signal } = new AbortController()
      await trySignIn({ address, smoke, expected, deadline: Date.now() + 60_000, log, signal })
    } finally {
      clock.mockRestore()
    }
    expect(messages).toEqual([expect.stringContaining("was deleted on version")])
  },
)

test("a key that the version does not have fails the release", async () => {
  const next = await service.createVersion()
  const wrong = { smoke: { ...smoke, key: "k".repeat(32) } }
  await expect(update(next, wrong)).rejects.toThrow(/sign-up\/email answered 403.*RESERVED_ADDRESS/)
})

test("a new hostname is verified by signing in, and the key is not among the outputs", async () => {
  const outcome = await provider.create("Verification", { ...address, smoke })
  expect(outcome.outputs).toEqual(address)
  expect(provider.log.at(-2)).toMatch(/^a smoke-test account signed up, signed in and was deleted/)
  const wrong = { ...address, smoke: { ...smoke, key: "k".repeat(32) } }
  await expect(provider.create("Verification", wrong)).rejects.toThrow(/answered 403/)
  const change = { olds: outcome.outputs, oldInputs: { ...address, smoke }, inputs: wrong }
  expect(await provider.diff("Verification", change)).toMatchObject({ changes: false })
})

test("without a key only health decides, which is logged", async () => {
  const broken = await service.createVersion(without("/sign-in/email"))
  const alone = "health alone decided: no sign-in was tried"
  expect(await update(broken, {})).toMatchObject({ versionId: broken })
  expect(provider.log.filter((line) => line === alone)).toHaveLength(1)
  await provider.create("Verification", address)
  expect(provider.log.filter((line) => line === alone)).toHaveLength(2)
})
