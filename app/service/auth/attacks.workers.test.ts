import { env } from "cloudflare:workers"
import { expect, test } from "vitest"

import { copyBrowser } from "../../testing/browser.ts"
import { password } from "../../testing/person.ts"
import { visitProvider } from "../../testing/provider-visit.ts"
import { knowAddress, stolen, webUrl } from "../../testing/stranger.ts"
import { sweep } from "../sweep/sweep.ts"

/* What strangers try with somebody else's address. The letters name the attacks. */

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

test("A2: sign-ups with somebody's address end no link that its owner has, and leave a way in", async () => {
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

test("A2: whoever signs up after three strangers gets in with the letter of any of them", async () => {
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
  const own = await (await victim.get("/api/v1/getProfile")).json<{ id: string }>()
  visit.provider.forge({ claims: { email } })
  await visit.finish(visit.provider.authorize(await visit.start()))
  expect(await visit.session()).toMatchObject({ user: { email, emailVerified: true } })
  const kept = await visit.browser.get("/api/v1/getProfile")
  expect(await kept.json()).toMatchObject({ id: own.id })
})

test("A30: the sweep takes no account that is in use since verification was switched off", async () => {
  const { browserOf, signUp, signIn, bound, email, mailbox } = knowAddress()
  await signUp(password)
  await mailbox.arrived(1)
  const victim = browserOf({ ...bound, VERIFY_EMAIL: "false" })
  const userRow = () => env.DB.prepare("select id from user where email = ?").bind(email).first()
  await signIn(password, victim)
  await sweep(env.DB, new Date(Date.now() + 8 * 24 * hour))
  expect(await userRow()).not.toBeNull()

  // Of a version before, whose sign-in left the account as nobody's.
  await signIn(password, victim)
  await env.DB.prepare("update user set unproven_since = 1 where email = ?").bind(email).run()
  await sweep(env.DB, new Date())
  expect(await userRow()).not.toBeNull()
  await env.DB.prepare("delete from session").run()
  await sweep(env.DB, new Date())
  expect(await userRow()).toBeNull()
})

test("A36: a session from before verification was switched on is none after it, and the other way it is", async () => {
  const { browserOf, signUp, bound, join } = knowAddress()
  const verified = await join()
  expect((await verified.post("/api/auth/sign-in/email", {})).status).toBe(400)
  const off = { ...bound, VERIFY_EMAIL: "false" }
  const visitor = browserOf(off)
  const other = `other-${crypto.randomUUID()}@example.com`
  await visitor.post("/api/auth/sign-up/email", { name: "Ada", email: other, password })
  expect(
    await (await copyBrowser(visitor, off, webUrl).get("/api/auth/get-session")).json(),
  ).toMatchObject({
    user: { email: other },
  })
  const moved = copyBrowser(visitor, bound, webUrl)
  expect(await (await moved.get("/api/auth/get-session")).json()).toBeNull()
  for (const path of ["/api/v1/getProfile", "/api/auth/list-accounts", "/api/auth/list-sessions"]) {
    expect([path, (await moved.get(path)).status]).toEqual([path, 401])
  }
  expect((await signUp(password)).status).toBe(200)
})

test("A45: marks of browsers that somebody collected with a password count no more once it is another", async () => {
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
  // That of the sign-up was the first of four.
  await mailbox.arrived(4)
  // The owner has ways in of their own all the while.
  expect((await signIn(change.newPassword, home)).status).toBe(200)
  await post("request-password-reset", {}, home)
  // One tells of the new password.
  expect((await mailbox.arrived(6)).length).toBe(6)
})
