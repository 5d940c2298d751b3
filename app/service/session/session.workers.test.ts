import { env } from "cloudflare:workers"
import { expect, test, vi } from "vitest"

import { schema } from "../../schema.ts"
import { bind, bindProduction, copyBrowser, createBrowser } from "../../testing/browser.ts"
import { stopClock } from "../../testing/clock.ts"
import { createInterceptedDatabase } from "../../testing/counting-database.ts"
import { createPerson, password, type Person } from "../../testing/person.ts"
import { roles, user, type Plan } from "../platform/database/auth.table.ts"
import { createDatabase } from "../platform/database/database.ts"

const signUp = { name: "Ada", email: "ada@example.com", password }

test("a user signs up, signs out, signs in and reads the session", async () => {
  const browser = createBrowser()

  const signedUp = await browser.post("/api/auth/sign-up/email", signUp)
  expect(signedUp.status).toBe(200)
  expect(await signedUp.json()).toMatchObject({
    user: { id: expect.stringMatching(/^user_[0-9a-z]{24}$/), role: "member" },
  })

  const signedOut = await browser.post("/api/auth/sign-out")
  expect(await signedOut.json()).toEqual({ success: true })
  expect(await (await browser.get("/api/auth/get-session")).json()).toBeNull()

  const signedIn = await browser.post("/api/auth/sign-in/email", {
    email: signUp.email,
    password,
  })
  expect(signedIn.status).toBe(200)

  const session = await browser.get("/api/auth/get-session")
  expect(await session.json()).toMatchObject({
    user: { email: "ada@example.com", name: "Ada", role: "member" },
  })
})

test("a password is stored as salt and derived key, never in plain text", async () => {
  const row = await env.DB.prepare("select password from account").first<{ password: string }>()
  expect(row?.password).toMatch(/^[0-9a-f]{32}:[0-9a-f]{128}$/)
})

test("roles cannot be chosen at sign-up", async () => {
  const browser = createBrowser()
  await browser.post("/api/auth/sign-up/email", {
    ...signUp,
    email: "eve@example.com",
    role: "owner",
  })
  const session = await browser.get("/api/auth/get-session")
  expect(await session.json()).toMatchObject({
    user: { email: "eve@example.com", role: "member" },
  })
})

test("roles are checked by the database too", async () => {
  await expect(env.DB.prepare("update user set role = 'god'").run()).rejects.toThrow("user.role is")
  const inserted = `insert into user (id, email, name, role, created_at, updated_at)
    values ('usr_god', 'god@example.com', 'God', 'god', 0, 0)`
  await expect(env.DB.prepare(inserted).run()).rejects.toThrow("user.role is")
})

test.each(roles)("the database takes the role %s", async (role) => {
  const inserted = `insert into user (id, email, name, role, created_at, updated_at)
    values ('usr_${role}', '${role}@example.com', 'A', '${role}', 0, 0)`
  expect((await env.DB.prepare(inserted).run()).meta.changes).toBe(1)
})

test("a value that is not in its list never reaches the database", async () => {
  const { plan }: { plan: Plan } = JSON.parse('{ "plan": "gold" }')
  const update = async () => createDatabase(env.DB, schema).update(user).set({ plan }).execute()
  await expect(update()).rejects.toThrow('plan is one of free, premium, not "gold"')
})

test("the session cookie is host-only and plain on http", async () => {
  const response = await createBrowser().post("/api/auth/sign-up/email", {
    ...signUp,
    email: "local@example.com",
  })
  expect(response.headers.getSetCookie().map((line) => line.replace(/=[^;]*/, ""))).toEqual([
    "accounts-local-host.session_token; Max-Age=604800; Path=/; HttpOnly; SameSite=Lax",
    "accounts-local-host.session_binding; Max-Age=2592000; Path=/; HttpOnly; SameSite=Lax",
    "accounts-local-host.signed_up; Max-Age=86400; Path=/; HttpOnly; SameSite=Lax",
  ])
})

test("the session cookie is secure and shared under the cookie domain in production", async () => {
  const browser = createBrowser(
    bindProduction({ VERIFY_EMAIL: "false" }),
    "https://app.example.com",
  )
  const response = await browser.post("/api/auth/sign-in/email", {
    email: signUp.email,
    password,
  })
  expect(response.headers.getSetCookie().map((line) => line.replace(/=[^;]*/, ""))).toContain(
    "__Secure-accounts-production.session_token; Max-Age=604800; Domain=example.com; Path=/; HttpOnly; Secure; SameSite=Lax",
  )
})

/* Rows that one account can create by signing in. */

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
  const sessions = await sessionsOf(person.id)
  expect(sessions).toHaveLength(50)
  expect(sessions.map(({ id }) => id)).not.toContain(first?.id)
  expect((await person.get("getProfile")).status).toBe(401)
})

test("what a browser calls itself is kept as far as people read it", async () => {
  const person = await createPerson(bound)
  await signIn(person.email, { "user-agent": "x".repeat(100_000) })
  expect((await sessionsOf(person.id)).map(({ length }) => length)).toEqual([0, 300])
})

test("signing in again ends the session that the browser had, of any user", async () => {
  const [ada, bob] = [await createPerson(bound), await createPerson(bound)]
  const { browser } = ada
  const [previous] = await sessionsOf(ada.id)
  await signIn(ada.email, {}, browser)
  const sessions = await sessionsOf(ada.id)
  expect(sessions).toHaveLength(1)
  expect(sessions).not.toContainEqual(previous)
  expect(
    (await browser.post("/api/auth/sign-in/email", { email: bob.email, password: "no" })).status,
  ).toBe(401)
  expect(await sessionsOf(ada.id)).toEqual(sessions)
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

test("a session that ends with the browser still does so after a change of the password", async () => {
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

/* An answer that was asked before a change of the same browser, and comes after it. */

const changes: Record<string, (person: Person) => Promise<unknown>> = {
  "a new name": (person) => person.post("updateProfile", { name: "Grace" }),
  "its session ended": ({ browser }) =>
    browser.post("/api/auth/revoke-session", { token: tokenOf(browser.cookies) }),
  "all sessions ended": ({ browser }) => browser.post("/api/auth/revoke-sessions"),
  "a sign-out": ({ browser }) => browser.post("/api/auth/sign-out"),
  "a new password": ({ browser }) =>
    browser.post("/api/auth/change-password", {
      currentPassword: password,
      newPassword: "another long password",
      revokeOtherSessions: true,
    }),
  "the account deleted": ({ browser }) => browser.post("/api/auth/delete-user", { password }),
}

function tokenOf(cookies: Map<string, string>) {
  const [, value = ""] = [...cookies].find(([name]) => name.endsWith("session_token")) ?? []
  return decodeURIComponent(value).split(".")[0]
}

const reads = ["/api/auth/get-session", "/api/v1/whoami"]
const cases = Object.keys(changes).flatMap((change) => reads.map((ask) => ({ change, ask })))

test.each(cases)("$ask restores nothing outdated: $change", async ({ change, ask }) => {
  const person = await createPerson(bound)
  const { browser } = person
  const state = { isChanged: false }
  const database = createInterceptedDatabase(env.DB, async (_sql, send) => {
    const read = await send()
    if (!state.isChanged) {
      state.isChanged = true
      await new Promise((resolve) => void setTimeout(resolve, 2))
      await changes[change]?.(person)
    }
    return read
  })
  // The other tab, whose cookies are the same.
  const tab = copyBrowser(browser, { ...bound, DB: database })
  const cookies = new Map(tab.cookies)
  await tab.get(ask)
  expect(state.isChanged).toBe(true)
  // Its cookies overwrite those of the change.
  for (const [name, value] of tab.cookies) {
    if (cookies.get(name) !== value) browser.cookies.set(name, value)
  }
  const answer = await browser.get("/api/auth/get-session")
  const now = await answer.json<{ user: { name: string } } | null>()
  const lasts = change === "a new name" || change === "a new password"
  expect(now === null).toBe(!lasts)
  const caller = await (await browser.get("/api/v1/whoami")).json()
  expect(caller).toMatchObject(
    now === null ? { user: null } : { user: { id: person.id, name: now.user.name } },
  )
})
