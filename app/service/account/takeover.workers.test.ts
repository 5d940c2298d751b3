import { expect, test } from "vitest"

import { bindProduction, type Browser, copyBrowser, createBrowser } from "../../testing/browser.ts"
import { createIdentityProvider } from "../../testing/identity-provider.ts"
import { openMailbox } from "../../testing/mailbox.ts"
import { knowAddress } from "../../testing/stranger.ts"

const webUrl = "https://app.example.com"
const reset = "Reset your password"
const passwords = { mallory: "the password of mallory", victim: "the password of victim" }

let hosts = 0

async function setUp() {
  const host = `takeover-${(hosts += 1)}.example`
  const provider = await createIdentityProvider(host)
  const mailbox = openMailbox({ [host]: provider.remote })
  const bound = {
    ...bindProduction({ LIMIT_EMAIL: undefined }),
    IDENTITY_PROVIDERS: JSON.stringify({
      idp: { issuer: provider.issuer, emailDomains: ["example.com"] },
    }),
    IDP_CLIENT_ID: "client-at-the-provider",
  }
  const email = `victim-${crypto.randomUUID()}@example.com`
  const post = (path: string, body: unknown) =>
    createBrowser(bound, webUrl).post(`/api/auth/${path}`, body)
  const home = createBrowser(bound, webUrl)
  const open = async (link: string) => (await home.open(link)).headers.get("location")
  const links = () =>
    mailbox.emails.flatMap(({ to, subject, text }) =>
      to === email ? [{ subject, link: /https?:\S+/.exec(text)?.[0] ?? "" }] : [],
    )
  return {
    mailbox,
    provider,
    bound,
    email,
    post,
    open,
    links,
    /** Each in a browser of their own; links are opened in the victim's. */
    signUp: (password: string, name = "Ada") =>
      (password === passwords.victim ? home : createBrowser(bound, webUrl)).post(
        "/api/auth/sign-up/email",
        { name, email, password, image: "https://tracker.example/a.png" },
      ),
    signIn: async (password: string) => (await post("sign-in/email", { email, password })).status,
    enterByProvider: async (search = "") => {
      const browser = createBrowser(bound, null)
      const started = await browser.get(`/api/auth/sign-in/idp${search}`)
      provider.forge({ claims: { sub: email, email, auth_time: Math.ceil(Date.now() / 1000) } })
      const query = new URLSearchParams(provider.authorize(started.headers.get("location") ?? ""))
      const response = await browser.get(`/api/auth/callback/idp?${query.toString()}`)
      return { browser, location: response.headers.get("location") }
    },
  }
}

test("a sign-up does not touch an account whose address is verified", async () => {
  const { mailbox, signUp, signIn, open, links } = await setUp()
  const first = await signUp(passwords.victim)
  await mailbox.arrived(1)
  await open(links()[0]?.link ?? "")
  const second = await signUp(passwords.mallory, "Mallory")
  await mailbox.arrived(2)
  const shapes = await Promise.all([first, second].map((response) => response.json<object>()))
  const [shape = {}, two = {}] = shapes
  expect(Object.keys(two)).toEqual(Object.keys(shape))
  expect([await signIn(passwords.mallory), await signIn(passwords.victim)]).toEqual([401, 200])
  expect(links().at(-1)?.subject).toBe("You already have an account")
})

test("proof by an identity provider drops what a stranger set on the address before", async () => {
  const { signUp, signIn, enterByProvider, email } = await setUp()
  await signUp(passwords.mallory, "Mallory")
  const { browser, location } = await enterByProvider()
  expect(location).toBe(webUrl)
  const session = await (await browser.get("/api/auth/get-session")).json()
  expect(session).toMatchObject({ user: { email, emailVerified: true, name: "Grace" } })
  expect(JSON.stringify(session)).not.toContain("tracker")
  expect(await signIn(passwords.mallory)).toBe(401)
  expect((await enterByProvider()).location).toBe(webUrl)
})

test("a password reset proves the address, and drops what a stranger set on it before", async () => {
  const { mailbox, bound, signUp, signIn, post, links, email } = await setUp()
  await signUp(passwords.mallory, "Mallory, see https://evil.example")
  await post("request-password-reset", { email })
  await mailbox.arrived(2)
  const link = links().find(({ subject }) => subject === reset)?.link ?? ""
  const token = new URL(link).searchParams.get("token")
  await post("reset-password", { token, newPassword: passwords.victim })
  expect([await signIn(passwords.mallory), await signIn(passwords.victim)]).toEqual([401, 200])
  const row = await bound.DB.prepare("select name, image, email_verified from user where email = ?")
    .bind(email)
    .first()
  expect(row).toEqual({ name: email.split("@")[0], image: null, email_verified: 1 })
})

test("a reset token is kept as a hash, is good until one is used, and ends when the password changes", async () => {
  const { mailbox, bound, signUp, post, open, links, email } = await setUp()
  await signUp(passwords.victim)
  await mailbox.arrived(1)
  await open(links()[0]?.link ?? "")
  const request = async (count: number) => {
    await post("request-password-reset", { email })
    await mailbox.arrived(count)
    return new URL(links().at(-1)?.link ?? "").searchParams.get("token") ?? ""
  }
  const older = await request(2)
  const newer = await request(3)
  const { results } = await bound.DB.prepare("select * from verification").all()
  expect(results).toHaveLength(2)
  for (const token of [older, newer]) expect(JSON.stringify(results)).not.toContain(token)
  const read = results.map((row) => String(row["identifier"]))
  for (const token of [...read, ...read.map((text) => text.replace("reset-password:", ""))]) {
    const body = { token, newPassword: passwords.mallory }
    expect((await post("reset-password", body)).status).toBe(400)
  }
  const newPassword = "a third long password"
  expect((await post("reset-password", { token: older, newPassword })).status).toBe(200)
  expect((await post("reset-password", { token: newer, newPassword })).status).toBe(400)

  // The fourth email of this hour needs a browser that the owner has signed in with.
  const browser = createBrowser(bound, webUrl)
  await browser.post("/api/auth/sign-in/email", { email, password: newPassword })
  await browser.post("/api/auth/request-password-reset", { email })
  await mailbox.arrived(4)
  const last = new URL(links().at(-1)?.link ?? "").searchParams.get("token")
  const change = { currentPassword: newPassword, newPassword: passwords.victim }
  expect((await browser.post("/api/auth/change-password", change)).status).toBe(200)
  expect((await post("reset-password", { token: last, newPassword })).status).toBe(400)
})

test("the state cookie of a sign-in with a provider is for the API's host alone", async () => {
  const { bound } = await setUp()
  const started = await createBrowser(bound, null).get("/api/auth/sign-in/idp")
  const [cookie = ""] = started.headers.getSetCookie()
  expect(cookie).toMatch(/^__Host-[\w.-]*oauth_state=/)
  expect(cookie).not.toMatch(/domain/i)
  expect(cookie).toMatch(/; Path=\/;.*; Secure/)
})

test("a sign-in with a provider does not finish with a state cookie that a sibling could set", async () => {
  const { bound, provider } = await setUp()
  const mallory = createBrowser(bound, null)
  const started = await mallory.get("/api/auth/sign-in/idp")
  const query = new URLSearchParams(provider.authorize(started.headers.get("location") ?? ""))
  const victim = createBrowser(bound, null)
  for (const [name, value] of mallory.cookies) {
    victim.cookies.set(name.replace("__Host-", "__Secure-"), value)
  }
  const response = await victim.get(`/api/auth/callback/idp?${query.toString()}`)
  expect(response.headers.get("location")).toContain("error=")
  expect(await (await victim.get("/api/auth/get-session")).json()).toBeNull()
})

async function signedInVictim(set: Awaited<ReturnType<typeof setUp>>) {
  await set.signUp(passwords.victim)
  await set.mailbox.arrived(1)
  await set.open(set.links()[0]?.link ?? "")
  const browser = createBrowser(set.bound, webUrl)
  await browser.post("/api/auth/sign-in/email", { email: set.email, password: passwords.victim })
  return browser
}

test("deleting an account takes its password, or a session that was just proven", async () => {
  const set = await setUp()
  const browser = await signedInVictim(set)
  await set.bound.DB.prepare("update session set proven_at = proven_at - 600000").run()
  const response = await browser.post("/api/auth/delete-user", {})
  expect(await response.json()).toMatchObject({ code: "STEP_UP_REQUIRED" })
  for (const body of [{ password: "" }, { password: passwords.mallory }]) {
    expect(await browser.call("/api/auth/delete-user", body)).toMatchObject({
      status: 400,
      body: { code: "INVALID_PASSWORD" },
    })
  }
  const deleted = await browser.post("/api/auth/delete-user", { password: passwords.victim })
  expect(deleted.status).toBe(200)
})

test("deleting an account without a password takes a fresh sign-in at its provider", async () => {
  const set = await setUp()
  const { browser } = await set.enterByProvider()
  const trusted = copyBrowser(browser, set.bound, webUrl)
  await set.bound.DB.prepare("update session set proven_at = proven_at - 600000").run()
  expect(await trusted.call("/api/auth/delete-user")).toMatchObject({
    status: 403,
    body: { code: "STEP_UP_REQUIRED", data: { ways: ["sign-in", "email"] } },
  })
  const signIn = await set.enterByProvider("?prompt=login")
  for (const [name, value] of signIn.browser.cookies) trusted.cookies.set(name, value)
  expect((await trusted.post("/api/auth/delete-user")).status).toBe(200)
})

/** An address that two people sign up with, and the links that it receives. */
function openSignUp() {
  const address = knowAddress()
  const { bound, email, post } = address
  return {
    ...address,
    resend: (browser: Browser, pages: object) => post("send-verification-email", pages, browser),
    verify: (body: object) => post("verify-email-with-password", body),
    /** Waits for so many emails and opens the link of the newest, as a mail program does. */
    openNewest: async (browser: Browser, count: number) => {
      const page = await address.open(count - 1, browser)
      const { error, token = "" } = Object.fromEntries(page.searchParams)
      return { page: page.origin, path: page.pathname, error, token }
    },
    userRow: () =>
      bound.DB.prepare("select name, image, email_verified as verified from user where email = ?")
        .bind(email)
        .first(),
  }
}

test("an unrequested email does not verify the password of the stranger who signed up", async () => {
  const { browserOf, signUp, signIn, openNewest, verify, userRow } = openSignUp()
  await signUp(passwords.mallory)
  // A telephone, a mail program's own browser, a scanner of links.
  const device = browserOf()
  const { error, token, page } = await openNewest(device, 1)
  expect({ error, page }).toEqual({ error: "PASSWORD_REQUIRED", page: webUrl })
  expect(device.cookies.size).toBe(0)
  expect((await signIn(passwords.mallory)).status).toBe(401)
  expect(await verify({ token, password: passwords.victim })).toMatchObject({
    status: 400,
    body: { code: "INVALID_PASSWORD" },
  })
  expect((await signIn(passwords.mallory)).status).toBe(401)

  expect(await verify({ token, newPassword: passwords.victim })).toMatchObject({
    status: 200,
    body: {},
  })
  expect([
    (await signIn(passwords.mallory)).status,
    (await signIn(passwords.victim)).status,
  ]).toEqual([401, 200])
  expect(await userRow()).toEqual({
    name: expect.stringMatching(/^victim-/),
    image: null,
    verified: 1,
  })
})

test("a link that is opened on another device verifies with the password of the sign-up", async () => {
  const { browserOf, signUp, signIn, openNewest, verify, userRow } = openSignUp()
  await signUp(passwords.victim)
  const { token } = await openNewest(browserOf(), 1)
  const answer = await verify({ token, password: passwords.victim })
  expect(answer.body).toEqual({ status: true, email: expect.stringMatching(/^victim-/) })
  expect((await signIn(passwords.victim)).status).toBe(200)
  expect(await userRow()).toMatchObject({ name: "Ada", verified: 1 })
  // The link now succeeds in every browser.
  expect((await openNewest(browserOf(), 1)).error).toBeUndefined()
})

test("a verification link sets a password once, and none when the address is verified", async () => {
  const { browserOf, signUp, signIn, openNewest, verify } = openSignUp()
  await signUp(passwords.mallory)
  const { token } = await openNewest(browserOf(), 1)
  const body = { token, newPassword: passwords.victim }
  const answers = await Promise.all([verify(body), verify(body)])
  expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 401])
  expect(await verify({ token, newPassword: passwords.mallory })).toMatchObject({
    status: 401,
    body: { code: "INVALID_TOKEN" },
  })
  expect([
    (await signIn(passwords.mallory)).status,
    (await signIn(passwords.victim)).status,
  ]).toEqual([401, 200])
})

test("what a link has not verified leads to the page of failure, of the sign-up or of who asks again", async () => {
  const { browserOf, post, resend, openNewest } = openSignUp()
  const pages = { callbackURL: `${webUrl}/verified`, errorCallbackURL: `${webUrl}/prove` }
  const browser = browserOf()
  await post("sign-up/email", { name: "Ada", password: passwords.victim, ...pages }, browser)
  const failed = { path: "/prove", error: "PASSWORD_REQUIRED" }
  expect(await openNewest(browserOf(), 1)).toMatchObject(failed)
  await resend(browser, { ...pages, errorCallbackURL: `${webUrl}/again` })
  expect(await openNewest(browserOf(), 2)).toMatchObject({ ...failed, path: "/again" })
  expect(await openNewest(browser, 2)).toMatchObject({ path: "/verified", error: undefined })
})

test("a verification with a password takes one password, a valid token, and ten attempts", async () => {
  const { browserOf, signUp, signIn, openNewest, verify } = openSignUp()
  await signUp(passwords.victim)
  const { token } = await openNewest(browserOf(), 1)
  const { victim: password } = passwords
  for (const body of [{ token }, { token, password, newPassword: password }]) {
    expect(await verify(body)).toMatchObject({
      status: 400,
      body: { code: "BAD_REQUEST", data: { issues: [{ path: ["password"] }] } },
    })
  }
  expect(await verify({ token, newPassword: "short" })).toMatchObject({
    status: 400,
    body: { code: "BAD_REQUEST", data: { issues: [{ path: ["newPassword"], minimum: 8 }] } },
  })
  expect(await verify({ token: "x", password })).toMatchObject({
    status: 401,
    body: { code: "INVALID_TOKEN" },
  })
  const wrong = () => verify({ token, password: passwords.mallory })
  const answers = await Promise.all(Array.from({ length: 12 }, wrong))
  expect(answers.filter(({ status }) => status === 400)).toHaveLength(10)
  expect(await verify({ token, password })).toMatchObject({
    status: 429,
    body: { code: "TOO_MANY_ATTEMPTS" },
  })
  expect((await signIn(passwords.victim)).status).toBe(401)
})

test("a browser that signed up with one address verifies another's link", async () => {
  const { browserOf, signUp, signIn, openNewest } = openSignUp()
  const browser = browserOf()
  await signUp(passwords.victim, browser)
  const account = {
    name: "Ada",
    email: `${crypto.randomUUID()}@example.com`,
    password: "x".repeat(9),
  }
  expect((await openNewest(browser, 1)).error).toBeUndefined()
  await browser.post("/api/auth/sign-up/email", account)
  expect((await openNewest(browser, 2)).error).toBeUndefined()
  expect((await signIn(passwords.victim)).status).toBe(200)
})
