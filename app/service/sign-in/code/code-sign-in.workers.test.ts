import { env } from "cloudflare:workers"
import { expect, test } from "vitest"

import { bind, createBrowser } from "../../../testing/browser.ts"
import { createFactorPerson, finish, later } from "../../../testing/factor-person.ts"
import { password } from "../../../testing/person.ts"
import { openCodes, sessionsOf } from "./testing/code-mail.ts"

const firefox = "Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0"

test("a member signs in with an emailed code, and the email says when and where it was requested", async () => {
  const codes = openCodes()
  const { id, email } = await codes.createMember()
  const browser = createBrowser(codes.bound)
  const headers = { "user-agent": firefox }
  const code = await codes.codeFor(browser, email, headers)
  const [letter] = codes.lettersTo(email)
  expect(letter?.subject).toBe("Your code to sign in")
  expect(letter?.text).toMatch(/on \d+ \w+ \d{4} at \d\d:\d\d UTC, with Firefox on Linux\. /)
  expect(letter?.text).not.toMatch(/https?:/)
  const answer = await codes.enter(browser, code)
  expect(await answer.json()).toMatchObject({ token: expect.any(String), user: { id, email } })
  const session = await (await browser.get("/api/auth/get-session")).json()
  expect(session).toMatchObject({
    session: { factor: null, remembered: true, provenAt: expect.any(String) },
    user: { id, emailVerified: true },
  })
  const entry = env.DB.prepare(
    "select detail from audit_entry where subject_id = ? and action = 'sign_in' order by rowid desc",
  )
  expect(await entry.bind(id).first("detail")).toBe("code")
  expect(await (await browser.get("/api/v1/listWays")).json()).toMatchObject({ emailCode: true })
})

test("a code is in the member's language, and a session can end with the browser", async () => {
  const codes = openCodes()
  const { id, email } = await codes.createMember("email_verified = 1, language = 'de'")
  const browser = createBrowser(codes.bound)
  const code = await codes.codeFor(browser, email, { "user-agent": "curl/8.0 <b>me</b>" })
  const [letter] = codes.lettersTo(email)
  expect(letter?.subject).toBe("Dein Code zum Anmelden")
  expect(letter?.text).toMatch(
    /am \d+\. \S+ \d{4} um \d\d:\d\d UTC, mit einem unbekannten Browser /,
  )
  expect(letter?.text).not.toContain("curl")
  expect((await codes.enter(browser, code, { rememberMe: false })).status).toBe(200)
  const row = env.DB.prepare(
    "select remembered from session where user_id = ? order by created_at desc",
  )
  expect(await row.bind(id).first("remembered")).toBe(0)
})

test("a code verifies the address, and removes what a stranger has set on an unverified account", async () => {
  const codes = openCodes()
  const { id, email, browser: stranger } = await codes.createMember("name = 'Mallory'")
  const owner = createBrowser(codes.bound)
  const answer = await codes.enter(owner, await codes.codeFor(owner, email))
  const name = email.split("@")[0]
  expect(await answer.json()).toMatchObject({ user: { id, name, emailVerified: true } })
  expect(await sessionsOf(id)).toBe(1)
  expect(await (await stranger.get("/api/auth/get-session")).json()).toBeNull()
  expect((await stranger.post("/api/auth/sign-in/email", { email, password })).status).toBe(401)
  expect((await owner.get("/api/v1/getProfile")).status).toBe(200)
})

// The browser may be shared: another person may have signed up there.
test.each(["true", "false"])(
  "a code keeps nothing of a sign-up, not even in its browser (VERIFY_EMAIL %s)",
  async (VERIFY_EMAIL) => {
    const codes = openCodes({ VERIFY_EMAIL })
    const email = `${crypto.randomUUID()}@example.com`
    const [shared, stranger] = [createBrowser(codes.bound), createBrowser(codes.bound)]
    await stranger.post("/api/auth/sign-up/email", { name: "Eve", email, password: `${password}!` })
    await shared.post("/api/auth/sign-up/email", { name: "Mallory", email, password })
    const answer = await codes.enter(shared, await codes.codeFor(shared, email))
    const name = email.split("@")[0]
    expect(await answer.json()).toMatchObject({ user: { name, image: null, emailVerified: true } })
    for (const word of [password, `${password}!`]) {
      const signedIn = await stranger.post("/api/auth/sign-in/email", { email, password: word })
      expect(signedIn.status).toBe(401)
    }
  },
)

test("an account that has proven its address keeps its password, its sessions and its name", async () => {
  const codes = openCodes()
  const { id, email, browser: at } = await codes.createMember()
  const browser = createBrowser(codes.bound)
  const answer = await codes.enter(browser, await codes.codeFor(browser, email))
  expect(await answer.json()).toMatchObject({ user: { name: "Ada" } })
  expect(await sessionsOf(id)).toBe(2)
  expect((await at.get("/api/v1/getProfile")).status).toBe(200)
  expect((await at.post("/api/auth/sign-in/email", { email, password })).status).toBe(200)
})

test("codes are off by default, and settings say whether they open accounts", async () => {
  const off = createBrowser(bind())
  expect(await (await off.get("/api/v1/settings")).json()).toMatchObject({ emailCode: false })
  for (const [path, body] of [
    ["/api/auth/sign-in/code/begin", { email: "ada@example.com" }],
    ["/api/auth/sign-in/code", { code: "00000000" }],
  ] as const) {
    const answer = await off.post(path, body)
    expect(answer.status).toBe(403)
    expect(await answer.json()).toMatchObject({ code: "EMAIL_CODE_OFF" })
    expect(answer.headers.getSetCookie()).toEqual([])
  }
  const codes = openCodes()
  const on = createBrowser(codes.bound)
  expect(await (await on.get("/api/v1/settings")).json()).toMatchObject({ emailCode: true })
})

test("a code by e-mail is a way that is left, and enough where passwords are off", async () => {
  const codes = openCodes()
  const { id, email } = await codes.createMember()
  const off = { ...codes.bound, PASSWORDS: "off" }
  const browser = createBrowser(off)
  expect((await codes.enter(browser, await codes.codeFor(browser, email))).status).toBe(200)
  const account = env.DB.prepare("update account set provider_id = 'idp' where user_id = ?")
  await account.bind(id).run()
  const removed = await browser.post("/api/auth/unlink-account", { providerId: "idp" })
  expect(removed.status).toBe(200)
})

test("codes without a mail service are refused as a configuration", async () => {
  const lacks = createBrowser(bind({ EMAIL_CODE: "on", MAIL_URL: undefined }))
  expect((await lacks.get("/api/auth/get-session")).status).toBe(503)
})

test("a code from an e-mail asks for the second factor, and opens nothing by itself", async () => {
  const codes = openCodes()
  const { id, email, app } = await createFactorPerson(codes.bound)
  const browser = createBrowser(codes.bound)
  const code = await codes.codeFor(browser, email)
  const halfway = await codes.enter(browser, code)
  expect([halfway.status, await halfway.json()]).toMatchObject([
    403,
    { code: "SECOND_FACTOR_REQUIRED", data: { ways: ["totp", "recovery"] } },
  ])
  expect(await (await browser.get("/api/auth/get-session")).json()).toBeNull()
  // It is spent, in this browser and in one that has its cookies.
  expect((await codes.enter(browser, code)).status).toBe(400)

  const signedIn = await finish(browser, { code: app.code(), trustBrowser: true })
  expect(signedIn).toMatchObject({ status: 200, body: { user: { id, email } } })
  await later(id)
  // A browser that is trusted needs the code alone.
  const response = await codes.enter(browser, await codes.codeFor(browser, email))
  expect([response.status, await response.json()]).toMatchObject([200, { user: { id } }])
})
