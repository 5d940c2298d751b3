import { env } from "cloudflare:workers"
import { expect, test, vi } from "vitest"

import { bind, copyBrowser, createBrowser } from "../../../testing/browser.ts"
import { stopClock } from "../../../testing/clock.ts"
import { createInterruptedDatabase } from "../../../testing/interrupted-database.ts"
import { password } from "../../../testing/person.ts"
import { repeat } from "../../../testing/repeat.ts"
import { openCodes, otherThan, sessionsOf } from "./testing/code-mail.ts"

/* Attacks on emailed codes: none of them may work. */

type Codes = ReturnType<typeof openCodes>
/** A member, a browser that has asked for a code, and the code. */
async function ask(codes: Codes, change?: string) {
  const member = await codes.createMember(change)
  const browser = createBrowser(codes.bound)
  const code = await codes.codeFor(browser, member.email)
  return { ...member, browser, code }
}

async function refusalOf(answer: Response | Promise<Response>) {
  const { status } = await answer
  const { code } = await (await answer).json<{ code: string }>()
  return [status, code]
}

const invalid = [400, "INVALID_CODE"]

test("a code is nothing in another browser, with or without a code of its own", async () => {
  const codes = openCodes()
  const { id, email, browser, code } = await ask(codes)
  const before = await sessionsOf(id)
  const stranger = createBrowser(codes.bound)
  // As for whom a stranger makes post it: the browser has no cookie.
  expect(await refusalOf(codes.enter(stranger, code))).toEqual(invalid)
  await codes.send(stranger, email)
  expect(await refusalOf(codes.enter(stranger, code))).toEqual(invalid)
  expect(await sessionsOf(id)).toBe(before)
  expect((await codes.enter(browser, code)).status).toBe(200)
})

test("a stranger's guesses take no try from the owner, and end after five", async () => {
  const codes = openCodes()
  const { email, browser, code } = await ask(codes)
  const stranger = createBrowser(codes.bound)
  await codes.send(stranger, email)
  for (let guess = 0; guess < 5; guess += 1) {
    expect(await refusalOf(codes.enter(stranger, otherThan(code)))).toEqual(invalid)
  }
  const locked = await codes.enter(stranger, code)
  expect(Number(locked.headers.get("retry-after"))).toBeGreaterThan(0)
  expect(await refusalOf(locked)).toEqual([429, "TOO_MANY_ATTEMPTS"])
  expect((await codes.enter(browser, code)).status).toBe(200)
})

test("of twenty guesses at once no more than five are looked at, and then the right one is refused", async () => {
  const codes = openCodes()
  const { browser, code } = await ask(codes)
  const guesses = Array.from({ length: 20 }, () =>
    codes.enter(copyBrowser(browser, codes.bound), otherThan(code)),
  )
  const answers = await Promise.all(guesses)
  expect(answers.filter(({ status }) => status === 400)).toHaveLength(5)
  expect((await codes.enter(browser, code)).status).toBe(429)
})

test("a code ends with a newer one, and after ten minutes", async () => {
  const codes = openCodes()
  using _ = stopClock()
  const { email, browser, code } = await ask(codes)
  const newer = await codes.codeFor(browser, email)
  expect(await refusalOf(codes.enter(browser, code))).toEqual(invalid)
  vi.setSystemTime(Date.now() + 10 * 60 * 1000 + 1000)
  expect(await refusalOf(codes.enter(browser, newer))).toEqual(invalid)
})

test("a code that was asked for before a reset opens nothing after it", async () => {
  const codes = openCodes()
  const { email, browser, code } = await ask(codes)
  await createBrowser(codes.bound).post("/api/auth/request-password-reset", { email })
  const link = new URL(await codes.mailbox.linkOf(email, "Reset your password"))
  const token = link.searchParams.get("token")
  const reset = { token, newPassword: "another long password" }
  expect((await browser.post("/api/auth/reset-password", reset)).status).toBe(200)
  expect(await refusalOf(codes.enter(browser, code))).toEqual(invalid)
})

test("a code works once: not again, nor twice at once", async () => {
  const codes = openCodes()
  const { id, browser, code } = await ask(codes)
  const before = Number(await sessionsOf(id))
  const [first, second] = [copyBrowser(browser, codes.bound), copyBrowser(browser, codes.bound)]
  const answers = await Promise.all([codes.enter(first, code), codes.enter(second, code)])
  expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 400])
  expect(await refusalOf(codes.enter(browser, code))).toEqual(invalid)
  expect(await sessionsOf(id)).toBe(before + 1)
})

test.each([
  ["access ends", "delete from verification where value = ?"],
  ["the account is swept away", "delete from user where id = ?"],
  ["it is suspended", "update user set suspended_at = 1 where id = ?"],
  ["a factor is turned on", "update user set second_factor_since = 1 where id = ?"],
])("a code that is being typed opens nothing where %s meanwhile", async (_, change) => {
  const codes = openCodes()
  const { database: DB, interrupt } = createInterruptedDatabase()
  const { id, email, browser, code } = await ask(codes)
  const raced = copyBrowser(browser, bind({ ...codes.bound, DB }))
  await env.DB.prepare("delete from session where user_id = ?").bind(id).run()
  interrupt(/insert into "session"/, () => env.DB.prepare(change).bind(id).run())
  expect(await refusalOf(codes.enter(raced, code))).toEqual(invalid)
  expect(await sessionsOf(id)).toBe(0)
  expect(codes.lettersTo(email)).toHaveLength(1)
})

test("the code of another address is none in a browser that has asked for two", async () => {
  const codes = openCodes()
  const { browser, code, id } = await ask(codes)
  const stranger = await codes.createMember()
  const theirs = await codes.codeFor(browser, stranger.email)
  expect(await refusalOf(codes.enter(browser, code))).toEqual(invalid)
  const answer = await codes.enter(browser, theirs)
  const { user } = await answer.json<{ user: { id: string } }>()
  expect(user.id).toBe(stranger.id)
  expect(user.id).not.toBe(id)
})

test("the database alone does not reveal a code", async () => {
  const codes = openCodes()
  const { id, code } = await ask(codes)
  const row = env.DB.prepare("select identifier, value from verification where value = ?")
  const stored = await row.bind(id).first<{ identifier: string }>()
  expect(JSON.stringify(stored)).not.toContain(code)
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(code))
  expect(stored?.identifier).not.toBe(Buffer.from(digest).toString("base64url"))
})

test("a suspended member is told so by the right code alone, and gets no session", async () => {
  const codes = openCodes()
  const { id, browser, code } = await ask(codes)
  await env.DB.prepare("update user set suspended_at = 1, suspended_for = 'abuse' where id = ?")
    .bind(id)
    .run()
  const before = await sessionsOf(id)
  expect(await refusalOf(codes.enter(browser, otherThan(code)))).toEqual(invalid)
  expect(await refusalOf(codes.enter(browser, code))).toEqual([403, "ACCOUNT_SUSPENDED"])
  expect(await sessionsOf(id)).toBe(before)
})

test("an address gets four emails at once, known or not, and a browser of its owner four more", async () => {
  const codes = openCodes()
  const { email, browser: at } = await codes.createMember()
  await at.post("/api/auth/sign-in/email", { email, password })
  const statuses = async (address: string) => {
    const answers = await repeat(
      5,
      async () => (await codes.send(createBrowser(codes.bound), address)).status,
    )
    return answers
  }
  expect(await statuses(email)).toEqual([200, 200, 200, 200, 429])
  expect(await statuses("nobody@example.com")).toEqual([200, 200, 200, 200, 429])
  expect((await codes.enter(at, await codes.codeFor(at, email))).status).toBe(200)
  await vi.waitFor(() => expect(codes.lettersTo(email)).toHaveLength(5), { timeout: 30_000 })
  expect(codes.lettersTo("nobody@example.com")).toEqual([])
})

test("so has the browser of a member without a password, whom nothing else would let in", async () => {
  const codes = openCodes()
  const { id, email, browser, code } = await ask(codes)
  await env.DB.prepare("delete from account where user_id = ?").bind(id).run()
  expect((await codes.enter(browser, code)).status).toBe(200)
  for (let round = 0; round < 5; round += 1) await codes.send(createBrowser(codes.bound), email)
  expect((await codes.send(createBrowser(codes.bound), email)).status).toBe(429)
  expect((await codes.enter(browser, await codes.codeFor(browser, email))).status).toBe(200)
})

test("a network requests five hundred codes a day for all addresses, and then few", async () => {
  const codes = openCodes()
  const from = { "cf-connecting-ip": "198.51.100.77" }
  const browser = createBrowser(codes.bound)
  expect((await codes.send(browser, "first@example.com", from)).status).toBe(200)
  await env.DB.prepare("update attempt set count = 500 where count = 1").run()
  expect((await codes.send(browser, "second@example.com", from)).status).toBe(429)
})
