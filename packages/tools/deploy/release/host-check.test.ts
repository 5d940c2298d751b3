import { expect, test } from "vitest"

import { startProviderUnderTest } from "../testing/provider-under-test.ts"

const { cloudflare, proxy, provider, account } = await startProviderUnderTest()

/** A Worker that the stack does not manage. */
await account.createWorker("front")

const zoneId = "7a6f6e656163636f756e747300000001"

function inputs(hostname: string, overrides: Record<string, unknown> = {}) {
  const { accountId } = cloudflare
  const base = { accountId, scriptName: "accounts-new", hostname, attach: "domain" }
  return { ...base, zone: "accounts.test", routes: [], ...overrides }
}

/** Outcome of a preview, which asks the API the same as a creation. */
async function preview(hostname: string, overrides?: Record<string, unknown>) {
  const logStart = provider.log.length
  const outcome = await provider
    .create("HostCheck", inputs(hostname, overrides), { preview: true })
    .then(
      () => "can be attached",
      (error: unknown) => String(error),
    )
  return { said: outcome, warnings: provider.log.slice(logStart) }
}

async function addRecord(record: Record<string, unknown>) {
  const response = await fetch(`${cloudflare.api}/zones/${zoneId}/dns_records`, {
    method: "POST",
    headers: { authorization: `Bearer ${cloudflare.token}`, "content-type": "application/json" },
    body: JSON.stringify({ ttl: 1, ...record }),
  })
  expect(response.status).toBe(200)
}

function deleteSubdomain() {
  return cloudflare.local("/local/settings", { subdomain: null })
}

test("a free host can be attached, and only reading finds that out", async () => {
  const requestStart = proxy.seen.length
  expect(await preview("free.accounts.test")).toEqual({ said: "can be attached", warnings: [] })
  const created = await provider.create("HostCheck", inputs("free.accounts.test"))
  expect(created.outputs).toMatchObject({ scriptName: "accounts-new", zoneId })
  const requests = proxy.seen.slice(requestStart)
  expect(new Set(requests.map(({ method }) => method))).toEqual(new Set(["GET"]))
  expect(requests.filter(({ path }) => path.includes("/zones?"))).toHaveLength(2)
})

test("a host with a DNS record of its own is refused for a domain, and fits a route", async () => {
  const name = "taken.accounts.test"
  await addRecord({ type: "A", name, content: "192.0.2.1", proxied: true })
  const { said } = await preview(name)
  expect(said).toContain("taken.accounts.test cannot be attached, and nothing has been created")
  expect(said).toContain("it has a DNS record already (A 192.0.2.1)")
  const route = { attach: "route", routes: [`${name}/*`] }
  expect(await preview(name, route)).toEqual({ said: "can be attached", warnings: [] })
})

test("a route without a proxied DNS record is said to reach nothing", async () => {
  // The zone has a proxied record for every name that has none of its own.
  const covered = await preview("deep.below.accounts.test", { attach: "route" })
  expect(covered).toEqual({ said: "can be attached", warnings: [] })
  await addRecord({ type: "A", name: "plain.accounts.test", content: "192.0.2.1", proxied: false })
  const { said, warnings } = await preview("plain.accounts.test", { attach: "route" })
  expect(said).toBe("can be attached")
  expect(warnings).toEqual([
    "plain.accounts.test has no proxied DNS record, so no request reaches its route until it has one",
  ])
})

test("a host or a route of another Worker is refused, and one of its own is not", async () => {
  await account.createWorker("other-worker")
  await account.attachDomain("other-worker", "others.accounts.test")
  await account.setRoutes("other-worker", "shop.accounts.test/*")
  expect((await preview("others.accounts.test")).said).toContain(
    "it is the custom domain of the Worker other-worker",
  )
  const ownScript = { scriptName: "other-worker" }
  expect((await preview("others.accounts.test", ownScript)).said).toBe("can be attached")
  const routes = { routes: ["shop.accounts.test/*"] }
  expect((await preview("shop.accounts.test", routes)).said).toContain(
    "the route shop.accounts.test/* exists and leads to the Worker other-worker",
  )
})

test("a host that leads to the stack's previous Worker does not block a change of its name", async () => {
  await account.createWorker("former-worker")
  await account.attachDomain("former-worker", "former.accounts.test")
  const formerInputs = inputs("former.accounts.test", { scriptName: "former-worker" })
  const renamed = inputs("former.accounts.test")
  const change = { olds: formerInputs, oldInputs: formerInputs, inputs: renamed }
  const id = "former.accounts.test"
  expect(await provider.update("HostCheck", { id, ...change }, { preview: true })).toEqual({
    ...renamed,
    zoneId,
  })
})

test("a zone that is not the account's is refused, and so is another zone's id", async () => {
  expect((await preview("api.elsewhere.test", { zone: "elsewhere.test" })).said).toContain(
    `The zone elsewhere.test of the account ${cloudflare.accountId} cannot be looked up: it has no zone of that name that the token sees`,
  )
  const wrong = { zoneId: "0123456789abcdef0123456789abcdef" }
  expect((await preview("free.accounts.test", wrong)).said).toContain(
    `the zone accounts.test is ${zoneId}: correct it`,
  )
})

test("a zone that may not be looked up is one message, and its id in the stack file the way out", async () => {
  const fault = "10007 before"
  using _refused = proxy.injectAll([{ method: "GET", path: /\/zones\?/, fault, times: 1 }])
  const requestStart = proxy.seen.length
  const { said } = await preview("open.accounts.test")
  expect(said).toContain(`The zone accounts.test of the account ${cloudflare.accountId} cannot be`)
  expect(said).toContain("For a token that may not look up zones, set accounts:zoneId.")
  expect(proxy.seen.length - requestStart).toBe(1)
})

test.each([
  // It runs before a custom domain: developers.cloudflare.com/workers/configuration/routing/routes
  ["*.wide.accounts.test/*", "domain", "api/health"],
  ["*wide.accounts.test/api/auth/*", "domain", "api/auth/"],
  ["api.wide.accounts.test/api/*", "route", "api/"],
  ["https://api.wide.accounts.test/api/health", "route", "api/health"],
])(
  "a foreign route that takes requests of the host (%s, of a %s) is refused",
  async (pattern, attach, path) => {
    await account.setRoutes("front", pattern)
    const { said } = await preview("api.wide.accounts.test", { attach, routes: ownRoutes(attach) })
    expect(said).toContain(
      `the route ${pattern} takes requests such as https://api.wide.accounts.test/${path} before it, and leads to the Worker front`,
    )
  },
)

test.each([
  // The stack's own is more specific.
  ["*.wide.accounts.test/*", "route"],
  ["https://*wide.accounts.test/api/*", "route"],
  ["http://api.wide.accounts.test/*", "domain"],
  ["api.wide.accounts.test/blog/*", "domain"],
  ["wide.accounts.test/*", "domain"],
])(
  "a foreign route that takes no request of the host (%s, of a %s) refuses nothing",
  async (pattern, attach) => {
    await account.setRoutes("front", pattern)
    const result = await preview("api.wide.accounts.test", { attach, routes: ownRoutes(attach) })
    expect(result).toEqual({ said: "can be attached", warnings: [] })
  },
)

test("a Worker that was put before the stack's own host on purpose is said, and refuses nothing", async () => {
  await account.createWorker("behind")
  await account.attachDomain("behind", "logged.accounts.test")
  await account.setRoutes("front", "logged.accounts.test/*")
  expect(await preview("logged.accounts.test", { scriptName: "behind" })).toEqual({
    said: "can be attached",
    warnings: [expect.stringContaining("and leads to the Worker front")],
  })
})

/** Paths of the stack on a host that a front end's Worker serves. */
const beside = {
  attach: "paths",
  routes: ["shop.wide.accounts.test/api/*", "shop.wide.accounts.test/sign-in*"],
}

test.each(["shop.wide.accounts.test/*", "shop.wide.accounts.test/blog/*", "*wide.accounts.test/*"])(
  "paths fit a host on which a front end has %s",
  async (pattern) => {
    await account.setRoutes("front", pattern)
    const free = { said: "can be attached", warnings: [] }
    expect(await preview("shop.wide.accounts.test", beside)).toEqual(free)
  },
)

test.each([
  ["shop.wide.accounts.test/api/auth/*", "api/auth/"],
  ["shop.wide.accounts.test/sign-in", "sign-in"],
  ["shop.wide.accounts.test/sign-in/code*", "sign-in/code"],
])("a foreign route over the paths (%s) is refused", async (pattern, path) => {
  await account.setRoutes("front", pattern)
  expect((await preview("shop.wide.accounts.test", beside)).said).toContain(
    `the route ${pattern} takes requests such as https://shop.wide.accounts.test/${path} before it`,
  )
})

test("paths fit the custom domain of a front end's Worker", async () => {
  await account.setRoutes("front")
  await account.attachDomain("front", "domain.wide.accounts.test")
  const routes = ["domain.wide.accounts.test/api/*"]
  const free = { said: "can be attached", warnings: [] }
  expect(await preview("domain.wide.accounts.test", { attach: "paths", routes })).toEqual(free)
})

function ownRoutes(attach: string): string[] {
  return attach === "route" ? ["api.wide.accounts.test/*"] : []
}

test("a host of workers.dev is that of the account's subdomain, or is refused before anything is created", async () => {
  const onWorkersDev = { zone: undefined }
  const ownHost = "accounts-new.accounts-local.workers.dev"
  const free = { said: "can be attached", warnings: [] }
  expect(await preview(ownHost, onWorkersDev)).toEqual(free)
  const wrong = await preview("accounts-new.elsewhere.workers.dev", onWorkersDev)
  expect(wrong.said).toContain(
    `accounts-new.elsewhere.workers.dev cannot be attached, and nothing has been created:\n  the account's subdomain is accounts-local: write https://${ownHost}`,
  )
  await deleteSubdomain()
  const withoutSubdomain = await preview(ownHost, onWorkersDev)
  expect(withoutSubdomain.said).toContain(
    "the account has no subdomain of workers.dev: register one",
  )
})

test.each([
  [/\/zones\?/, "whether the zone accounts.test is the account's"],
  [/\/workers\/domains/, "whether open.accounts.test belongs to another Worker"],
  [/\/dns_records/, "whether open.accounts.test has a DNS record"],
  [/\/workers\/routes/, "whether routes of accounts.test belong to another Worker"],
])("what the token may not read (%s) is said, and refuses nothing", async (path, subject) => {
  const fault = "10007 before"
  using _refused = proxy.injectAll([{ method: "GET", path, fault, times: 10 }])
  const overrides = { zoneId, routes: ["open.accounts.test/*"] }
  const { said, warnings } = await preview("open.accounts.test", overrides)
  expect(said).toBe("can be attached")
  expect(warnings).toEqual([expect.stringContaining(`not checked: ${subject}`)])
})

test("a subdomain of workers.dev that the token may not read is said, and refuses nothing", async () => {
  const path = /\/workers\/subdomain/
  using _refused = proxy.injectAll([{ method: "GET", path, fault: "403 before", times: 4 }])
  const { said, warnings } = await preview("a.b.workers.dev", { zone: undefined })
  expect(said).toBe("can be attached")
  expect(warnings).toEqual([expect.stringContaining("not checked: the account's subdomain")])
})

test("a host is asked about again only when it or its place changes", async () => {
  const oldInputs = inputs("free.accounts.test")
  const diff = (overrides: Record<string, unknown>) =>
    provider.diff("HostCheck", {
      olds: { ...oldInputs, zoneId },
      oldInputs,
      inputs: { ...oldInputs, ...overrides },
    })
  expect((await diff({})).changes).toBe(false)
  expect((await diff({ hostname: "next.accounts.test" })).paths).toEqual(["hostname"])
})

test("state of a former release, which lacks the zone's id, shows no change", async () => {
  const olds = inputs("free.accounts.test")
  const { changes } = await provider.diff("HostCheck", { olds, oldInputs: olds, inputs: olds })
  expect(changes).toBe(false)
  const state = { id: "free.accounts.test", inputs: olds, outputs: olds }
  expect(await provider.read("HostCheck", state)).toEqual(state)
})

test("a refresh says which Worker has the host now, and nothing of the stack's own", async () => {
  const hostname = "moved.accounts.test"
  const state = { id: hostname, inputs: inputs(hostname), outputs: { ...inputs(hostname), zoneId } }
  const read = async (scriptName: string) => {
    const logStart = provider.log.length
    const outputs = { ...state.outputs, scriptName }
    expect(await provider.read("HostCheck", { ...state, outputs })).toMatchObject({ outputs })
    return provider.log.slice(logStart)
  }
  expect(await read("accounts-new")).toEqual([])
  await account.attachDomain("front", hostname)
  expect(await read("accounts-new")).toEqual([
    `${hostname} is the custom domain of the Worker front: detach it there, and the next up attaches it to accounts-new again`,
  ])
  expect(await read("front")).toEqual([])
})

test("a refresh finds the new id of a zone that was added again, and keeps the old one when it may not look", async () => {
  const before = inputs("free.accounts.test")
  const outputs = { ...before, zoneId: "0123456789abcdef0123456789abcdef" }
  const state = { id: "free.accounts.test", inputs: before, outputs }
  expect(await provider.read("HostCheck", state)).toMatchObject({ outputs: { zoneId } })
  const fault = "10007 before"
  using _refused = proxy.injectAll([{ method: "GET", path: /\/zones\?/, fault, times: 1 }])
  expect(await provider.read("HostCheck", state)).toMatchObject({ outputs })
})
