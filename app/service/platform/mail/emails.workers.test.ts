import { env } from "cloudflare:workers"
import { expect, test, vi } from "vitest"

import { bind, bindProduction, createBrowser } from "../../../testing/browser.ts"
import { stopClock } from "../../../testing/clock.ts"
import { createFailingDatabase } from "../../../testing/failing-database.ts"
import { createMailbox, mail, openMailbox } from "../../../testing/mailbox.ts"
import { createNetwork } from "../../../testing/network.ts"
import { createPerson } from "../../../testing/person.ts"

const webUrl = "https://app.example.com"
const verify = "Verify your email address"
const reset = "Reset your password"
const password = "a good long password"

function setUp() {
  const mailbox = openMailbox()
  const bound = bindProduction({ MAIL_SECRET: "token-of-the-sender" })
  return { mailbox, bound, browser: createBrowser(bound, webUrl) }
}

function signUp(email: string) {
  return { name: "Ada", email, password }
}

test("when email verification is required, sign-in fails until the link in the email is opened", async () => {
  const { mailbox, browser } = setUp()
  const account = signUp("verify@example.com")

  const signedUp = await browser.post("/api/auth/sign-up/email", account)
  expect(await signedUp.json()).toMatchObject({ token: null, user: { emailVerified: false } })
  // No session: only the mark of the browser that waits for the e-mail.
  expect(signedUp.headers.getSetCookie().map((line) => line.replace(/=.*/, ""))).toEqual([
    "__Host-accounts-production.signed_up",
  ])

  const early = await browser.post("/api/auth/sign-in/email", account)
  expect(early.status).toBe(401)
  const wrong = { ...account, password: "not it at all" }
  const guess = await browser.post("/api/auth/sign-in/email", wrong)
  expect([guess.status, await guess.json()]).toEqual([early.status, await early.json()])

  const opened = await browser.open(await mailbox.linkOf(account.email, verify))
  expect(opened.status).toBe(302)
  expect(opened.headers.get("location")).toBe(webUrl)
  // Opening a link must not sign in: a scanner may open it, or it may be someone else's.
  expect(opened.headers.getSetCookie()).toEqual([])

  expect((await browser.post("/api/auth/sign-in/email", account)).status).toBe(200)
  expect(mailbox.requests[0]?.headers.get("authorization")).toBe("Bearer token-of-the-sender")
  expect(mailbox.emails[0]?.from).toBe("no-reply@app.example.com")
})

test("password reset accepts a token once, and revokes every session", async () => {
  const { mailbox, browser, bound } = setUp()
  const account = signUp("reset@example.com")
  await browser.post("/api/auth/sign-up/email", account)
  await browser.open(await mailbox.linkOf(account.email, verify))
  await browser.post("/api/auth/sign-in/email", account)

  const visitor = createBrowser(bound, webUrl)
  await visitor.post("/api/auth/request-password-reset", { email: account.email })
  const link = new URL(await mailbox.linkOf(account.email, reset))
  expect(`${link.origin}${link.pathname}`).toBe(`${webUrl}/reset-password`)
  const token = link.searchParams.get("token")

  const change = { token, newPassword: "another long password" }
  expect((await visitor.post("/api/auth/reset-password", change)).status).toBe(200)
  expect((await visitor.post("/api/auth/reset-password", change)).status).toBe(400)
  expect(await (await browser.get("/api/auth/get-session")).json()).toBeNull()
  expect((await browser.post("/api/auth/sign-in/email", account)).status).toBe(401)
  const renewed = { email: account.email, password: change.newPassword }
  expect((await browser.post("/api/auth/sign-in/email", renewed)).status).toBe(200)
})

async function tokenFor({ mailbox, browser }: ReturnType<typeof setUp>, email: string) {
  const signedUp = await browser.post("/api/auth/sign-up/email", signUp(email))
  const { user } = await signedUp.json<{ user: { id: string } }>()
  await browser.post("/api/auth/request-password-reset", { email })
  const link = new URL(await mailbox.linkOf(email, reset))
  return { token: link.searchParams.get("token"), id: user.id }
}

test("password reset rejects an expired token, and keeps a token sent with a bad password", async () => {
  const started = setUp()
  const { browser } = started
  const { token } = await tokenFor(started, "late@example.com")
  const code = "BAD_REQUEST"
  for (const newPassword of ["short", "x".repeat(129)]) {
    expect(await browser.call("/api/auth/reset-password", { token, newPassword })).toMatchObject({
      status: 400,
      body: { code },
    })
  }
  const change = { token, newPassword: "another long password" }
  using _clock = stopClock()
  vi.setSystemTime(Date.now() + 61 * 60 * 1000)
  expect(await browser.call("/api/auth/reset-password", change)).toMatchObject({
    status: 400,
    body: { code: "INVALID_TOKEN" },
  })
  expect((await browser.post("/api/auth/reset-password", change)).status).toBe(400)
})

test("password reset works for an account without a password, but not for a deleted one", async () => {
  const started = setUp()
  const { browser, bound } = started
  const email = "first@example.com"
  const { token, id } = await tokenFor(started, email)
  await bound.DB.prepare("delete from account where user_id = ?").bind(id).run()
  await bound.DB.prepare("update user set email_verified = 1 where id = ?").bind(id).run()
  const change = { token, newPassword: "another long password" }
  expect((await browser.post("/api/auth/reset-password", change)).status).toBe(200)
  const account = { email, password: change.newPassword }
  expect((await browser.post("/api/auth/sign-in/email", account)).status).toBe(200)

  const deleted = await tokenFor(started, "gone@example.com")
  await bound.DB.prepare("delete from user where id = ?").bind(deleted.id).run()
  expect(
    await browser.call("/api/auth/reset-password", {
      ...change,
      token: deleted.token,
    }),
  ).toMatchObject({ status: 400, body: { code: "INVALID_TOKEN" } })
})

test("password reset answers an unknown address like a known one, and sends no email", async () => {
  const { mailbox, browser } = setUp()
  const body = { email: "nobody@example.com" }
  const response = await browser.post("/api/auth/request-password-reset", body)
  expect(await response.json()).toMatchObject({ status: true })
  // By now an e-mail would be on its way, though perhaps not delivered.
  expect(mailbox.requests).toEqual([])
})

test.each([
  "https://evil.example/",
  "https://app.example.com.evil.example/",
  "https://app.example.com@evil.example/",
  "https://sub.app.example.com/",
  "http://app.example.com/",
  "https://app.example.com:8443/",
  "/new-password",
  "//evil.example/",
  "/%5cevil.example",
  "javascript:alert(1)",
  "https:/\\evil.example/",
  "https://app.example.com\\@evil.example/",
  "https://app.example.com\t/",
  " https://app.example.com/",
  "https://ada:secret@app.example.com/",
])("links in e-mails and redirects do not lead to %s", async (url) => {
  const { mailbox, browser } = setUp()
  const email = `${crypto.randomUUID()}@example.com`
  const calls = [
    browser.post("/api/auth/request-password-reset", { email, redirectTo: url }),
    browser.post("/api/auth/sign-up/email", { ...signUp(email), callbackURL: url }),
    browser.post("/api/auth/sign-in/email", { email, password, callbackURL: url }),
    browser.post("/api/auth/send-verification-email", { email, callbackURL: url }),
    browser.get(`/api/auth/verify-email?token=x&callbackURL=${encodeURIComponent(url)}`),
    browser.get(`/api/auth/reset-password/x?callbackURL=${encodeURIComponent(url)}`),
    browser.get(`/api/auth/sign-in/idp?callbackURL=${encodeURIComponent(url)}`),
    browser.get(`/api/auth/sign-in/idp?errorCallbackURL=${encodeURIComponent(url)}`),
    browser.get(`/api/auth/sign-in/idp?newUserCallbackURL=${encodeURIComponent(url)}`),
  ]
  for (const response of await Promise.all(calls)) {
    expect([response.status, await response.json()]).toMatchObject([
      400,
      { data: { issues: [{ message: expect.stringContaining("https://app.example.com/") }] } },
    ])
  }
  expect(mailbox.requests).toEqual([])
})

function openAccount(remote = createMailbox()) {
  createNetwork({ "mail.example": remote.remote })
  const bound = bindProduction({ LIMIT_EMAIL: undefined })
  const email = `${crypto.randomUUID()}@example.com`
  const account = { name: "Ada", email, password: "a good long password" }
  return { mailbox: remote, bound, account, browser: createBrowser(bound, webUrl) }
}

/** A verified account, with the browser signed in. */
async function signedIn() {
  const set = openAccount()
  await set.browser.post("/api/auth/sign-up/email", set.account)
  const link = await set.mailbox.linkOf(set.account.email, verify)
  await set.browser.open(link)
  await set.browser.post("/api/auth/sign-in/email", set.account)
  return set
}

test("sign-up from another site is refused, as JSON and as a form", async () => {
  const navigation = {
    "sec-fetch-site": "cross-site",
    "sec-fetch-mode": "navigate",
    "sec-fetch-dest": "document",
  }
  const body = { name: "Ada", email: `${crypto.randomUUID()}@example.com`, password: "x".repeat(9) }
  const foreign = createBrowser(bind(), "https://evil.example")
  for (const [type, text] of [
    ["application/json", JSON.stringify(body)],
    ["application/x-www-form-urlencoded", new URLSearchParams(body).toString()],
  ] as const) {
    const headers = { "content-type": type, ...navigation }
    const refused = await foreign.send("POST", "/api/auth/sign-up/email", { headers, body: text })
    expect([refused.status, await refused.json()]).toMatchObject([403, { code: "INVALID_ORIGIN" }])
  }
  const response = await createBrowser().post("/api/auth/sign-up/email", body)
  expect(response.status).toBe(200)
})

test("sign-up records the client's address and user agent with its session", async () => {
  const browser = createBrowser()
  const body = { name: "Ada", email: `${crypto.randomUUID()}@example.com`, password: "x".repeat(9) }
  const headers = { "cf-connecting-ip": "203.0.113.7", "user-agent": "test-user-agent" }
  await browser.post("/api/auth/sign-up/email", body, headers)
  expect(await (await browser.get("/api/auth/get-session")).json()).toMatchObject({
    session: { ipAddress: "203.0.113.7", userAgent: "test-user-agent" },
  })
})

test("sign-up whose session cannot be stored leaves nothing", async () => {
  const body = { name: "Ada", email: `${crypto.randomUUID()}@example.com`, password: "x".repeat(9) }
  const failing = bind({ DB: createFailingDatabase(env.DB, /insert into "session"/) })
  const failed = await createBrowser(failing).post("/api/auth/sign-up/email", body)
  expect(failed.status).toBe(503)
  expect(failed.headers.getSetCookie()).toEqual([])
  expect((await createBrowser().post("/api/auth/sign-in/email", body)).status).toBe(401)
  expect((await createBrowser().post("/api/auth/sign-up/email", body)).status).toBe(200)
})

test("a password reset keeps the query of its page, and dates the account's change", async () => {
  const { mailbox, account, browser, bound } = await signedIn()
  const updatedAt = () =>
    bound.DB.prepare(
      "select updated_at from account where user_id = (select id from user where email = ?)",
    )
      .bind(account.email)
      .first<number>("updated_at")
  const before = await updatedAt()
  const redirectTo = `${webUrl}/new?foo=bar&baz=qux`
  await browser.post("/api/auth/request-password-reset", { email: account.email, redirectTo })
  const opened = await createBrowser(bound, null).get(await mailbox.linkOf(account.email, reset))
  const page = new URL(opened.headers.get("location") ?? "")
  expect(Object.fromEntries(page.searchParams)).toMatchObject({ foo: "bar", baz: "qux" })
  const token = page.searchParams.get("token")
  using _clock = stopClock()
  vi.setSystemTime(Date.now() + 1000)
  await browser.post("/api/auth/reset-password", { token, newPassword: "another long password" })
  expect(await updatedAt()).toBeGreaterThan(before ?? Infinity)
})

test("a mail service that fails changes no answer", async () => {
  const failing = { ...createMailbox(), remote: () => new Response("down", { status: 500 }) }
  const { account, browser } = openAccount(failing)
  for (const [path, body] of [
    ["sign-up/email", account],
    ["send-verification-email", { email: account.email }],
    ["request-password-reset", { email: account.email }],
  ] as const) {
    expect([path, (await browser.post(`/api/auth/${path}`, body)).status]).toEqual([path, 200])
  }
})

test("a verification link keeps the query of its page, and ends after a day", async () => {
  const { mailbox, account, browser } = openAccount()
  const callbackURL = `${webUrl}/app?redirect=/dashboard&verified=${encodeURIComponent("a+b@x.io")}`
  await browser.post("/api/auth/sign-up/email", { ...account, callbackURL })
  const link = await mailbox.linkOf(account.email, verify)
  const open = async () => (await browser.open(link)).headers.get("location") ?? ""
  const clock = stopClock()
  vi.setSystemTime(Date.now() + 25 * 60 * 60 * 1000)
  expect(await open()).toBe(`${callbackURL}&error=TOKEN_EXPIRED`)
  clock[Symbol.dispose]()
  expect(await open()).toBe(callbackURL)
})

test("every session of an account sees that its address has been verified", async () => {
  const mailbox = openMailbox()
  const bound = bind(mail)
  const person = await createPerson(bound)
  const second = createBrowser(bound)
  await second.post("/api/auth/sign-in/email", person)
  await person.browser.open(await mailbox.linkOf(person.email, verify))
  for (const browser of [person.browser, second]) {
    const session = await browser.get("/api/auth/get-session")
    expect(await session.json()).toMatchObject({ user: { emailVerified: true } })
  }
})
