import { env } from "cloudflare:workers"
import { expect, test } from "vitest"

import { bind, copyBrowser, createBrowser } from "../../testing/browser.ts"
import { password } from "../../testing/person.ts"
import { collect, openKinds, shared, uses, webUrl } from "../../testing/signed-kinds.ts"
import { emailOf, idOf, newAddress, openMail } from "./address/testing/mover.ts"

test("A51: what was signed or sealed for an account that is deleted is nothing to the next one of its address", async () => {
  const set = await openKinds()
  const collected = await collect(set)
  const { member, other, values } = collected
  const cookies = new Map(member.cookies)
  expect((await member.post("/api/auth/delete-user", { password })).status).toBe(200)

  // Another person, who has the address now.
  const next = createBrowser(set.bound, webUrl)
  const letters = set.mailbox.emails.length
  await next.post("/api/auth/sign-up/email", { name: "Next", ...other, password: "another one" })
  const letter = (await set.mailbox.arrived(letters + 1))[letters]
  await next.open(/https:\S+/.exec(letter?.text ?? "")?.[0] ?? "")
  const signIn = (browser = createBrowser(set.bound, webUrl), word = "another one") =>
    browser.post("/api/auth/sign-in/email", { ...other, password: word })
  expect((await signIn()).status).toBe(200)

  const leaver = copyBrowser({ cookies }, set.bound, webUrl)
  leaver.cookies.set(shared("session_token", set.bound), values.session_token)
  expect(await (await leaver.get("/api/auth/get-session")).json()).toBeNull()
  const reset = { token: values.reset, newPassword: "the former's password" }
  expect((await leaver.post("/api/auth/reset-password", reset)).status).toBe(400)
  const first = set.mailbox.emails.find(({ to }) => to === other.email)
  const link = /token=([\w.-]+)/.exec(first?.text ?? "")?.[1]
  const proof = { token: link, newPassword: "the former's password" }
  expect((await leaver.post("/api/auth/verify-email-with-password", proof)).status).toBe(401)
  // The device cookie is not accepted, so all guesses count together.
  for (let guess = 0; guess < 10; guess += 1) await signIn(undefined, "a wrong guess")
  expect((await signIn(leaver)).status).toBe(429)
})

test("A52: no part of a mark can be changed, nor be moved to another name", async () => {
  const set = await openKinds()
  const collected = await collect(set)
  const { known_browser: mark } = collected.values
  expect(await uses.known_browser(set.bound, mark, collected)).toBe(true)
  const [end = "", owner = "", ...rest] = decodeURIComponent(mark).split(".")
  const later = String(Number(end) + 1)
  for (const parts of [
    [later, owner, ...rest],
    [`0${end}`, owner, ...rest],
    [`${end}e1`, owner, ...rest],
    [end, `${owner}A`, ...rest],
    [end, owner, "x", ...rest],
    [`${end}.${owner}`, ...rest],
    ["", end, owner, ...rest],
  ]) {
    const forged = encodeURIComponent(parts.join("."))
    const isAccepted = await uses.known_browser(set.bound, forged, collected)
    expect([parts[0], isAccepted]).toEqual([parts[0], forged === mark])
  }
})

/* Limits count rows of an account for the account, and records of deleted accounts for each of their addresses. */

const bound = bind({ LIMIT_EMAIL: undefined, LIMIT_ADDRESS: undefined })

test("an address deletes one account in a day, since each leaves traces", async () => {
  const email = `again-${crypto.randomUUID()}@example.com`
  const open = async () => {
    const browser = createBrowser(bound)
    await browser.post("/api/auth/sign-up/email", { name: "Ada", email, password })
    return browser
  }
  const leave = async (browser: Awaited<ReturnType<typeof open>>) =>
    browser.post("/api/auth/delete-user", { password })
  const first = await open()
  expect((await leave(first)).status).toBe(200)
  const second = await open()
  const refused = await leave(second)
  expect([refused.status, await refused.json()]).toMatchObject([429, { code: "TOO_MANY_REQUESTS" }])
  const seconds = Number(refused.headers.get("retry-after"))
  expect(seconds).toBeGreaterThan(23 * 60 * 60)
  expect((await second.get("/api/v1/getProfile")).status).toBe(200)
  await env.DB.prepare("update attempt set since = since - 86400001").run()
  expect((await leave(second)).status).toBe(200)
})

test("another address in between does not allow deleting one account after another", async () => {
  const mail = openMail({ LIMIT_ADDRESS: undefined })
  const email = newAddress("again")
  const open = async () => {
    const browser = createBrowser(mail.bound)
    await browser.post("/api/auth/sign-up/email", { name: "Ada", email, password })
    const id = await idOf(email)
    await env.DB.prepare("update user set email_verified = 1, unproven_since = null where id = ?")
      .bind(id)
      .run()
    const moveTo = async (newEmail: string) => {
      await browser.post("/api/v1/changeEmail", { newEmail })
      const code = await mail.mailbox.codeOf(newEmail)
      return browser.post("/api/v1/confirmEmail", { newEmail, code })
    }
    const leave = () => browser.post("/api/auth/delete-user", { password })
    return { id: String(id), moveTo, leave }
  }
  const first = await open()
  expect((await first.moveTo(newAddress())).status).toBe(200)
  expect((await first.leave()).status).toBe(200)
  const second = await open()
  expect((await second.leave()).status).toBe(429)
  const moved = await second.moveTo(newAddress())
  expect([moved.status, await moved.json()]).toMatchObject([429, { code: "TOO_MANY_ATTEMPTS" }])
  expect(await emailOf(second.id)).toBe(email)
  await env.DB.prepare("update attempt set since = since - 86400001").run()
  expect((await second.moveTo(newAddress())).status).toBe(200)
})
