import { env } from "cloudflare:workers"
import { expect, test, vi } from "vitest"

import { bind, bindProduction, createBrowser } from "../../testing/browser.ts"
import { stopClock, withinMinute } from "../../testing/clock.ts"
import { createCountingLimit } from "../../testing/counting-limit.ts"
import { mail, openMailbox } from "../../testing/mailbox.ts"
import { resetPassword } from "../../testing/password-reset.ts"
import { createPerson, password } from "../../testing/person.ts"
import { visitProvider } from "../../testing/provider-visit.ts"
import { repeat } from "../../testing/repeat.ts"
import { createSmokeAddress, smokeKey } from "../../testing/smoke-account.ts"

const webUrl = "https://app.example.com"
const wrong = "not it at all"
// No rate limiter is bound, so only the counters in the database limit.
const unlimited = bind({ LIMIT_EMAIL: undefined })

function attempt(email: string, word: string, bound = unlimited) {
  return createBrowser(bound, bound.WEB_URL).post("/api/auth/sign-in/email", {
    email,
    password: word,
  })
}

function statusesOf(responses: Response[]) {
  return responses.map(({ status }) => status)
}

test("wrong passwords in parallel do not outrun the count: the correct one after them is rejected", async () => {
  const { email } = await createPerson(unlimited)
  const guesses = [...Array.from({ length: 25 }, () => wrong), password]
  const statuses = statusesOf(await Promise.all(guesses.map((guess) => attempt(email, guess))))
  expect(statuses.filter((status) => status === 401)).toHaveLength(10)
  expect(statuses.filter((status) => status === 429)).toHaveLength(16)
})

test("a blocked account whose address is not verified does not reveal that a password is correct", async () => {
  openMailbox()
  const bound = bindProduction({ LIMIT_EMAIL: undefined })
  const email = "unverified@example.com"
  await createBrowser(bound, webUrl).post("/api/auth/sign-up/email", {
    name: "Ada",
    email,
    password,
  })
  for (let count = 0; count < 10; count += 1) await attempt(email, wrong, bound)
  const [bad, good] = [await attempt(email, wrong, bound), await attempt(email, password, bound)]
  expect([bad.status, good.status]).toEqual([429, 429])
  expect(await good.json()).toEqual(await bad.json())
})

test("a browser that has signed in before is not locked out by a stranger's wrong passwords", async () => {
  const person = await createPerson(unlimited)
  const browser = createBrowser(unlimited)
  const signIn = (word: string) =>
    browser.post("/api/auth/sign-in/email", { email: person.email, password: word })
  expect((await signIn(password)).status).toBe(200)
  await browser.post("/api/auth/sign-out")
  for (let count = 0; count < 15; count += 1) await attempt(person.email, wrong)
  expect((await attempt(person.email, password)).status).toBe(429)
  expect((await signIn(password)).status).toBe(200)

  // Its own wrong passwords are counted too.
  for (let count = 0; count < 10; count += 1) expect((await signIn(wrong)).status).toBe(401)
  expect((await signIn(password)).status).toBe(429)
})

test("the mark of a known browser is for one address, signed, and for the API's host alone", async () => {
  const bound = bindProduction({ LIMIT_EMAIL: undefined, VERIFY_EMAIL: "false" })
  const [victim, mallory] = [await createPerson(unlimited), await createPerson(unlimited)]
  const browser = createBrowser(bound, webUrl)
  const signedIn = await browser.post("/api/auth/sign-in/email", mallory)
  const mark = signedIn.headers.getSetCookie().find((line) => line.includes("known_browser")) ?? ""
  expect(mark).toMatch(/^__Host-.*; Path=\/; HttpOnly; Secure; SameSite=Lax$/)
  expect(mark).not.toContain(mallory.email)
  for (let count = 0; count < 10; count += 1) await attempt(victim.email, wrong, bound)
  const asVictim = { email: victim.email, password }
  expect((await browser.post("/api/auth/sign-in/email", asVictim)).status).toBe(429)
  for (const [name, value] of browser.cookies) {
    if (name.includes("known_browser")) browser.cookies.set(name, value.replace(/^./, "x"))
  }
  for (let count = 0; count < 10; count += 1) await attempt(mallory.email, wrong, bound)
  expect((await browser.post("/api/auth/sign-in/email", mallory)).status).toBe(429)
})

test.each(["change-password", "delete-user"])(
  "wrong current passwords at %s are counted",
  async (path) => {
    const { browser } = await createPerson(unlimited)
    const send = (word: string) =>
      browser.post(`/api/auth/${path}`, {
        ...(path === "delete-user" ? { password: word } : { currentPassword: word }),
        ...(path === "delete-user" ? {} : { newPassword: "another password" }),
      })
    const statuses = await repeat(12, async () => (await send(wrong)).status)
    expect(statuses).toEqual([...Array.from({ length: 10 }, () => 400), 429, 429])
    expect((await send(password)).status).toBe(429)
  },
)

test("requesting emails does not block a sign-in", async () => {
  openMailbox()
  const bound = bind(mail)
  const { email } = await createPerson(bound)
  for (let count = 0; count < 11; count += 1) {
    await createBrowser(bound).post("/api/auth/send-verification-email", { email })
  }
  expect((await attempt(email, password, bound)).status).toBe(200)
})

test("an address gets four emails at once, and the link of the last stays good", async () => {
  const mailbox = openMailbox()
  const bound = bindProduction({ LIMIT_EMAIL: undefined })
  const email = "letters@example.com"
  const post = (path: string, body: object) =>
    createBrowser(bound, webUrl).post(`/api/auth/${path}`, body)
  const account = { name: "Ada", email, password }
  const home = createBrowser(bound, webUrl)
  await home.post("/api/auth/sign-up/email", account)
  await mailbox.arrived(1)
  for (let count = 0; count < 6; count += 1) {
    expect((await post("request-password-reset", { email })).status).toBe(200)
    expect((await post("send-verification-email", { email })).status).toBe(200)
    expect((await post("sign-up/email", account)).status).toBe(200)
  }
  expect(mailbox.emails).toHaveLength(4)
  const links = mailbox.emails.map(({ text }) => /https?:\S+/.exec(text)?.[0] ?? "")
  for (const link of [links[0] ?? "", links[2] ?? ""].toReversed()) {
    expect((await home.open(link)).headers.get("location")).toBe(webUrl)
  }
  expect((await post("sign-in/email", { email, password })).status).toBe(200)
})

test("notices that an address has an account leave its emails for a password reset", async () => {
  const mailbox = openMailbox()
  const bound = bindProduction({ LIMIT_EMAIL: undefined })
  const { email } = await createPerson(unlimited)
  await env.DB.prepare("update user set email_verified = 1").run()
  const post = (path: string, body: object) =>
    createBrowser(bound, webUrl).post(`/api/auth/${path}`, body)
  for (let count = 0; count < 5; count += 1) {
    await post("sign-up/email", { name: "Mallory", email, password })
  }
  for (let count = 0; count < 5; count += 1) await post("request-password-reset", { email })
  const subjects = (await mailbox.arrived(8)).map(({ subject }) => subject)
  expect(subjects).toEqual([
    ...Array.from({ length: 4 }, () => "You already have an account"),
    ...Array.from({ length: 4 }, () => "Reset your password"),
  ])
  const link = /https?:\S+/.exec(mailbox.emails.at(-1)?.text ?? "")?.[0] ?? ""
  const change = {
    token: new URL(link).searchParams.get("token"),
    newPassword: "another long password",
  }
  expect((await post("reset-password", change)).status).toBe(200)
})

test("e-mails contain nothing that a stranger wrote, and names have no control characters", async () => {
  const mailbox = openMailbox()
  const bound = bindProduction()
  const post = (name: string) =>
    createBrowser(bound, webUrl).post("/api/auth/sign-up/email", {
      name,
      email: "spam@example.com",
      password,
    })
  const lure = "Your account was locked. Unlock it at https://evil.example/login"
  for (const name of [`Ada,\n\n${lure}`, "Ada\u0000", "Ada\u202Etxt", "Ada\u2028x", "Ada\uD800"]) {
    const refused = await post(name)
    expect([refused.status, await refused.json()]).toMatchObject([400, { code: "BAD_REQUEST" }])
  }
  expect((await post(lure)).status).toBe(200)
  const [email] = await mailbox.arrived(1)
  expect(email?.text).not.toContain("evil")
})

test("a password reset lets the owner's browser in, even while a stranger goes on guessing", async () => {
  const mailbox = openMailbox()
  const bound = bind({ LIMIT_EMAIL: undefined, ...mail })
  const { email } = await createPerson(bound)
  const browser = createBrowser(bound)
  for (let count = 0; count < 11; count += 1) await attempt(email, wrong, bound)
  expect((await attempt(email, password, bound)).status).toBe(429)
  const newPassword = "another long password"
  await resetPassword(browser, mailbox, { email, newPassword })
  for (let count = 0; count < 12; count += 1) await attempt(email, wrong, bound)
  const signedIn = await browser.post("/api/auth/sign-in/email", { email, password: newPassword })
  expect(signedIn.status).toBe(200)
})

const minute = 60 * 1000

test("ten wrong passwords block an account for 15 minutes, even for the correct one", async () => {
  using _ = stopClock()
  const { email } = await createPerson()
  const signIn = (word: string) => attempt(email, word)
  for (let count = 0; count < 10; count += 1) {
    expect((await signIn(wrong)).status).toBe(401)
  }
  const [response, right] = [await signIn(wrong), await signIn(password)]
  expect([response.status, right.status]).toEqual([429, 429])
  expect(await right.json()).toEqual(await response.json())
  expect(right.headers.get("retry-after")).toBe("900")
  expect(right.headers.getSetCookie().join()).not.toMatch(/session_token=[^;]/)

  vi.setSystemTime(Date.now() + 14 * minute)
  expect((await signIn(password)).headers.get("retry-after")).toBe("60")
  vi.setSystemTime(Date.now() + minute)
  expect((await signIn(password)).status).toBe(200)
  expect((await signIn(wrong)).status).toBe(401)
})

test("rate limits count per email address, whatever its case and the client's address", async () => {
  const responses = await withinMinute((round) =>
    repeat(11, (index) =>
      createBrowser().post(
        "/api/auth/sign-in/email",
        { email: `${index % 2 === 0 ? "T" : "t"}arget-${round}@example.com`, password },
        { "cf-connecting-ip": `192.0.2.${index}` },
      ),
    ),
  )
  const statuses = responses.map(({ status }) => status)
  expect(statuses.slice(0, 10)).toEqual(Array.from({ length: 10 }, () => 401))
  expect(statuses.at(-1)).toBe(429)
  // The count begins again a quarter of an hour after its first attempt, of which a minute may have passed.
  const wait = Number(responses.at(-1)?.headers.get("retry-after"))
  expect(wait).toBeGreaterThan(14 * 60)
  expect(wait).toBeLessThanOrEqual(15 * 60)
  expect(await responses.at(-1)?.json()).toMatchObject({ code: "TOO_MANY_ATTEMPTS" })
})

test("rate limits count per client address, and per network for IPv6", async () => {
  const LIMIT_ADDRESS = createCountingLimit(1)
  const browser = createBrowser(bind({ LIMIT_ADDRESS }))
  const signOut = (address: string) =>
    browser.post("/api/auth/sign-out", {}, { "cf-connecting-ip": address })
  expect((await signOut("2001:db8:1:2::1")).status).toBe(200)
  const limited = await signOut("2001:db8:1:2:3:4:5:6")
  expect(limited.status).toBe(429)
  expect(limited.headers.get("retry-after")).toBe("60")
  expect((await signOut("2001:db8:2:3::1")).status).toBe(200)
  expect((await signOut("192.0.2.1")).status).toBe(200)
  expect([...LIMIT_ADDRESS.counts.keys()][0]).toBe("2001:0db8:0001:00 /api/auth/sign-out")
})

const smokeBindings = bindProduction({ SMOKE_KEY: smokeKey })

function signUpSmoke(
  { email, headers }: ReturnType<typeof createSmokeAddress>,
  bindings = smokeBindings,
) {
  const account = { name: "Smoke", email, password }
  return createBrowser(bindings, null).post("/api/auth/sign-up/email", account, headers)
}

test("smoke accounts sign up with a code and sign in at once, without e-mail", async () => {
  const smoke = createSmokeAddress()
  expect((await signUpSmoke(smoke)).status).toBe(200)
  const browser = createBrowser(smokeBindings, webUrl)
  const credentials = { email: smoke.email, password }
  expect((await browser.post("/api/auth/sign-in/email", credentials)).status).toBe(200)
})

test("smoke accounts are rejected without a code, with a wrong, expired or premature one, or without a key", async () => {
  const smoke = createSmokeAddress()
  const { headers } = smoke
  const refusals = [
    signUpSmoke({ ...smoke, headers: { "accounts-smoke-code": "" } }),
    signUpSmoke(createSmokeAddress(600, "another key")),
    signUpSmoke({ ...createSmokeAddress(601), headers }),
    signUpSmoke(createSmokeAddress(-1)),
    signUpSmoke(createSmokeAddress(3700)),
    signUpSmoke(smoke, bindProduction()),
    signUpSmoke({ email: "anyone@accounts.invalid", headers }),
  ]
  for (const response of await Promise.all(refusals)) {
    expect(response.status).toBe(403)
    expect(await response.json()).toMatchObject({ code: "RESERVED_ADDRESS" })
  }
})

test("A25: sign-ins with a provider are limited per client address, and none asks the provider then", async () => {
  const visit = await visitProvider({ changes: { LIMIT_ADDRESS: createCountingLimit(3) } })
  const from = { "cf-connecting-ip": "192.0.2.77" }
  for (let count = 0; count < 5; count += 1) {
    const started = await visit.browser.get("/api/auth/sign-in/idp", from)
    expect(started.status).toBe(count < 3 ? 302 : 429)
    const query = new URLSearchParams(
      count < 3 ? visit.provider.authorize(started.headers.get("location") ?? "") : {},
    )
    const requestsBefore = visit.network.requests.length
    const path = `/api/auth/callback/idp?${query.toString()}`
    const response = await visit.browser.get(path, from)
    const calls = visit.network.requests.length - requestsBefore
    expect([response.status, calls > 0]).toEqual(count < 3 ? [302, true] : [429, false])
  }
  const elsewhere = { "cf-connecting-ip": "192.0.2.78" }
  expect((await visit.browser.get("/api/auth/sign-in/idp", elsewhere)).status).toBe(302)
})

test("A26: wrong passwords at a reserved address are limited and counted like any other's", async () => {
  for (const email of ["anything@accounts.invalid", createSmokeAddress().email]) {
    const statuses: number[] = []
    for (let count = 0; count < 12; count += 1) {
      const body = { email, password: "a wrong password" }
      statuses.push((await createBrowser(unlimited).post("/api/auth/sign-in/email", body)).status)
    }
    expect(statuses.slice(9)).toEqual([401, 429, 429])
    expect(
      (await createBrowser().post("/api/auth/sign-in/email", { email, password })).status,
    ).toBe(429)
  }
})
