import { createHmac } from "node:crypto"

import { expect, test, vi } from "vitest"

import { bind, bindProduction, createBrowser } from "../testing/browser.ts"
import { stopClock, withinMinute } from "../testing/clock.ts"
import { createMailbox } from "../testing/mailbox.ts"
import { createNetwork } from "../testing/network.ts"
import { createPerson, password } from "../testing/person.ts"

const minute = 60 * 1000

test("ten wrong passwords block an account for 15 minutes, even for the correct one", async () => {
  using _ = stopClock()
  const { email } = await createPerson()
  // No rate limiter is bound, so only the counter in the database limits.
  const unlimited = bind({ LIMIT_EMAIL: undefined })
  const signIn = (given: string) =>
    createBrowser(unlimited).post("/api/auth/sign-in/email", { email, password: given })

  for (let count = 0; count < 10; count += 1) {
    expect((await signIn("not it at all")).status).toBe(401)
  }
  const [wrong, right] = [await signIn("not it at all"), await signIn(password)]
  expect([wrong.status, right.status]).toEqual([429, 429])
  expect(await right.json()).toEqual(await wrong.json())
  expect(right.headers.get("retry-after")).toBe("900")
  expect(right.headers.getSetCookie().join()).not.toMatch(/session_token=[^;]/)

  vi.setSystemTime(Date.now() + 16 * minute)
  expect((await signIn(password)).status).toBe(200)
  expect((await signIn("not it at all")).status).toBe(401)
})

test("an account blocked by password guessing is unblocked by a password reset", async () => {
  const mailbox = createMailbox()
  using _ = createNetwork({ "mail.example": mailbox.remote })
  const bound = bind({ LIMIT_EMAIL: undefined, MAIL_URL: "https://mail.example/send" })
  const { email } = await createPerson(bound)
  const browser = createBrowser(bound)
  const wrong = { email, password: "not it at all" }
  for (let count = 0; count < 11; count += 1) await browser.post("/api/auth/sign-in/email", wrong)
  await browser.post("/api/auth/request-password-reset", { email })
  const link = new URL(await mailbox.linkOf(email, "Reset your password"))
  const change = { token: link.searchParams.get("token"), newPassword: "another password" }
  expect((await browser.post("/api/auth/reset-password", change)).status).toBe(200)
  const renewed = { email, password: change.newPassword }
  expect((await browser.post("/api/auth/sign-in/email", renewed)).status).toBe(200)
})

test("the correct password resets the count of failed sign-ins", async () => {
  const { email } = await createPerson()
  const signIn = (given: string) =>
    createBrowser().post("/api/auth/sign-in/email", { email, password: given })
  await signIn("not it at all")
  expect((await signIn(password)).status).toBe(200)
  expect((await signIn(password)).status).toBe(200)
})

async function attempts(count: number, attempt: (index: number) => Promise<Response>) {
  const responses: Response[] = []
  for (let index = 0; index < count; index += 1) responses.push(await attempt(index))
  return responses
}

test("rate limits count per e-mail address, whatever its case and the client's address", async () => {
  const responses = await withinMinute((round) =>
    attempts(11, (index) =>
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
  expect(responses.at(-1)?.headers.get("retry-after")).toBe("60")
  expect(await responses.at(-1)?.json()).toMatchObject({ code: "TOO_MANY_REQUESTS" })
})

test("rate limits count per client address, and per network for IPv6", async () => {
  const calls: string[] = []
  const LIMIT_ADDRESS = {
    limit: async ({ key }: { key?: string }) => {
      calls.push(key ?? "")
      return { success: calls.filter((call) => call === key).length < 2 }
    },
  }
  const browser = createBrowser(bind({ LIMIT_ADDRESS }))
  const signOut = (address: string) =>
    browser.post("/api/auth/sign-out", {}, { "cf-connecting-ip": address })
  expect((await signOut("2001:db8:1:2::1")).status).toBe(200)
  const limited = await signOut("2001:db8:1:2:3:4:5:6")
  expect(limited.status).toBe(429)
  expect(limited.headers.get("retry-after")).toBe("60")
  expect((await signOut("2001:db8:1:3::1")).status).toBe(200)
  expect((await signOut("192.0.2.1")).status).toBe(200)
  expect(calls[0]).toBe("2001:db8:1:2 /api/auth/sign-out")
})

const smokeKey = "a-key-for-releases-of-32-characters-or-more"
const smokeBindings = bindProduction({ SMOKE_KEY: smokeKey })

function addressIn(seconds: number) {
  return `smoke-${Math.floor(Date.now() / 1000) + seconds}-${crypto.randomUUID().slice(0, 8)}@accounts.invalid`
}

function codeOf(email: string, by = smokeKey) {
  return createHmac("sha256", by).update(email).digest("hex")
}

function signUpSmoke(email: string, code: string, bindings = smokeBindings) {
  return createBrowser(bindings, null).post(
    "/api/auth/sign-up/email",
    { name: "Smoke", email, password },
    { "accounts-smoke-code": code },
  )
}

test("smoke accounts sign up with a code and sign in at once, without e-mail or limits", async () => {
  const email = addressIn(600)
  expect((await signUpSmoke(email, codeOf(email))).status).toBe(200)
  const browser = createBrowser(smokeBindings, "https://app.example.com")
  expect((await browser.post("/api/auth/sign-in/email", { email, password })).status).toBe(200)
  for (let count = 0; count < 61; count += 1) {
    const entry = { mood: "good", text: "smoke" }
    expect((await browser.post("/api/v1/createEntry", entry)).status).toBe(200)
  }
  const plan = await browser.get("/api/v1/getPlanAndUsage")
  expect(await plan.json()).toMatchObject({ usage: [{ used: 0 }, { used: 0 }] })
})

test("smoke accounts are rejected without a code, with a wrong, expired or premature one, or without a key", async () => {
  const email = addressIn(600)
  const refusals = [
    signUpSmoke(email, ""),
    signUpSmoke(email, codeOf(email, "another key")),
    signUpSmoke(email, codeOf(addressIn(601))),
    signUpSmoke(addressIn(-1), codeOf(addressIn(-1))),
    signUpSmoke(addressIn(3700), codeOf(addressIn(3700))),
    signUpSmoke(email, codeOf(email), bindProduction()),
    signUpSmoke("anyone@accounts.invalid", codeOf("anyone@accounts.invalid")),
  ]
  for (const response of await Promise.all(refusals)) {
    expect(response.status).toBe(403)
    expect(await response.json()).toMatchObject({ code: "RESERVED_ADDRESS" })
  }
})
