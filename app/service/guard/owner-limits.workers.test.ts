import { env } from "cloudflare:workers"
import { expect, test, vi } from "vitest"

import { bind, createBrowser } from "../../testing/browser.ts"
import { stopClock } from "../../testing/clock.ts"
import { createFactorPerson, later } from "../../testing/factor-person.ts"
import { createPerson, password } from "../../testing/person.ts"
import { repeat } from "../../testing/repeat.ts"
import { openCodes } from "../sign-in/code/testing/code-mail.ts"

/* Limits that strangers use up, and limits that remain for the owner. */

const minute = 60 * 1000
const hour = 60 * minute

/** An environment where addresses are verified, and one of its owners. */
async function openWithOwner() {
  const codes = openCodes({ VERIFY_EMAIL: "true" })
  const owner = await createPerson(bind({ ...codes.bound, VERIFY_EMAIL: "false" }), "owner")
  const email = `${crypto.randomUUID()}@example.com`
  const post = (path: string) =>
    createBrowser(codes.bound).post(`/api/auth/${path}`, { name: "Ada", email, password })
  return { codes, owner, email, post }
}

test("requests for an address without an account leave its owner the email of a sign-up, and an invitation", async () => {
  const { codes, owner, email, post } = await openWithOwner()
  for (let count = 0; count < 5; count += 1) {
    await post("request-password-reset")
    await post("send-verification-email")
  }
  expect((await owner.post("inviteUser", { email })).status).toBe(200)
  await post("sign-up/email")
  expect(await codes.mailbox.linkOf(email, "Verify your email address")).toContain("token")
})

test("strangers' sign-ups keep no admin from an invitation, nor from a reset", async () => {
  const { owner, email, post } = await openWithOwner()
  for (let count = 0; count < 6; count += 1) await post("sign-up/email")
  expect((await owner.post("inviteUser", { email })).status).toBe(200)
  const statement = env.DB.prepare("select id from user where email = ?").bind(email)
  const userId = await statement.first<string>("id")
  expect((await owner.post("sendReset", { userId })).status).toBe(200)
})

test("no member uses up another's change of address", async () => {
  const codes = openCodes()
  const [mallory, member] = [await codes.createMember(), await codes.createMember()]
  const newEmail = `${crypto.randomUUID()}@example.com`
  for (let count = 0; count < 8; count += 1) await mallory.post("changeEmail", { newEmail })
  const before = codes.mailbox.emails.length
  expect(before).toBeLessThan(8)
  expect((await member.post("changeEmail", { newEmail })).status).toBe(200)
  await codes.mailbox.arrived(before + 1)
})

test("a stranger who asks for codes hour by hour keeps no new device out", async () => {
  using _clock = stopClock()
  const codes = openCodes()
  const { email } = await codes.createMember()
  const statuses: number[] = []
  for (let round = 0; round < 5; round += 1) {
    for (let count = 0; count < 3; count += 1) await codes.send(createBrowser(codes.bound), email)
    statuses.push((await codes.send(createBrowser(codes.bound), email)).status)
    vi.setSystemTime(Date.now() + hour)
  }
  expect(statuses).toEqual([200, 200, 200, 200, 200])
})

test("a used-up hour leaves an email in ten minutes, and says when", async () => {
  using _clock = stopClock()
  const codes = openCodes()
  const { email } = await codes.createMember()
  const ask = () => codes.send(createBrowser(codes.bound), email)
  const statuses = async (count: number) => {
    const results: number[] = []
    while (results.length < count) results.push((await ask()).status)
    return results
  }
  expect(await statuses(6)).toEqual([200, 200, 200, 200, 429, 429])
  expect((await ask()).headers.get("retry-after")).toBe("600")
  vi.setSystemTime(Date.now() + 10 * minute)
  expect(await statuses(3)).toEqual([200, 429, 429])
  vi.setSystemTime(Date.now() + 10 * minute)
  expect(await statuses(2)).toEqual([200, 429])
  vi.setSystemTime(Date.now() + hour)
  expect(await statuses(5)).toEqual([200, 200, 200, 200, 429])
})

/** A stranger on one network who asks without end, for a while. */
async function pester(codes: ReturnType<typeof openCodes>, email: string, hours: number) {
  const from = { "cf-connecting-ip": "2001:db8:7:1::1" }
  for (let round = 0; round < hours * 6 + 4; round += 1) {
    for (const path of ["sign-in/code/begin", "request-password-reset", "sign-up/email"]) {
      await createBrowser(codes.bound).post(
        `/api/auth/${path}`,
        { email, name: "Mallory", password },
        from,
      )
    }
    vi.setSystemTime(Date.now() + 10 * minute)
  }
}

test("a stranger of one network never keeps out a new device on another, whatever they ask for", async () => {
  using _clock = stopClock()
  const codes = openCodes({ VERIFY_EMAIL: "true", LIMIT_ADDRESS: undefined })
  const { email } = await codes.createMember()
  await pester(codes, email, 6)
  await codes.mailbox.arrived(9)
  const device = createBrowser(codes.bound)
  vi.setSystemTime(Date.now() + 10 * minute)
  const code = await codes.codeFor(device, email, { "cf-connecting-ip": "192.0.2.1" })
  expect((await codes.enter(device, code)).status).toBe(200)
})

test("strangers send no more than some forty emails a day to an address, of all kinds together", async () => {
  using _clock = stopClock()
  const codes = openCodes({ VERIFY_EMAIL: "true", LIMIT_ADDRESS: undefined })
  const { email } = await codes.createMember()
  const mallory = await codes.createMember()
  for (let round = 0; round < 24; round += 1) {
    for (let count = 0; count < 3; count += 1) {
      await codes.send(createBrowser(codes.bound), email)
      for (const path of ["request-password-reset", "sign-up/email"]) {
        const body = { email, name: "Mallory", password }
        await createBrowser(codes.bound).post(`/api/auth/${path}`, body)
      }
      await mallory.post("changeEmail", { newEmail: email })
    }
    vi.setSystemTime(Date.now() + hour)
  }
  const received = codes.mailbox.emails.filter(({ to }) => to === email)
  expect(received.length).toBeGreaterThan(20)
  expect(received.length).toBeLessThanOrEqual(44)
})

test("a network that has used up its codes leaves those of a browser that its owner has used", async () => {
  using _clock = stopClock()
  const codes = openCodes({ LIMIT_ADDRESS: undefined })
  const { email } = await codes.createMember()
  const from = { "cf-connecting-ip": "198.51.100.9" }
  const home = createBrowser(codes.bound)
  await codes.enter(home, await codes.codeFor(home, email, from))
  await env.DB.prepare("update attempt set count = 500 where key like 'code network:%'").run()
  const invented = () =>
    codes.send(createBrowser(codes.bound), `${crypto.randomUUID()}@x.org`, from)
  expect((await invented()).status).toBe(429)
  expect((await codes.send(home, email, from)).status).toBe(200)
  vi.setSystemTime(Date.now() + 10 * minute)
  expect([(await invented()).status, (await invented()).status]).toEqual([200, 429])
})

test("the owner's code in an unknown browser gives a stranger no further guesses", async () => {
  using _clock = stopClock()
  const bound = bind({ LIMIT_EMAIL: undefined, LIMIT_ADDRESS: undefined })
  const person = await createFactorPerson(bound)
  const guess = async (browser = createBrowser(bound), code?: string) => {
    await browser.post("/api/auth/sign-in/email", { email: person.email, password })
    const factor = { code: code ?? "000000" }
    return (await browser.post("/api/auth/sign-in/second-factor", factor)).status
  }
  const statuses = await repeat(9, () => guess())
  vi.setSystemTime(Date.now() + 16 * minute)
  for (let count = 0; count < 9; count += 1) statuses.push(await guess())
  vi.setSystemTime(Date.now() + 16 * minute)
  await later(person.id)
  expect(await guess(createBrowser(bound), person.app.code())).toBe(200)
  for (let count = 0; count < 9; count += 1) statuses.push(await guess())
  expect(statuses.filter((status) => status === 400)).toHaveLength(20)
})

test("the owner's password in an unknown browser gives a stranger no further guesses", async () => {
  const bound = bind({ LIMIT_EMAIL: undefined })
  const { email } = await createPerson(bound)
  const attempt = async (word: string) => {
    const body = { email, password: word }
    return (await createBrowser(bound).post("/api/auth/sign-in/email", body)).status
  }
  const statuses = await repeat(9, () => attempt("not it at all"))
  expect(await attempt(password)).toBe(200)
  for (let count = 0; count < 9; count += 1) statuses.push(await attempt("not it at all"))
  expect(statuses.filter((status) => status === 401)).toHaveLength(10)
})
