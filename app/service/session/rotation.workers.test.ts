import { expect, test, vi } from "vitest"

import {
  bind,
  bindProduction,
  type Browser,
  copyBrowser,
  createBrowser,
  webUrl,
} from "../../testing/browser.ts"
import { stopClock } from "../../testing/clock.ts"
import { openMailbox } from "../../testing/mailbox.ts"
import { createPerson, password } from "../../testing/person.ts"
import { visitProvider } from "../../testing/provider-visit.ts"
import { sessionLifetime } from "../platform/cookie/browser-cookies.ts"

const hour = 60 * 60 * 1000
const previous = "the-secret-before-the-rotation-0123456789"
const next = "the-secret-after-the-rotation-9876543210"

type Bound = Parameters<typeof createBrowser>[0]

/** The bindings before, during and after a rotation whose secret begins to sign in an hour. */
function rotation(base: (changes: Parameters<typeof bind>[0]) => ReturnType<typeof bind> = bind) {
  const from = Date.now() + hour
  const unlimited = { LIMIT_EMAIL: undefined, LIMIT_ADDRESS: undefined, LIMIT_MEMBER: undefined }
  return {
    from,
    before: base({ ...unlimited, AUTH_SECRET: previous }),
    both: base({
      ...unlimited,
      AUTH_SECRET: next,
      AUTH_SECRET_PREVIOUS: previous,
      AUTH_SECRET_FROM: new Date(from).toISOString(),
    }),
    after: base({ ...unlimited, AUTH_SECRET: next }),
  }
}

async function isSignedIn(browser: Browser) {
  const read = await (await browser.get("/api/auth/get-session")).json()
  const { status } = await browser.get("/api/v1/getProfile")
  expect(status).toBe(read === null ? 401 : 200)
  return read !== null
}

test("no session is lost while versions before and after a rotation serve side by side", async () => {
  using _ = stopClock()
  const { before, both, after, from } = rotation()
  const people = await Promise.all(
    Array.from({ length: 24 }, (_unused, index) => createPerson(index % 2 ? before : both)),
  )
  const browsers = people.map(({ browser }) => browser)
  // Every browser meets both versions, whichever signed it in.
  for (const version of [before, both, before, both]) {
    const areSignedIn = await Promise.all(
      browsers.map((browser) => isSignedIn(copyBrowser(browser, version))),
    )
    expect(areSignedIn).toEqual(browsers.map(() => true))
  }

  vi.setSystemTime(from)
  for (const browser of browsers) expect(await isSignedIn(copyBrowser(browser, both))).toBe(true)
  const late = await createPerson(both)
  expect([
    await isSignedIn(late.browser),
    await isSignedIn(copyBrowser(late.browser, after)),
  ]).toEqual([true, true])
  expect(await isSignedIn(copyBrowser(late.browser, before))).toBe(false)
})

test("a session in use outlives the rotation, and one that the former secret signed ends with it", async () => {
  using _ = stopClock()
  const { before, both, after, from } = rotation()
  const [used, idle] = [await createPerson(before), await createPerson(before)]
  const browser = copyBrowser(used.browser, both)
  const end = from + sessionLifetime * 1000
  for (let now = from; now < end; now += 23 * hour) {
    vi.setSystemTime(now)
    expect(await isSignedIn(browser)).toBe(true)
  }
  vi.setSystemTime(end)
  // Nothing that the former secret signed is of use any more.
  expect(await isSignedIn(copyBrowser(idle.browser, both))).toBe(false)
  expect(await isSignedIn(copyBrowser(browser, after))).toBe(true)
})

test("a session that the former secret signed is listed, signed out and revoked as any other", async () => {
  using _ = stopClock()
  const { before, both, from } = rotation()
  const { browser, email } = await createPerson(before)
  const second = createBrowser(before)
  await second.post("/api/auth/sign-in/email", { email, password, rememberMe: false })
  vi.setSystemTime(from)
  const moved = copyBrowser(second, both)
  const listed = await (await moved.get("/api/auth/list-sessions")).json<unknown[]>()
  expect(listed).toHaveLength(2)
  expect((await moved.post("/api/auth/revoke-other-sessions")).status).toBe(200)
  expect(await isSignedIn(copyBrowser(browser, both))).toBe(false)
  expect((await copyBrowser(second, both).post("/api/auth/sign-out")).status).toBe(200)
  expect(await isSignedIn(copyBrowser(second, both))).toBe(false)
})

test("a session that ends with the browser still does so after a rotation", async () => {
  using _ = stopClock()
  const { before, both, from } = rotation()
  const { email } = await createPerson(before)
  const browser = createBrowser(before)
  await browser.post("/api/auth/sign-in/email", { email, password, rememberMe: false })
  vi.setSystemTime(from)
  const renewed = await copyBrowser(browser, both).get("/api/auth/get-session")
  expect(await renewed.json()).not.toBeNull()
  // A session of days would get a persistent cookie.
  expect(renewed.headers.getSetCookie()).toEqual([])
})

test("a sign-in with a provider that began before a rotation ends well after it, and the other way", async () => {
  using _ = stopClock()
  const { before, both, from } = rotation()
  for (const [started, finished, time] of [
    [before, both, Date.now()],
    [both, before, Date.now()],
    [before, both, from],
    [both, both, from],
  ] as const) {
    const { bound, provider, browser } = await visitProvider()
    const starting = copyBrowser(browser, { ...bound, ...secretsOf(started) }, null)
    vi.setSystemTime(Math.max(Date.now(), time - 60_000))
    const response = await starting.get("/api/auth/sign-in/idp")
    vi.setSystemTime(Math.max(Date.now(), time))
    const answer = provider.authorize(response.headers.get("location") ?? "")
    const finishing = copyBrowser(starting, { ...bound, ...secretsOf(finished) }, null)
    const landed = await finishing.get(
      `/api/auth/callback/idp?${new URLSearchParams(answer).toString()}`,
    )
    expect(landed.headers.get("location")).toBe(webUrl)
  }
})

test("an emailed link verifies its address across a rotation, on either version", async () => {
  using _ = stopClock()
  const { before, both, from } = rotation(bindProduction)
  for (const [signedUp, opened, time] of [
    [before, both, Date.now()],
    [both, before, Date.now()],
    [before, both, from],
  ] as const) {
    const mailbox = openMailbox()
    const email = `ada-${crypto.randomUUID()}@example.com`
    const browser = createBrowser(signedUp, "https://app.example.com")
    await browser.post("/api/auth/sign-up/email", { name: "Ada", email, password })
    const link = await mailbox.linkOf(email, "Verify your email address")
    vi.setSystemTime(Math.max(Date.now(), time))
    // The browser that signed up has a mark that the previous secret signed.
    const landed = await copyBrowser(browser, opened, null).get(link)
    expect(landed.headers.get("location")).toBe("https://app.example.com")
  }
})

test("a browser that was known before a rotation is known after it, and for good once it signs in", async () => {
  using _ = stopClock()
  const { before, both, after, from } = rotation()
  const { email } = await createPerson(before)
  const browser = createBrowser(before)
  const signIn = (visitor: Browser, word = password) =>
    visitor.post("/api/auth/sign-in/email", { email, password: word })
  await signIn(browser)
  vi.setSystemTime(from)
  const moved = copyBrowser(browser, both)
  for (const bound of [both, after]) {
    for (let count = 0; count < 11; count += 1) await signIn(createBrowser(bound), "a wrong one")
    expect((await signIn(createBrowser(bound))).status).toBe(429)
    expect((await signIn(copyBrowser(moved, bound))).status).toBe(200)
    if (bound === both) await signIn(moved)
  }
})

test("counts of attempts continue while two versions serve, and begin again once when the secret signs", async () => {
  using _ = stopClock()
  const { before, both, from } = rotation()
  const { email } = await createPerson(before)
  vi.setSystemTime(from - 60_000)
  const attempt = async (bound: Bound) =>
    (await createBrowser(bound).post("/api/auth/sign-in/email", { email, password: "a wrong one" }))
      .status
  for (let count = 0; count < 10; count += 1) await attempt(count % 2 ? before : both)
  expect([await attempt(before), await attempt(both)]).toEqual([429, 429])
  vi.setSystemTime(from)
  expect(await attempt(both)).toBe(401)
})

test.each([
  ["AUTH_SECRET_PREVIOUS", "short"],
  ["AUTH_SECRET_FROM", "tomorrow"],
])("configuration fails closed with %s %j", async (name, value) => {
  const spy = vi.spyOn(console, "error").mockImplementation(() => {})
  const response = await createBrowser(bindProduction({ [name]: value })).get("/api/auth/ok")
  expect(response.status).toBe(503)
  expect(String(spy.mock.calls[0]?.[0])).toContain(`${name}: `)
  spy.mockRestore()
})

function secretsOf({
  AUTH_SECRET,
  AUTH_SECRET_PREVIOUS,
  AUTH_SECRET_FROM,
}: ReturnType<typeof bind>) {
  return { AUTH_SECRET, AUTH_SECRET_PREVIOUS, AUTH_SECRET_FROM }
}
