import { env } from "cloudflare:workers"
import { expect, test, vi } from "vitest"

import { records } from "../../records.ts"
import { copyBrowser } from "../../testing/browser.ts"
import { stopClock, withinMinute } from "../../testing/clock.ts"
import { password } from "../../testing/person.ts"
import { visitProvider } from "../../testing/provider-visit.ts"
import { repeat } from "../../testing/repeat.ts"
import { knowAddress, stolen, webUrl } from "../../testing/stranger.ts"
import { sweep } from "../sweep/sweep.ts"

/* Attacks with an address that is not the attacker's. Each title begins with the attack's id. */

const hour = 60 * 60 * 1000

test("A1: the mark of a sign-up, renamed, is no mark of a known browser, so wrong passwords lock", async () => {
  const { browserOf, signUp, signIn, join, post, email } = knowAddress()
  await join()
  const statuses: number[] = []
  for (let round = 0; round < 3; round += 1) {
    const mallory = browserOf()
    await signUp(stolen, mallory)
    for (const [name, value] of mallory.cookies) {
      mallory.cookies.set(name.replace("signed_up", "known_browser"), value)
    }
    for (let guess = 0; guess < 5; guess += 1) {
      statuses.push((await signIn("a wrong guess", mallory)).status)
    }
  }
  expect(statuses).toEqual([...Array.from({ length: 10 }, () => 401), 429, 429, 429, 429, 429])
  expect((await signIn(password)).status).toBe(429)
  const locked = await env.DB.prepare(
    "select count(*) as count from audit_entry where action = 'sign_in_locked' and subject_id = (select id from user where email = ?)",
  )
    .bind(email)
    .first("count")
  expect(locked).toBe(1)
  expect((await post("request-password-reset", {})).status).toBe(200)
})

test("A2: a stranger's sign-ups end no link of the owner, who can still sign in", async () => {
  const { browserOf, signUp, signIn, open, post, mailbox } = knowAddress()
  const victim = browserOf()
  await signUp(password, victim)
  await mailbox.arrived(1)
  for (let count = 0; count < 4; count += 1) await signUp(stolen)
  await post("send-verification-email", {})
  await post("request-password-reset", {})
  expect((await mailbox.arrived(4)).length).toBe(4)
  // A stranger's sign-up asks for a password of the owner's choice.
  for (const letter of [1, 2, 3]) {
    expect((await open(letter, victim)).searchParams.get("error")).toBe("PASSWORD_REQUIRED")
  }
  expect((await open(0, victim)).href).toBe(`${webUrl}/`)
  expect((await signIn(stolen)).status).toBe(401)
  expect((await signIn(password)).status).toBe(200)
})

test("A2: an owner who signs up after three strangers verifies with the email of any of them", async () => {
  const { browserOf, signUp, signIn, open, post, mailbox } = knowAddress()
  for (let count = 0; count < 3; count += 1) await signUp(stolen)
  await mailbox.arrived(3)
  const victim = browserOf()
  expect((await signUp(password, victim)).status).toBe(200)
  const token = (await open(2, victim)).searchParams.get("token")
  const wrong = await post("verify-email-with-password", { token, password })
  expect(wrong.body).toMatchObject({ code: "INVALID_PASSWORD" })
  const claimed = await post("verify-email-with-password", { token, newPassword: password })
  expect(claimed.status).toBe(200)
  expect((await open(0, victim)).href).toBe(`${webUrl}/`)
  expect([(await signIn(stolen)).status, (await signIn(password)).status]).toEqual([401, 200])
})

test("A7: where verification is switched off, a stranger's sign-up takes no account in use", async () => {
  const { browserOf, signUp, signIn, bound, mailbox } = knowAddress()
  await signUp(password)
  await mailbox.arrived(1)
  const off = { ...bound, VERIFY_EMAIL: "false" }
  const victim = browserOf(off)
  expect((await signIn(password, victim)).status).toBe(200)
  const mallory = browserOf(off)
  expect((await signUp(stolen, mallory)).status).toBe(422)
  const session = await (await victim.get("/api/auth/get-session")).json()
  expect(session).toMatchObject({ user: { emailVerified: false } })
  expect((await signIn(stolen, mallory)).status).toBe(401)
})

test("A7: nor does its owner's first sign-in with a provider take what it holds", async () => {
  const { browserOf, signUp, signIn, bound, email, mailbox } = knowAddress()
  await signUp(password)
  await mailbox.arrived(1)
  const visit = await visitProvider({ changes: { ...bound, VERIFY_EMAIL: "false" } })
  const victim = browserOf(visit.bound)
  await signIn(password, victim)
  const profile = await (await victim.get("/api/v1/getProfile")).json<{ id: string }>()
  visit.provider.forge({ claims: { email } })
  await visit.finish(visit.provider.authorize(await visit.start()))
  expect(await visit.session()).toMatchObject({ user: { email, emailVerified: true } })
  const response = await visit.browser.get("/api/v1/getProfile")
  expect(await response.json()).toMatchObject({ id: profile.id })
})

test("A30: the sweep takes no account that is in use since verification was switched off", async () => {
  const { browserOf, signUp, signIn, bound, email, mailbox } = knowAddress()
  await signUp(password)
  await mailbox.arrived(1)
  const victim = browserOf({ ...bound, VERIFY_EMAIL: "false" })
  const userRow = () => env.DB.prepare("select id from user where email = ?").bind(email).first()
  await signIn(password, victim)
  await sweep({ database: env.DB, records }, new Date(Date.now() + 8 * 24 * hour))
  expect(await userRow()).not.toBeNull()

  // The sign-in of an earlier version left the account pending.
  await signIn(password, victim)
  await env.DB.prepare("update user set unproven_since = 1 where email = ?").bind(email).run()
  await sweep({ database: env.DB, records }, new Date())
  expect(await userRow()).not.toBeNull()
  await env.DB.prepare("delete from session").run()
  await sweep({ database: env.DB, records }, new Date())
  expect(await userRow()).toBeNull()
})

test("A36: a session from before verification was switched on is none after it, and the other way it is", async () => {
  const { browserOf, signUp, bound, join } = knowAddress()
  const verified = await join()
  expect((await verified.post("/api/auth/sign-in/email", {})).status).toBe(400)
  const off = { ...bound, VERIFY_EMAIL: "false" }
  const visitor = browserOf(off)
  const newcomer = `other-${crypto.randomUUID()}@example.com`
  await visitor.post("/api/auth/sign-up/email", { name: "Ada", email: newcomer, password })
  expect(
    await (await copyBrowser(visitor, off, webUrl).get("/api/auth/get-session")).json(),
  ).toMatchObject({
    user: { email: newcomer },
  })
  const moved = copyBrowser(visitor, bound, webUrl)
  expect(await (await moved.get("/api/auth/get-session")).json()).toBeNull()
  for (const path of ["/api/v1/getProfile", "/api/auth/list-accounts", "/api/auth/list-sessions"]) {
    expect([path, (await moved.get(path)).status]).toEqual([path, 401])
  }
  expect((await signUp(password)).status).toBe(200)
})

test("A45: device cookies that were collected with a password are void after it changes", async () => {
  const { browserOf, signIn, join, post, mailbox } = knowAddress()
  await join()
  const collected = Array.from({ length: 4 }, () => browserOf())
  for (const browser of collected) await signIn(password, browser)
  const home = browserOf()
  await signIn(password, home)
  const change = { currentPassword: password, newPassword: "another long password" }
  expect((await post("change-password", change, home)).status).toBe(200)

  const statuses: number[] = []
  for (let guess = 0; guess < 12; guess += 1) {
    const { status } = await signIn("a wrong guess", collected[guess % collected.length])
    statuses.push(status)
  }
  expect(statuses).toEqual([...Array.from({ length: 10 }, () => 401), 429, 429])
  for (const browser of collected) await post("request-password-reset", {}, browser)
  // The email of the sign-up was the first of four.
  await mailbox.arrived(4)
  // The owner can still sign in.
  expect((await signIn(change.newPassword, home)).status).toBe(200)
  await post("request-password-reset", {}, home)
  // Another email announces the new password.
  expect((await mailbox.arrived(6)).length).toBe(6)
})

test("A17: a stranger's resets end no link of the owner's, and lead to no page of the stranger's", async () => {
  const { browserOf, signIn, open, post, mailbox, join } = knowAddress({
    AUTH_TRUSTED_ORIGIN: `${webUrl},https://api.example.com`,
  })
  await join()
  await post("request-password-reset", {})
  await mailbox.arrived(2)
  const redirectTo = "https://api.example.com/nothing-here"
  const refused = await post("request-password-reset", { redirectTo })
  expect([refused.status, refused.body]).toMatchObject([400, { code: "BAD_REQUEST" }])
  for (let count = 0; count < 3; count += 1) {
    await post("request-password-reset", { redirectTo: `${webUrl}/a-page` })
  }
  expect((await mailbox.arrived(4)).length).toBe(4)
  const page = await open(2, browserOf())
  expect(`${page.origin}${page.pathname}`).toBe(`${webUrl}/a-page`)
  const token = /token=(\S+)/.exec(mailbox.emails[1]?.text ?? "")?.[1]
  const change = { token: token, newPassword: "another long password" }
  expect((await post("reset-password", change)).status).toBe(200)
  expect((await signIn(change.newPassword)).status).toBe(200)
  // The password has changed: nothing that was sent before is of use.
  const late = { token: page.searchParams.get("token"), newPassword: stolen }
  expect((await post("reset-password", late)).body).toMatchObject({ code: "INVALID_TOKEN" })
})

test("A17: strangers do not use up the emails of a browser that the owner has signed in with", async () => {
  const { signIn, post, mailbox, join } = knowAddress()
  const home = await join()
  await signIn(password, home)
  for (let count = 0; count < 5; count += 1) await post("request-password-reset", {})
  await mailbox.arrived(3)
  await post("request-password-reset", {}, home)
  expect((await mailbox.arrived(4)).at(-1)?.subject).toBe("Reset your password")
})

test("browsers that have signed in get twenty emails a day together, and take none from others", async () => {
  using _clock = stopClock()
  const { browserOf, signIn, post, mailbox, join } = knowAddress()
  await join()
  for (let count = 0; count < 9; count += 1) {
    const browser = browserOf()
    await signIn(password, browser)
    for (let letter = 0; letter < 3; letter += 1) await post("request-password-reset", {}, browser)
  }
  await mailbox.arrived(21)
  await post("request-password-reset", {})
  await mailbox.arrived(22)
  await scheduler.wait(200)
  expect(mailbox.emails).toHaveLength(22)
})

test("A35: a minute of strangers' sign-ups does not block a reset", async () => {
  const { signUp, post, join, signIn } = knowAddress({ LIMIT_EMAIL: env.LIMIT_EMAIL })
  const home = await join()
  await signIn(password, home)
  const limited = await withinMinute(async () => {
    const statuses = await repeat(11, async () => (await signUp(stolen)).status)
    return statuses
  })
  expect(limited).toContain(429)
  expect((await post("request-password-reset", {})).status).toBe(200)
  for (let count = 0; count < 11; count += 1) await post("request-password-reset", {})
  expect((await post("request-password-reset", {})).status).toBe(429)
  expect((await post("request-password-reset", {}, home)).status).toBe(200)
})

test("A13: no email has a text that its requester chose, and its link leads to no page of theirs", async () => {
  const { post, mailbox } = knowAddress()
  const lure = "Your-account-is-blocked.-Call-+1-555-0100"
  await post("sign-up/email", { name: lure, password: stolen, callbackURL: `${webUrl}/a-page` })
  await post("request-password-reset", { redirectTo: `${webUrl}/a-page` })
  for (const { text } of await mailbox.arrived(2)) {
    expect(text).not.toContain("blocked")
    expect(text.length).toBeLessThan(2000)
  }
  const pages = [
    "/no-such-page",
    "/a-page/",
    "/a-page?",
    "/a-page#x",
    "/A-page",
    "/a-page/../x",
    "//a-page",
  ]
  const origins = [
    webUrl,
    `${webUrl}.evil.example`,
    "https:app.example.com",
    "http://app.example.com",
    "",
  ]
  const urls = origins.flatMap((origin) =>
    [
      ...pages,
      `/${lure}`,
      `/?${"x".repeat(50_000)}`,
      ...(origin === webUrl ? [] : ["/a-page"]),
    ].map((page) => `${origin}${page}`),
  )
  for (const page of [...urls, ["x"], { href: `${webUrl}/a-page` }, 1, true]) {
    for (const [path, name] of [
      ["sign-up/email", "callbackURL"],
      ["send-verification-email", "callbackURL"],
      ["request-password-reset", "redirectTo"],
    ] as const) {
      const refused = await post(path, { name: "Ada", password: stolen, [name]: page })
      expect([page, path, [400, 403].includes(refused.status)]).toEqual([page, path, true])
    }
  }
  expect(mailbox.emails).toHaveLength(2)
})

test("A14: a page with a fragment gets its error before the fragment", async () => {
  const { browserOf, post, open } = knowAddress()
  await post("sign-up/email", { name: "Ada", password, callbackURL: `${webUrl}/app#/verified` })
  const page = await open(0, browserOf())
  expect(page.searchParams.get("error")).toBe("PASSWORD_REQUIRED")
  expect(page.searchParams.get("token")).not.toBeNull()
  expect(page.hash).toBe("#/verified")
})

test("a stranger's sign-up leaves nothing of itself in the account of another link", async () => {
  const { browserOf, open, post, signIn, mailbox, email } = knowAddress()
  const victim = browserOf()
  const image = "https://tracker.example/a.png"
  await post("sign-up/email", { name: "Ada", password }, victim)
  await mailbox.arrived(1)
  await post("sign-up/email", { name: "Mallory", password: stolen, image })
  await mailbox.arrived(2)
  expect((await open(0, victim)).href).toBe(`${webUrl}/`)
  const row = await env.DB.prepare("select name, image from user where email = ?")
    .bind(email)
    .first()
  expect(row).toEqual({ name: "Ada", image: null })
  expect([(await signIn(stolen)).status, (await signIn(password)).status]).toEqual([401, 200])
  // The other's link is none any more: a password of now would be a reset, valid for a day.
  const token = /token=([^&\s]+)/.exec(mailbox.emails[1]?.text ?? "")?.[1]
  await post("verify-email-with-password", { token, password: stolen })
  const claimed = await post("verify-email-with-password", { token, newPassword: stolen })
  expect(claimed.body).toMatchObject({ code: "INVALID_TOKEN" })
  expect([(await signIn(stolen)).status, (await signIn(password)).status]).toEqual([401, 200])
})

test("many sign-ups at once with one address send four emails, and each of them is good", async () => {
  const { browserOf, signUp, open, mailbox } = knowAddress()
  const browsers = Array.from({ length: 12 }, () => browserOf())
  const answers = await Promise.all(browsers.map((browser) => signUp(password, browser)))
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
  await mailbox.arrived(4)
  const pages = [0, 1, 2, 3].map(async (letter) => (await open(letter, browserOf())).searchParams)
  for (const page of pages) expect((await page).get("error")).toBe("PASSWORD_REQUIRED")
  expect(mailbox.emails).toHaveLength(4)
})

test("the sealed page of a reset email is valid only in its own link", async () => {
  const { browserOf, post, mailbox, join } = knowAddress()
  await join()
  await post("request-password-reset", { redirectTo: `${webUrl}/a-page` })
  const link = /https:\S+/.exec((await mailbox.arrived(2))[1]?.text ?? "")?.[0] ?? ""
  const sealed = new URL(link).searchParams.get("callbackURL") ?? ""
  for (const path of ["verify-email?token=x", "sign-in/idp?x=1", "reset-password/a/b?x=1"]) {
    const answer = await browserOf().open(`/api/auth/${path}&callbackURL=${sealed}`)
    expect([path, answer.status >= 400, answer.headers.get("location")]).toEqual([path, true, null])
  }
  const response = await browserOf().open(
    link.replace(/callbackURL=.*/, `callbackURL=https://evil.example`),
  )
  expect([response.status, await response.json()]).toMatchObject([400, { code: "BAD_REQUEST" }])
})

test("a link lives for a day, which a stranger's sign-up does not shorten", async () => {
  const { browserOf, signUp, open, mailbox } = knowAddress()
  using __ = stopClock()
  const victim = browserOf()
  await signUp(password, victim)
  await mailbox.arrived(1)
  vi.setSystemTime(Date.now() + 20 * hour)
  await signUp(stolen)
  await sweep({ database: env.DB, records }, new Date())
  vi.setSystemTime(Date.now() + 3 * hour)
  expect((await open(0, victim)).href).toBe(`${webUrl}/`)
})

test("A34: no header of a request sets the host of an emailed link", async () => {
  const { browserOf, email, mailbox } = knowAddress()
  const headers = {
    "content-type": "application/json",
    "x-forwarded-host": "evil.example",
    "x-forwarded-proto": "http",
    "x-original-host": "evil.example",
    forwarded: "host=evil.example;proto=http",
    referer: "https://evil.example/",
  }
  const mallory = browserOf()
  // As on any host that leads to the Worker.
  const at = (path: string) => `https://accounts.evil.workers.dev/api/auth/${path}`
  const body = { name: "Ada", email, password }
  await mallory.send("POST", at("sign-up/email"), { headers, body: JSON.stringify(body) })
  await mallory.send("POST", at("send-verification-email"), {
    headers,
    body: JSON.stringify({ email }),
  })
  await mallory.send("POST", at("request-password-reset"), {
    headers,
    body: JSON.stringify({ email, redirectTo: `${webUrl}/a-page` }),
  })
  for (const { text } of await mailbox.arrived(3)) {
    const links = [...text.matchAll(/https?:[^\s]+/g)].map(([link]) => new URL(link).origin)
    expect(new Set(links)).toEqual(new Set(["https://api.example.com"]))
  }
})
