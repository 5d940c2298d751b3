import { env } from "cloudflare:workers"
import { expect, test, vi } from "vitest"

import { bind, createBrowser } from "../../testing/browser.ts"
import { stopClock } from "../../testing/clock.ts"
import { createPerson, password } from "../../testing/person.ts"

/* What one account can make the database hold by signing in. */

const bound = bind({ LIMIT_EMAIL: undefined, LIMIT_ADDRESS: undefined })

async function sessionsOf(userId: string) {
  const { results } = await env.DB.prepare(
    "select id, length(user_agent) as length from session where user_id = ? order by created_at",
  )
    .bind(userId)
    .all<{ id: string; length: number }>()
  return results
}

function signIn(
  email: string,
  headers: Record<string, string> = {},
  browser = createBrowser(bound),
) {
  return browser.post("/api/auth/sign-in/email", { email, password }, headers)
}

test("a member has fifty sessions at most, and the oldest goes", async () => {
  const person = await createPerson(bound)
  const [first] = await sessionsOf(person.id)
  for (let count = 0; count < 55; count += 1) {
    expect((await signIn(person.email)).status).toBe(200)
  }
  const left = await sessionsOf(person.id)
  expect(left).toHaveLength(50)
  expect(left.map(({ id }) => id)).not.toContain(first?.id)
  expect((await person.get("getProfile")).status).toBe(401)
})

test("what a browser calls itself is kept as far as people read it", async () => {
  const person = await createPerson(bound)
  await signIn(person.email, { "user-agent": "x".repeat(100_000) })
  expect((await sessionsOf(person.id)).map(({ length }) => length)).toEqual([0, 300])
})

test("signing in again ends the session that the browser had, whoever's it was", async () => {
  const [ada, bob] = [await createPerson(bound), await createPerson(bound)]
  const { browser } = ada
  const [former] = await sessionsOf(ada.id)
  await signIn(ada.email, {}, browser)
  const again = await sessionsOf(ada.id)
  expect(again).toHaveLength(1)
  expect(again).not.toContainEqual(former)
  expect(
    (await browser.post("/api/auth/sign-in/email", { email: bob.email, password: "no" })).status,
  ).toBe(401)
  expect(await sessionsOf(ada.id)).toEqual(again)
  await signIn(bob.email, {}, browser)
  expect(await sessionsOf(ada.id)).toEqual([])
  expect(await sessionsOf(bob.id)).toHaveLength(2)
  await browser.post("/api/auth/sign-out")
  expect(await sessionsOf(bob.id)).toHaveLength(1)
})

test.each(["get-session", "get-session?disableCookieCache=true", "list-accounts"])(
  "a session that ends with the browser ends after a day, whatever the browser sends (%s)",
  async (path) => {
    using _clock = stopClock()
    const { email } = await createPerson(bound)
    const browser = createBrowser(bound)
    await browser.post("/api/auth/sign-in/email", { email, password, rememberMe: false })
    for (const name of browser.cookies.keys()) {
      if (name.endsWith("dont_remember")) browser.cookies.delete(name)
    }
    const isIn = async () => (await (await browser.get("/api/auth/get-session")).json()) !== null
    for (const hours of [6, 12, 5]) {
      vi.setSystemTime(Date.now() + hours * 60 * 60 * 1000)
      await browser.get(`/api/auth/${path}`)
      expect(await isIn()).toBe(true)
    }
    vi.setSystemTime(Date.now() + 2 * 60 * 60 * 1000)
    expect(await isIn()).toBe(false)
  },
)

test("SESSION_DAYS says how old a session may become", async () => {
  using _clock = stopClock()
  const short = { ...bound, SESSION_DAYS: "7" }
  const { browser } = await createPerson(short)
  let days = 0
  while ((await (await browser.get("/api/auth/get-session")).json()) !== null && days < 40) {
    days += 1
    vi.setSystemTime(Date.now() + day + 1000)
  }
  expect(days).toBe(7)
})

const day = 24 * 60 * 60 * 1000
const asks = [
  "get-session",
  "get-session?disableCookieCache=true",
  "list-accounts",
  "list-sessions",
]

test.each(asks)(
  "a session that is used every day (%s) ends after thirty days at most",
  async (path) => {
    using _clock = stopClock()
    const { browser } = await createPerson(bound)
    let days = 0
    while ((await (await browser.get("/api/auth/get-session")).json()) !== null && days < 40) {
      await browser.get(`/api/auth/${path}`)
      days += 1
      vi.setSystemTime(Date.now() + day + 1000)
    }
    expect([29, 30]).toContain(days)
  },
)

test("whoever signed in for this browser's time stays so after a change of the password", async () => {
  const { email } = await createPerson(bound)
  const browser = createBrowser(bound)
  await browser.post("/api/auth/sign-in/email", { email, password, rememberMe: false })
  const changed = await browser.post("/api/auth/change-password", {
    currentPassword: password,
    newPassword: `${password} again`,
    revokeOtherSessions: true,
  })
  expect(changed.status).toBe(200)
  const row = env.DB.prepare(
    "select s.remembered, s.expires_at - s.created_at as life from session s join user on user.id = user_id where email = ?",
  ).bind(email)
  expect(await row.first()).toEqual({ remembered: 0, life: day })
})
