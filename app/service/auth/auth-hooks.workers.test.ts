import { createHmac } from "node:crypto"

import { expect, test, vi } from "vitest"

import { bind, bindProduction, createBrowser } from "../../testing/browser.ts"
import { stopClock, withinMinute } from "../../testing/clock.ts"
import { createPerson, password } from "../../testing/person.ts"
import { visitProvider } from "../../testing/provider-visit.ts"

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

  vi.setSystemTime(Date.now() + 14 * minute)
  expect((await signIn(password)).headers.get("retry-after")).toBe("60")
  vi.setSystemTime(Date.now() + minute)
  expect((await signIn(password)).status).toBe(200)
  expect((await signIn("not it at all")).status).toBe(401)
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
  // The count begins anew a quarter of an hour after its first attempt, of which a minute may be gone.
  const wait = Number(responses.at(-1)?.headers.get("retry-after"))
  expect(wait).toBeGreaterThan(14 * 60)
  expect(wait).toBeLessThanOrEqual(15 * 60)
  expect(await responses.at(-1)?.json()).toMatchObject({ code: "TOO_MANY_ATTEMPTS" })
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
  expect((await signOut("2001:db8:2:3::1")).status).toBe(200)
  expect((await signOut("192.0.2.1")).status).toBe(200)
  expect(calls[0]).toBe("2001:0db8:0001:00 /api/auth/sign-out")
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

test("smoke accounts sign up with a code and sign in at once, without e-mail", async () => {
  const email = addressIn(600)
  expect((await signUpSmoke(email, codeOf(email))).status).toBe(200)
  const browser = createBrowser(smokeBindings, "https://app.example.com")
  expect((await browser.post("/api/auth/sign-in/email", { email, password })).status).toBe(200)
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

test("A25: sign-ins with a provider are limited per client address, and none asks the provider then", async () => {
  const counts = new Map<string, number>()
  const LIMIT_ADDRESS = {
    limit: async ({ key = "" }: { key?: string }) => {
      counts.set(key, (counts.get(key) ?? 0) + 1)
      return { success: (counts.get(key) ?? 0) <= 3 }
    },
  }
  const visit = await visitProvider({ changes: { LIMIT_ADDRESS } })
  const from = { "cf-connecting-ip": "192.0.2.77" }
  for (let count = 0; count < 5; count += 1) {
    const started = await visit.browser.get("/api/auth/sign-in/idp", from)
    expect(started.status).toBe(count < 3 ? 302 : 429)
    const query = new URLSearchParams(
      count < 3 ? visit.provider.authorize(started.headers.get("location") ?? "") : {},
    )
    const asked = visit.network.requests.length
    const path = `/api/auth/callback/idp?${query.toString()}`
    const ended = await visit.browser.get(path, from)
    const calls = visit.network.requests.length - asked
    expect([ended.status, calls > 0]).toEqual(count < 3 ? [302, true] : [429, false])
  }
  const other = { "cf-connecting-ip": "192.0.2.78" }
  expect((await visit.browser.get("/api/auth/sign-in/idp", other)).status).toBe(302)
})

test("A26: wrong passwords at a reserved address are limited and counted like any other's", async () => {
  const until = Math.floor(Date.now() / 1000) + 600
  for (const email of ["anything@accounts.invalid", `smoke-${until}-0123456789@accounts.invalid`]) {
    const unlimited = bind({ LIMIT_EMAIL: undefined })
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
