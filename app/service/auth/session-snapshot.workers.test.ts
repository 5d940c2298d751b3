import { expect, test } from "vitest"

import { bind, bindProduction, createBrowser } from "../../testing/browser.ts"
import { stopClock } from "../../testing/clock.ts"
import { createPerson, password } from "../../testing/person.ts"
import {
  at,
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
import type { Seen } from "./session-snapshot.ts"

test("a snapshot answers get-session and whoami without the database, as that has, for its seconds", async () => {
  using _ = stopClock()
  const person = await createPerson(cached)
  let first: unknown
  expect(await statements(async () => (first = await sessionOf(person.browser)))).toBe(1)
  const who = { user: { id: person.id, name: "Ada", role: "member" } }
  const again = () =>
    statements(async () => {
      expect(await sessionOf(person.browser)).toEqual(first)
      expect((await person.get("whoami")).body).toEqual(who)
    })
  expect(await again()).toBe(0)
  pass(cache - 1)
  expect(await again()).toBe(0)
  pass(1)
  // The first one asks, and leaves the next snapshot.
  expect(await again()).toBe(1)
  expect(first).toEqual(await sessionOf(at(bind(), person.browser)))
})

test("whoami leaves a snapshot, too", async () => {
  const person = await createPerson(cached)
  expect(await statements(() => person.get("whoami"))).toBe(1)
  expect(await statements(() => sessionOf(person.browser))).toBe(0)
})

test("the cookie is the API's alone, readable by nobody, and no answer may be stored", async () => {
  const bound = bindProduction({ VERIFY_EMAIL: "false", SESSION_CACHE: "60", SESSION_GRACE: "600" })
  const browser = createBrowser(bound, "https://app.example.com")
  const email = `ada-${crypto.randomUUID()}@example.com`
  await browser.post("/api/auth/sign-up/email", { name: "Ada", email, password })
  for (const path of ["/api/auth/get-session", "/api/auth/get-session", "/api/v1/whoami"]) {
    const answer = await browser.get(path)
    expect(answer.headers.get("cache-control")).toBe("no-store")
    for (const line of answer.headers.getSetCookie()) {
      expect(line).toMatch(
        /^__Host-accounts-production\.session_snapshot=[\w.-]+; Max-Age=600; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
      )
      expect(line.length).toBeLessThan(4096)
    }
  }
  const payload = snapshotOf(browser)
    ?.split(".")
    .map((part) => atob(part.replaceAll("-", "+").replaceAll("_", "/")))
  expect(payload?.join()).not.toContain(email)
})

test("without the key there is no cookie, and what an earlier key left is worth nothing", async () => {
  const { browser } = await createPerson(bind())
  await browser.get("/api/auth/get-session")
  expect(snapshotOf(browser)).toBeUndefined()
  const known = await createKnown()
  await endSessions(known)
  expect(await sessionOf(at(bind(), known.browser))).toBeNull()
  const shorter = { ...cached, SESSION_CACHE: "1" }
  using _ = stopClock()
  pass(2)
  expect(await sessionOf(at(shorter, known.browser))).toBeNull()
  expect(await sessionOf(known.browser)).not.toBeNull()
})

test("a snapshot answers beside its own session's cookie alone, and is worth nothing by itself", async () => {
  const [own, other] = [await createKnown(), await createPerson(cached)]
  const planted = at(cached, other.browser)
  for (const [name, value] of own.browser.cookies) {
    if (name.endsWith(".session_snapshot")) planted.cookies.set(name, value)
  }
  expect(await statements(() => planted.get("/api/v1/whoami"))).toBe(1)
  expect(await sessionOf(planted)).toMatchObject({ user: { id: other.id } })
  const [, value = ""] = [...own.browser.cookies].find(([name]) => name.endsWith("token")) ?? []
  const alone = at(cached, own.browser)
  for (const [name] of own.browser.cookies) if (name.endsWith("token")) alone.cookies.delete(name)
  expect(await sessionOf(alone)).toBeNull()
  // Signed by nobody.
  for (const [name] of own.browser.cookies) {
    if (!name.endsWith("token")) continue
    alone.cookies.set(name, `${value.split(".")[0]}.${"A".repeat(43)}%3D`)
  }
  expect(await sessionOf(at(cached, alone))).toBeNull()
})

test("a rotated secret opens it for its day, another secret or environment never does", async () => {
  const [before, after] = ["the-secret-of-before-the-rotation", "the-secret-of-after-the-rotation!"]
  const bound = { ...cached, AUTH_SECRET: before }
  const { browser } = await createKnown(bound)
  const rotated = { ...cached, AUTH_SECRET: after, AUTH_SECRET_PREVIOUS: before }
  expect(await statements(() => sessionOf(at(rotated, browser)))).toBe(0)
  const { browser: next } = await createKnown(rotated)
  const waiting = { ...rotated, AUTH_SECRET_FROM: new Date(Date.now() + 60_000).toISOString() }
  expect(await statements(() => sessionOf(at(waiting, next)))).toBe(0)
  expect(await sessionOf(at({ ...cached, AUTH_SECRET: after }, browser))).toBeNull()
  const elsewhere = createBrowser({ ...bound, ENVIRONMENT: "preview" })
  for (const [name, value] of browser.cookies) {
    elsewhere.cookies.set(name.replace("-local", "-preview"), value)
  }
  expect(await sessionOf(elsewhere)).toBeNull()
})

test.each<[string, (seen: Seen) => object, number]>([
  ["as it was", (seen) => seen, 0],
  ["a column more", (seen) => ({ ...seen, user: { ...seen.user, next: 1 } }), 1],
  [
    "a column less",
    ({ session, ...seen }) => ({ ...seen, session: { ...session, ipAddress: undefined } }),
    1,
  ],
  ["a role that is none", (seen) => ({ ...seen, user: { ...seen.user, role: "root" } }), 1],
  ["a time to come", (seen) => ({ ...seen, at: Date.now() + 5000 }), 1],
  ["no time", (seen) => ({ ...seen, at: undefined }), 1],
])(
  "a snapshot of another version asks the database unless it has what this one has: %s",
  async (_, change, sent) => {
    const person = await createKnown()
    await rewrite(person, change)
    expect(await statements(() => sessionOf(person.browser))).toBe(sent)
  },
)
