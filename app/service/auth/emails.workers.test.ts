import { expect, test, vi } from "vitest"

import { bindProduction, createBrowser } from "../../testing/browser.ts"
import { stopClock } from "../../testing/clock.ts"
import { openMailbox } from "../../testing/mailbox.ts"

const webUrl = "https://app.example.com"
const verify = "Verify your e-mail address"
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

test("where e-mail verification is required, sign-in fails until the link in the e-mail is opened", async () => {
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

test("e-mail verification rejects a forged link", async () => {
  const { bound } = setUp()
  const query = new URLSearchParams({ token: "forged", callbackURL: webUrl })
  const opened = await createBrowser(bound, null).get(`/api/auth/verify-email?${query.toString()}`)
  expect(opened.headers.get("location")).toBe(`${webUrl}?error=INVALID_TOKEN`)
})

test("an address that is too long for any mailbox is refused where an e-mail is asked for", async () => {
  const { browser } = setUp()
  const labels = Array.from({ length: 4 }, () => "a".repeat(61)).join(".")
  for (const path of ["send-verification-email", "request-password-reset"]) {
    const statusOf = async (email: string) =>
      (await browser.post(`/api/auth/${path}`, { email })).status
    expect([await statusOf(`ab@${labels}.com`), await statusOf(`abcd@${labels}.com`)]).toEqual([
      200, 400,
    ])
  }
})

test("e-mail verification sends the link again on request", async () => {
  const { mailbox, browser } = setUp()
  await browser.post("/api/auth/sign-up/email", signUp("again@example.com"))
  await browser.post("/api/auth/send-verification-email", { email: "again@example.com" })
  expect(await mailbox.arrived(2)).toHaveLength(2)
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
    const refused = await browser.post("/api/auth/reset-password", { token, newPassword })
    expect([refused.status, await refused.json()]).toMatchObject([400, { code }])
  }
  const change = { token, newPassword: "another long password" }
  using _clock = stopClock()
  vi.setSystemTime(Date.now() + 61 * 60 * 1000)
  const late = await browser.post("/api/auth/reset-password", change)
  expect([late.status, await late.json()]).toMatchObject([400, { code: "INVALID_TOKEN" }])
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

  const gone = await tokenFor(started, "gone@example.com")
  await bound.DB.prepare("delete from user where id = ?").bind(gone.id).run()
  const refused = await browser.post("/api/auth/reset-password", {
    ...change,
    token: gone.token,
  })
  expect([refused.status, await refused.json()]).toMatchObject([400, { code: "INVALID_TOKEN" }])
})

test("password reset redirects through the API to the requested page of the front end", async () => {
  const { mailbox, browser, bound } = setUp()
  await browser.post("/api/auth/sign-up/email", signUp("page@example.com"))
  const redirectTo = `${webUrl}/new-password`
  await browser.post("/api/auth/request-password-reset", {
    email: "page@example.com",
    redirectTo,
  })
  const opened = await createBrowser(bound, null).get(
    await mailbox.linkOf("page@example.com", reset),
  )
  expect(opened.headers.get("location")).toMatch(
    /^https:\/\/app\.example\.com\/new-password\?token=/,
  )
})

test("password reset answers an unknown address like a known one, and sends no e-mail", async () => {
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
