import { env } from "cloudflare:workers"
import { expect, test, vi } from "vitest"

import { bind, bindProduction, createBrowser, webUrl as localUrl } from "../../testing/browser.ts"
import { stopClock } from "../../testing/clock.ts"
import { createFailingDatabase } from "../../testing/failing-database.ts"
import { createMailbox, mail, openMailbox } from "../../testing/mailbox.ts"
import { createNetwork } from "../../testing/network.ts"
import { createPerson } from "../../testing/person.ts"

/*
 * Cases that the library tests for endpoints which this service replaces, and that no other test of
 * this folder has. docs/specification.md lists all of them.
 */

const webUrl = "https://app.example.com"
const verify = "Verify your e-mail address"
const reset = "Reset your password"

function setUp(remote = createMailbox()) {
  createNetwork({ "mail.example": remote.remote })
  const bound = bindProduction({ LIMIT_EMAIL: undefined })
  const email = `${crypto.randomUUID()}@example.com`
  const account = { name: "Ada", email, password: "a good long password" }
  return { mailbox: remote, bound, account, browser: createBrowser(bound, webUrl) }
}

/** A verified account, with the browser signed in. */
async function signedIn() {
  const set = setUp()
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
  const own = await createBrowser().post("/api/auth/sign-up/email", body)
  expect(own.status).toBe(200)
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
  const { account, browser } = setUp(failing)
  for (const [path, body] of [
    ["sign-up/email", account],
    ["send-verification-email", { email: account.email }],
    ["request-password-reset", { email: account.email }],
  ] as const) {
    expect([path, (await browser.post(`/api/auth/${path}`, body)).status]).toEqual([path, 200])
  }
})

test("a verification link keeps the query of its page, and ends after a day", async () => {
  const { mailbox, account, browser } = setUp()
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

test("a password is changed and an account deleted only with a session", async () => {
  for (const [path, body] of [
    ["change-password", { currentPassword: "x".repeat(9), newPassword: "y".repeat(9) }],
    ["delete-user", { password: "x".repeat(9) }],
  ] as const) {
    const refused = await createBrowser(bind(), localUrl).post(`/api/auth/${path}`, body)
    expect([path, refused.status, await refused.json()]).toMatchObject([
      path,
      401,
      { code: "UNAUTHORIZED" },
    ])
  }
})
