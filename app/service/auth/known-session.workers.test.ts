import { env } from "cloudflare:workers"
import { expect, test } from "vitest"

import { bind, createBrowser } from "../../testing/browser.ts"
import { stopClock } from "../../testing/clock.ts"
import { createFailingDatabase } from "../../testing/failing-database.ts"
import { createPerson, password, type Person } from "../../testing/person.ts"
import {
  at,
  type Browser,
  cache,
  cached,
  createKnown,
  endSessions,
  pass,
  rewrite,
  sessionOf,
  snapshotOf,
  statements,
} from "../../testing/snapshot.ts"

test("a session that ends with the browser has snapshots, too", async () => {
  const { email } = await createPerson(cached)
  const browser = createBrowser(cached)
  await browser.post("/api/auth/sign-in/email", { email, password, rememberMe: false })
  expect(await sessionOf(browser)).not.toBeNull()
  expect(await statements(() => sessionOf(browser))).toBe(0)
})

test("a snapshot does not outlive its session, whose renewal goes on", async () => {
  using _ = stopClock()
  const person = await createPerson(cached)
  const soon = Date.now() + (cache - 10) * 1000
  await env.DB.prepare("update session set expires_at = ? where user_id = ?")
    .bind(soon, person.id)
    .run()
  // It asks once and is renewed, so that it ends later again.
  expect(await statements(() => sessionOf(person.browser))).toBeGreaterThan(1)
  expect(await statements(() => sessionOf(person.browser))).toBe(0)
  await rewrite(person, (seen) => ({
    ...seen,
    session: { ...seen.session, expiresAt: new Date(soon) },
  }))
  pass(cache - 9)
  expect(await statements(() => person.get("whoami"))).toBe(1)
  // whoami renews nothing, so it leaves none of a session that get-session has to renew.
  pass(1.1 * 24 * 60 * 60)
  await person.get("whoami")
  const renewed = await person.browser.get("/api/auth/get-session")
  expect(renewed.headers.getSetCookie().join()).toContain("session_token=")
  expect(await statements(() => sessionOf(person.browser))).toBe(0)
})

type Change = [title: string, change: (person: Person) => Promise<unknown>, user: object | null]

const changes: Change[] = [
  ["sign-out", ({ browser }) => browser.post("/api/auth/sign-out"), null],
  ["delete-user", ({ browser }) => browser.post("/api/auth/delete-user", { password }), null],
  ["revoke-sessions", ({ browser }) => browser.post("/api/auth/revoke-sessions"), null],
  [
    "a session that another request finds ended",
    async (person) => {
      await endSessions(person)
      await person.get("getProfile")
    },
    null,
  ],
  [
    "change-password",
    ({ browser }) => {
      const body = { currentPassword: password, newPassword: "another long password" }
      return browser.post("/api/auth/change-password", body)
    },
    { name: "Ada" },
  ],
  ["updateProfile", ({ post }) => post("updateProfile", { name: "Ada L." }), { name: "Ada L." }],
  [
    "a fresh question",
    async ({ id, browser }) => {
      await env.DB.prepare("update user set name = 'Elsewhere' where id = ?").bind(id).run()
      const fresh = await sessionOf(browser, "?disableCookieCache=true")
      expect(fresh?.user.name).toBe("Elsewhere")
    },
    { name: "Elsewhere" },
  ],
  [
    "a renewal by another route",
    async ({ id, browser }) => {
      await env.DB.prepare("update session set expires_at = ? where user_id = ?")
        .bind(Date.now() + 60_000, id)
        .run()
      const listed = await browser.get("/api/auth/list-accounts")
      expect(listed.headers.getSetCookie().join()).toContain("session_token=")
    },
    { name: "Ada" },
  ],
  ["a link of a letter", ({ browser }) => browser.open("/api/auth/verify-email?token=x"), {}],
]

test.each(changes)(
  "in the browser that does it, the snapshot ends at once; elsewhere within its seconds: %s",
  async (_title, change, user) => {
    const person = await createKnown()
    const elsewhere = at(cached, person.browser)
    await change(person)
    expect(snapshotOf(person.browser)).toBeUndefined()
    const ask = async (browser: Browser) =>
      expect({ told: await sessionOf(browser) }).toMatchObject({ told: user && { user } })
    await ask(person.browser)
    using _ = stopClock()
    expect(await sessionOf(elsewhere)).toMatchObject({ user: { name: "Ada" } })
    pass(cache)
    expect(await statements(() => ask(elsewhere))).toBeGreaterThan(0)
  },
)

test("an admin has none, so that a role that ends shows at once, nor has a cookie that browsers drop", async () => {
  const admin = await createPerson(cached, "admin")
  await sessionOf(admin.browser)
  expect(snapshotOf(admin.browser)).toBeUndefined()
  const { browser } = await createPerson(cached)
  const image = `https://${"x".repeat(2030)}`
  const name = "\u{1f600}".repeat(50)
  await browser.post("/api/v1/updateProfile", { name, image })
  expect(await sessionOf(browser)).not.toBeNull()
  expect(snapshotOf(browser)).toBeUndefined()
})

test("beside a version without the key, a snapshot ends with the session's cookie", async () => {
  const { browser } = await createKnown()
  const older = at(bind(), browser)
  await older.post("/api/auth/sign-out")
  expect(snapshotOf(older)).toBeDefined()
  expect(await sessionOf(at(cached, older))).toBeNull()
})

test("a session that cannot be renewed now is answered as it is, and renewed later", async () => {
  const person = await createPerson()
  await env.DB.prepare("update session set expires_at = ? where user_id = ?")
    .bind(Date.now() + 60_000, person.id)
    .run()
  const cut = at(bind({ DB: createFailingDatabase(env.DB, /^update "session"/) }), person.browser)
  const answer = await cut.get("/api/auth/get-session")
  expect([answer.status, await answer.json()]).toMatchObject([200, { user: { id: person.id } }])
  expect(answer.headers.getSetCookie()).toEqual([])
  const renewed = await person.browser.get("/api/auth/get-session")
  expect(renewed.headers.getSetCookie().join()).toContain("session_token=")
})
