import { env } from "cloudflare:workers"
import { expect, test } from "vitest"

import { stopClock } from "../../testing/clock.ts"
import { createCountingDatabase } from "../../testing/counting-database.ts"
import { createFailingDatabase } from "../../testing/failing-database.ts"
import {
  at,
  cache,
  cached,
  createKnown,
  endSessions,
  grace,
  graced,
  pass,
  sessionOf,
} from "../../testing/snapshot.ts"
import type { Env } from "../configuration/env.ts"

const hanging = createCountingDatabase(env.DB, () => new Promise(() => {})).database
const refusing = createFailingDatabase(env.DB, /./)

test.each([
  ["hangs", { ...graced, DB: hanging }],
  ["refuses", { ...graced, DB: refusing }],
])(
  "while the database %s, the session is told, with how long ago it was asked, and nothing else is",
  async (_, bound) => {
    const { browser, id } = await createKnown(graced)
    using _clock = stopClock()
    const cut = at(bound, browser)
    const before = new Map(cut.cookies)
    const told = async (path: string) => {
      const answer = await cut.get(path)
      return [
        answer.status,
        answer.headers.get("accounts-session-unconfirmed"),
        await answer.json(),
      ]
    }
    const known = await sessionOf(browser)
    expect(await told("/api/auth/get-session")).toEqual([200, null, known])
    pass(cache + 5)
    expect(await told("/api/auth/get-session")).toEqual([200, "65", known])
    const user = { id, name: "Ada", role: "member" }
    expect(await told("/api/v1/whoami")).toEqual([200, "65", { user }])
    const asking = [
      "/api/v1/getProfile",
      "/api/auth/list-sessions",
      "/api/v1/getPlanAndUsage",
      "/api/auth/get-session?disableCookieCache=true",
    ]
    for (const answer of await Promise.all(asking.map(told))) {
      expect(answer).toMatchObject([503, null, { code: "UNAVAILABLE" }])
    }
    expect((await cut.post("/api/auth/sign-out")).status).toBe(503)
    expect(cut.cookies).toEqual(before)
    pass(grace)
    expect(await told("/api/auth/get-session")).toMatchObject([503, null, { code: "UNAVAILABLE" }])
    expect(await sessionOf(at(graced, cut))).toEqual(known)
  },
)

test("without a grace, a database that does not answer is told as soon as the snapshot's seconds are over", async () => {
  const { browser } = await createKnown()
  using _ = stopClock()
  const cut = at({ ...cached, DB: refusing }, browser)
  expect((await cut.get("/api/auth/get-session")).status).toBe(200)
  pass(cache)
  expect((await cut.get("/api/auth/get-session")).status).toBe(503)
})

test.each(["/api/auth/get-session", "/api/v1/whoami"])(
  "a session that has ended has no grace once the database has said so to %s",
  async (path) => {
    const person = await createKnown(graced)
    using _ = stopClock()
    pass(cache)
    await endSessions(person)
    await person.browser.get(path)
    const cut = await at({ ...graced, DB: refusing }, person.browser).get("/api/v1/whoami")
    expect([cut.status, await cut.json()]).not.toMatchObject([200, { user: { id: person.id } }])
  },
)

test("a hundred signed-in members are answered while the database hangs, and all of them after it", async () => {
  const people = await Promise.all(Array.from({ length: 20 }, () => createKnown(graced)))
  const asked = (bound: Env) =>
    Promise.all(
      people.flatMap(({ browser }) =>
        Array.from({ length: 5 }, async () => {
          const answer = await at(bound, browser).get("/api/auth/get-session")
          return [answer.status, answer.headers.has("accounts-session-unconfirmed")]
        }),
      ),
    )
  using _ = stopClock()
  pass(cache)
  const during = await asked({ ...graced, DB: hanging })
  expect(during).toEqual(during.map(() => [200, true]))
  expect(await asked(graced)).toEqual(during.map(() => [200, false]))
})
