import { env } from "cloudflare:workers"
import { expect, test } from "vitest"

import { bind, createBrowser } from "../../testing/browser.ts"
import { createCountingDatabase } from "../../testing/counting-database.ts"
import { createPerson } from "../../testing/person.ts"
import { visitProvider } from "../../testing/provider-visit.ts"

/** A limiter that lets a few requests of each key through. */
function countingLimit(most: number) {
  const counts = new Map<string, number>()
  return {
    keys: counts,
    limit: async ({ key = "" }: { key?: string }) => {
      counts.set(key, (counts.get(key) ?? 0) + 1)
      return { success: (counts.get(key) ?? 0) <= most }
    },
  }
}

test("A44: no spelling of a path, and no token in it, has a count of its own", async () => {
  const LIMIT_ADDRESS = countingLimit(3)
  const visit = await visitProvider({ changes: { LIMIT_ADDRESS } })
  using _ = visit.network
  const ask = async (path: string) =>
    (await visit.browser.get(`/api/auth/${path}`, { "cf-connecting-ip": "192.0.2.44" })).status
  for (const spellings of [
    ["sign-in/idp", "sign-in/%69dp", "sign-in/i%64p", "sign-in/idp?x=1", "sign-in/id%70"],
    ["callback/idp", "callback/%69dp", "callback/i%64p", "callback/%69%64p", "callback/id%70"],
    // Each asks the database.
    Array.from({ length: 5 }, (_each, index) => `reset-password/guess-${index}`),
  ]) {
    const statuses: number[] = []
    for (const path of spellings) statuses.push(await ask(path))
    expect([spellings[0], statuses.map((status) => status === 429)]).toEqual([
      spellings[0],
      [false, false, false, true, true],
    ])
  }
  expect(LIMIT_ADDRESS.keys.size).toBe(3)
})

test.each(["get-session", "list-sessions", "list-accounts"])(
  "whoever asks for %s without end is stopped before the database, and nobody else is",
  async (path) => {
    const bound = bind({ LIMIT_MEMBER: countingLimit(3) })
    const [person, other] = [await createPerson(bound), await createPerson(bound)]
    const ask = async (browser: typeof person.browser) =>
      (await browser.get(`/api/auth/${path}`, { "cf-connecting-ip": "192.0.2.45" })).status
    const statuses: number[] = []
    for (let count = 0; count < 5; count += 1) statuses.push(await ask(person.browser))
    expect([...statuses, await ask(other.browser)]).toEqual([200, 200, 200, 429, 429, 200])
  },
)

test("questions about the schema are counted for each network, and plain ones are not", async () => {
  const browser = createBrowser(bind({ LIMIT_ADDRESS: countingLimit(2) }), null)
  const ask = async (path: string, address: string) =>
    (await browser.get(`/api/health${path}`, { "cf-connecting-ip": address })).status
  const asked = ["2001:db8::1", "2001:db8::2", "2001:db8::3", "192.0.2.46"]
  const statuses: number[] = []
  for (const address of asked) statuses.push(await ask("?schema=1", address))
  expect(statuses).toEqual([200, 200, 429, 200])
  expect(await ask("", "2001:db8::3")).toBe(200)
})

test.each(["getProfile", "whoami", "exportData", "listUsers", "getPlanAndUsage", "createToken"])(
  "a session that has ended asks the database for %s no more often than one that goes on",
  async (name) => {
    const counting = createCountingDatabase(env.DB)
    const bound = bind({ DB: counting.database, LIMIT_MEMBER: countingLimit(3) })
    const { browser } = await createPerson(bound)
    const kept = new Map(browser.cookies)
    await browser.post("/api/auth/sign-out")
    for (const [cookie, value] of kept) browser.cookies.set(cookie, value)
    const ask = async () =>
      name === "createToken"
        ? browser.post(`/api/v1/${name}`, { audience: "x" })
        : browser.get(`/api/v1/${name}`)
    const sent = await counting.during(async () => {
      for (let count = 0; count < 8; count += 1) await ask()
    })
    expect(sent.length).toBeLessThanOrEqual(3)
    expect((await ask()).status).toBe(429)
  },
)
