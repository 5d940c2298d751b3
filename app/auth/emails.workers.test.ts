import { describe, expect, it, vi } from "vitest"

import { bindProduction, createBrowser } from "../testing/browser.ts"
import { createMailbox } from "../testing/mailbox.ts"
import { createNetwork } from "../testing/network.ts"

const webUrl = "https://app.example.com"
const verify = "Verify your e-mail address"
const reset = "Reset your password"
const password = "a good long password"

function setUp() {
  const mailbox = createMailbox()
  const network = createNetwork({ "mail.example": mailbox.remote })
  const bound = bindProduction({ MAIL_SECRET: "token-of-the-sender" })
  return { mailbox, network, bound, browser: createBrowser(bound, webUrl) }
}

function signUp(email: string) {
  return { name: "Ada", email, password }
}

describe("e-mail verification, where it is required", () => {
  it("lets nobody in before the link of the mail was opened", async () => {
    const { mailbox, network, browser } = setUp()
    using _ = network
    const account = signUp("verify@example.com")

    const signedUp = await browser.post("/api/auth/sign-up/email", account)
    expect(await signedUp.json()).toMatchObject({ token: null, user: { emailVerified: false } })
    expect(signedUp.headers.getSetCookie()).toEqual([])

    const early = await browser.post("/api/auth/sign-in/email", account)
    expect(early.status).toBe(403)
    expect(await early.json()).toMatchObject({ code: "EMAIL_NOT_VERIFIED" })

    const opened = await createBrowser(bindProduction(), null).get(
      await mailbox.linkOf(account.email, verify),
    )
    expect(opened.status).toBe(302)
    expect(opened.headers.get("location")).toBe(webUrl)
    // Opening a link signs nobody in: it may be a scanner, or somebody else's link.
    expect(opened.headers.getSetCookie()).toEqual([])

    expect((await browser.post("/api/auth/sign-in/email", account)).status).toBe(200)
    expect(network.requests[0]?.headers.get("authorization")).toBe("Bearer token-of-the-sender")
    expect(mailbox.letters[0]?.from).toBe("no-reply@app.example.com")
  })

  it("refuses a forged link", async () => {
    const { network, bound } = setUp()
    using _ = network
    const query = new URLSearchParams({ token: "forged", callbackURL: webUrl })
    const opened = await createBrowser(bound, null).get(
      `/api/auth/verify-email?${query.toString()}`,
    )
    expect(opened.headers.get("location")).toBe(`${webUrl}?error=INVALID_TOKEN`)
  })

  it("answers a sign-up with a known address as one with a new address, and tells its owner", async () => {
    const { mailbox, network, browser } = setUp()
    using _ = network
    const account = signUp("known@example.com")
    const first = await browser.post("/api/auth/sign-up/email", account)
    await mailbox.arrived(1)
    const second = await browser.post("/api/auth/sign-up/email", account)
    expect(second.status).toBe(first.status)
    const shape = async (response: Response) => Object.keys(await response.json<object>())
    expect(await shape(second)).toEqual(await shape(first))
    const letters = await mailbox.arrived(2)
    expect(letters.map(({ subject }) => subject)).toEqual([verify, "You already have an account"])
  })

  it("sends the link again on request", async () => {
    const { mailbox, network, browser } = setUp()
    using _ = network
    await browser.post("/api/auth/sign-up/email", signUp("again@example.com"))
    await browser.post("/api/auth/send-verification-email", { email: "again@example.com" })
    expect(await mailbox.arrived(2)).toHaveLength(2)
  })
})

describe("password reset", () => {
  it("takes a mailed token once, and ends every session", async () => {
    const { mailbox, network, browser, bound } = setUp()
    using _ = network
    const account = signUp("reset@example.com")
    await browser.post("/api/auth/sign-up/email", account)
    await createBrowser(bound, null).get(await mailbox.linkOf(account.email, verify))
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

  const tokenFor = async ({ mailbox, browser }: ReturnType<typeof setUp>, email: string) => {
    const signedUp = await browser.post("/api/auth/sign-up/email", signUp(email))
    const { user } = await signedUp.json<{ user: { id: string } }>()
    await browser.post("/api/auth/request-password-reset", { email })
    const link = new URL(await mailbox.linkOf(email, reset))
    return { token: link.searchParams.get("token"), id: user.id }
  }

  it("refuses an old token, and keeps one that came with a bad password", async () => {
    const started = setUp()
    using _ = started.network
    const { browser } = started
    const { token } = await tokenFor(started, "late@example.com")
    for (const [newPassword, code] of [
      ["short", "PASSWORD_TOO_SHORT"],
      ["x".repeat(129), "PASSWORD_TOO_LONG"],
    ] as const) {
      const refused = await browser.post("/api/auth/reset-password", { token, newPassword })
      expect([refused.status, await refused.json()]).toMatchObject([400, { code }])
    }
    const change = { token, newPassword: "another long password" }
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 61 * 60 * 1000 })
    const late = await browser.post("/api/auth/reset-password", change)
    vi.useRealTimers()
    expect([late.status, await late.json()]).toMatchObject([400, { code: "INVALID_TOKEN" }])
    expect((await browser.post("/api/auth/reset-password", change)).status).toBe(400)
  })

  it("gives a password to an account that has none, and to none that is gone", async () => {
    const started = setUp()
    using _ = started.network
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

  it("leads through the API to a page of the front end that was asked for", async () => {
    const { mailbox, network, browser, bound } = setUp()
    using _ = network
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

  it("answers an unknown address like a known one, and writes to nobody", async () => {
    const { network, browser } = setUp()
    using _ = network
    const body = { email: "nobody@example.com" }
    const response = await browser.post("/api/auth/request-password-reset", body)
    expect(await response.json()).toMatchObject({ status: true })
    // A letter would be on its way by now, though it may not have arrived.
    expect(network.requests).toEqual([])
  })

  it("sends nobody to a foreign page", async () => {
    const { network, browser } = setUp()
    using _ = network
    const body = { email: "page@example.com", redirectTo: "https://evil.example/" }
    const response = await browser.post("/api/auth/request-password-reset", body)
    expect(response.status).toBe(403)
  })
})
