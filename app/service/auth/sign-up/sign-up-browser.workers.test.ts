import { expect, test } from "vitest"

import { bindProduction, createBrowser } from "../../../testing/browser.ts"
import { openMailbox } from "../../../testing/mailbox.ts"
import type { Env } from "../../configuration/env.ts"

const webUrl = "https://app.example.com"
const passwords = { mallory: "the password of mallory", victim: "the password of victim" }

function setUp(changes: Partial<Env> = {}) {
  const mailbox = openMailbox()
  const bound = bindProduction({ LIMIT_EMAIL: undefined, ...changes })
  const email = `victim-${crypto.randomUUID()}@example.com`
  const browserOf = () => createBrowser(bound, webUrl)
  type Browser = ReturnType<typeof browserOf>
  return {
    browserOf,
    signUp: (browser: Browser, password: string, pages = {}) =>
      browser.post("/api/auth/sign-up/email", { name: "Ada", email, password, ...pages }),
    resend: (browser: Browser, pages: object) =>
      browser.post("/api/auth/send-verification-email", { email, ...pages }),
    signIn: async (password: string) =>
      (await browserOf().post("/api/auth/sign-in/email", { email, password })).status,
    /** Opens the newest of so many letters, as a mail program makes a browser do. */
    openNewest: async (browser: Browser, count: number) => {
      const letter = (await mailbox.arrived(count)).at(-1)
      const opened = await browser.open(/https?:\S+/.exec(letter?.text ?? "")?.[0] ?? "")
      const page = new URL(opened.headers.get("location") ?? "")
      const { error, token = "" } = Object.fromEntries(page.searchParams)
      return {
        page: page.origin,
        path: page.pathname,
        error,
        token,
        cookies: opened.headers.getSetCookie(),
      }
    },
    verify: async (body: object) => {
      const response = await browserOf().post("/api/auth/verify-email-with-password", body)
      return [response.status, await response.json()]
    },
    userRow: () =>
      bound.DB.prepare("select name, image, email_verified as verified from user where email = ?")
        .bind(email)
        .first(),
  }
}

test("a letter that nobody asked for does not verify the password of the stranger who signed up", async () => {
  const { browserOf, signUp, signIn, openNewest, verify, userRow } = setUp()
  await signUp(browserOf(), passwords.mallory)
  // A telephone, a mail program's own browser, a scanner of links.
  const { error, token, cookies, page } = await openNewest(browserOf(), 1)
  expect({ error, cookies, page }).toEqual({
    error: "PASSWORD_REQUIRED",
    cookies: [],
    page: webUrl,
  })
  expect(await signIn(passwords.mallory)).toBe(401)
  expect(await verify({ token, password: passwords.victim })).toMatchObject([
    400,
    { code: "INVALID_PASSWORD" },
  ])
  expect(await signIn(passwords.mallory)).toBe(401)

  expect(await verify({ token, newPassword: passwords.victim })).toMatchObject([200, {}])
  expect([await signIn(passwords.mallory), await signIn(passwords.victim)]).toEqual([401, 200])
  expect(await userRow()).toEqual({
    name: expect.stringMatching(/^victim-/),
    image: null,
    verified: 1,
  })
})

test("a browser that signed up does not verify the password of a stranger who did so after it", async () => {
  const { browserOf, signUp, signIn, openNewest, verify } = setUp()
  const victim = browserOf()
  await signUp(victim, passwords.victim)
  await signUp(browserOf(), passwords.mallory)
  const { error, token } = await openNewest(victim, 2)
  expect(error).toBe("PASSWORD_REQUIRED")
  expect(await signIn(passwords.mallory)).toBe(401)
  expect(await verify({ token, password: passwords.victim })).toMatchObject([400, {}])
  expect(await verify({ token, newPassword: passwords.victim })).toMatchObject([200, {}])
  expect([await signIn(passwords.mallory), await signIn(passwords.victim)]).toEqual([401, 200])
})

test("a link that is opened in the browser that signed up verifies, and signs nobody in", async () => {
  const { browserOf, signUp, signIn, openNewest } = setUp()
  const browser = browserOf()
  await signUp(browser, passwords.victim)
  expect(await openNewest(browser, 1)).toEqual({
    page: webUrl,
    path: "/",
    token: "",
    cookies: [],
  })
  expect(await signIn(passwords.victim)).toBe(200)
})

test("a link that is opened on another device verifies with the password of the sign-up", async () => {
  const { browserOf, signUp, signIn, openNewest, verify, userRow } = setUp()
  await signUp(browserOf(), passwords.victim)
  const { token } = await openNewest(browserOf(), 1)
  const answer = await verify({ token, password: passwords.victim })
  expect(answer).toEqual([200, { status: true, email: expect.stringMatching(/^victim-/) }])
  expect(await signIn(passwords.victim)).toBe(200)
  expect(await userRow()).toMatchObject({ name: "Ada", verified: 1 })
  // The link says so wherever it is opened from now on.
  expect((await openNewest(browserOf(), 1)).error).toBeUndefined()
})

test("a verification link sets a password once, and none when the address is verified", async () => {
  const { browserOf, signUp, signIn, openNewest, verify } = setUp()
  await signUp(browserOf(), passwords.mallory)
  const { token } = await openNewest(browserOf(), 1)
  const body = { token, newPassword: passwords.victim }
  const answers = await Promise.all([verify(body), verify(body)])
  expect(answers.map(([status]) => Number(status)).toSorted((a, b) => a - b)).toEqual([200, 401])
  expect(await verify({ token, newPassword: passwords.mallory })).toMatchObject([
    401,
    { code: "INVALID_TOKEN" },
  ])
  expect([await signIn(passwords.mallory), await signIn(passwords.victim)]).toEqual([401, 200])
})

test("what a link has not verified leads to the page of failure, of the sign-up or of who asks again", async () => {
  const { browserOf, signUp, resend, openNewest } = setUp()
  const pages = { callbackURL: `${webUrl}/verified`, errorCallbackURL: `${webUrl}/prove` }
  const own = browserOf()
  await signUp(own, passwords.victim, pages)
  const failed = { path: "/prove", error: "PASSWORD_REQUIRED" }
  expect(await openNewest(browserOf(), 1)).toMatchObject(failed)
  await resend(own, { ...pages, errorCallbackURL: `${webUrl}/again` })
  expect(await openNewest(browserOf(), 2)).toMatchObject({ ...failed, path: "/again" })
  expect(await openNewest(own, 2)).toMatchObject({ path: "/verified", error: undefined })
})

test("a verification with a password takes one password, a valid token, and ten attempts", async () => {
  const { browserOf, signUp, signIn, openNewest, verify } = setUp()
  await signUp(browserOf(), passwords.victim)
  const { token } = await openNewest(browserOf(), 1)
  const { victim: password } = passwords
  for (const body of [{ token }, { token, password, newPassword: password }]) {
    expect(await verify(body)).toMatchObject([
      400,
      { code: "BAD_REQUEST", data: { issues: [{ path: ["password"] }] } },
    ])
  }
  expect(await verify({ token, newPassword: "short" })).toMatchObject([
    400,
    { code: "BAD_REQUEST", data: { issues: [{ path: ["newPassword"], minimum: 8 }] } },
  ])
  expect(await verify({ token: "x", password })).toMatchObject([401, { code: "INVALID_TOKEN" }])
  const wrong = () => verify({ token, password: passwords.mallory })
  const answers = await Promise.all(Array.from({ length: 12 }, wrong))
  expect(answers.filter(([status]) => status === 400)).toHaveLength(10)
  expect(await verify({ token, password })).toMatchObject([429, { code: "TOO_MANY_ATTEMPTS" }])
  expect(await signIn(passwords.victim)).toBe(401)
})

test("where addresses need no verification, a stranger's password and session end with a new one", async () => {
  const { browserOf, signUp, signIn, openNewest, verify, userRow } = setUp({
    VERIFY_EMAIL: "false",
  })
  const mallory = browserOf()
  await signUp(mallory, passwords.mallory)
  const { error, token } = await openNewest(browserOf(), 1)
  expect(error).toBe("PASSWORD_REQUIRED")
  expect(await userRow()).toMatchObject({ verified: 0 })
  expect(await verify({ token, newPassword: passwords.victim })).toMatchObject([200, {}])
  expect(await (await mallory.get("/api/auth/get-session")).json()).toBeNull()
  expect([await signIn(passwords.mallory), await signIn(passwords.victim)]).toEqual([401, 200])
})

test("a browser that signed up with one address verifies another's link", async () => {
  const { browserOf, signUp, signIn, openNewest } = setUp()
  const browser = browserOf()
  await signUp(browser, passwords.victim)
  const other = {
    name: "Ada",
    email: `${crypto.randomUUID()}@example.com`,
    password: "x".repeat(9),
  }
  expect((await openNewest(browser, 1)).error).toBeUndefined()
  await browser.post("/api/auth/sign-up/email", other)
  expect((await openNewest(browser, 2)).error).toBeUndefined()
  expect(await signIn(passwords.victim)).toBe(200)
})
