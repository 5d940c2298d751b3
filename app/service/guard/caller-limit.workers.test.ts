import { env } from "cloudflare:workers"
import { expect, test } from "vitest"

import { bind, createBrowser } from "../../testing/browser.ts"
import { createCountingDatabase } from "../../testing/counting-database.ts"
import { createCountingLimit } from "../../testing/counting-limit.ts"
import { mail } from "../../testing/mailbox.ts"
import { createPerson } from "../../testing/person.ts"
import { visitProvider } from "../../testing/provider-visit.ts"
import { repeat } from "../../testing/repeat.ts"

test("A44: no spelling of a path, and no token in it, has a count of its own", async () => {
  const LIMIT_ADDRESS = createCountingLimit(3)
  const visit = await visitProvider({ changes: { LIMIT_ADDRESS } })
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
  expect(LIMIT_ADDRESS.counts.size).toBe(3)
})

test.each(["auth/get-session", "auth/list-sessions", "auth/list-accounts", "v1/getProfile"])(
  "a caller that requests %s without end is stopped before the database, and no other caller is",
  async (path) => {
    const bound = bind({ LIMIT_MEMBER: createCountingLimit(3) })
    const [person, neighbour] = [await createPerson(bound), await createPerson(bound)]
    const ask = async (browser: typeof person.browser) =>
      (await browser.get(`/api/${path}`, { "cf-connecting-ip": "192.0.2.45" })).status
    const statuses = await repeat(5, () => ask(person.browser))
    expect([...statuses, await ask(neighbour.browser)]).toEqual([200, 200, 200, 429, 429, 200])
    const limited = await person.browser.get(`/api/${path}`)
    expect(limited.headers.get("retry-after")).toBe("60")
    expect(await limited.json()).toMatchObject({ code: "TOO_MANY_REQUESTS" })
  },
)

test.each(["?schema=1", "?deep=1"])(
  "health%s is counted for each network, and a plain one is not",
  async (query) => {
    const browser = createBrowser(bind({ LIMIT_ADDRESS: createCountingLimit(2) }), null)
    const ask = async (path: string, address: string) =>
      (await browser.get(`/api/health${path}`, { "cf-connecting-ip": address })).status
    const addresses = ["2001:db8::1", "2001:db8::2", "2001:db8::3", "192.0.2.46"]
    const statuses: number[] = []
    for (const address of addresses) statuses.push(await ask(query, address))
    expect(statuses).toEqual([200, 200, 429, 200])
    expect(await ask("", "2001:db8::3")).toBe(200)
  },
)

test.each(["getProfile", "whoami", "exportData", "listUsers", "getPlanAndUsage", "createToken"])(
  "a session that has ended queries the database for %s as rarely as one that continues",
  async (name) => {
    const counting = createCountingDatabase(env.DB)
    const bound = bind({ DB: counting.database, LIMIT_MEMBER: createCountingLimit(3) })
    const { browser } = await createPerson(bound)
    const cookies = new Map(browser.cookies)
    await browser.post("/api/auth/sign-out")
    for (const [cookie, value] of cookies) browser.cookies.set(cookie, value)
    const ask = async () =>
      name === "createToken"
        ? browser.post(`/api/v1/${name}`, { audience: "x" })
        : browser.get(`/api/v1/${name}`)
    const statements = await counting.during(async () => {
      for (let count = 0; count < 8; count += 1) await ask()
    })
    expect(statements.length).toBeLessThanOrEqual(3)
    expect((await ask()).status).toBe(429)
  },
)

test("two thousand networks of one /48 have few requests a minute, and one household leaves the others theirs", async () => {
  const limits = { LIMIT_ADDRESS: createCountingLimit(100), LIMIT_EMAIL: undefined }
  const browser = createBrowser(bind({ ...limits, ...mail }))
  const ask = async (network: number, path = "request-password-reset") => {
    const headers = { "cf-connecting-ip": `2001:db8:48:${network.toString(16)}::1` }
    const email = `${crypto.randomUUID()}@example.com`
    return (await browser.post(`/api/auth/${path}`, { email }, headers)).status
  }
  const statuses = await repeat(150, (network) => ask(network))
  expect(statuses.filter((status) => status === 200)).toHaveLength(100)
  expect(await ask(0x300)).toBe(200)
  for (let network = 0x100; network < 0x9ff; network += 5) statuses.push(await ask(network))
  expect(statuses.filter((status) => status === 200).length).toBeLessThanOrEqual(200)
  expect(await ask(1, "send-verification-email")).toBe(200)
})

test("what strangers make the service count has a fixed number of rows", async () => {
  const limits = { LIMIT_ADDRESS: undefined, LIMIT_EMAIL: undefined }
  const browser = createBrowser(bind({ ...limits, ...mail }))
  const kinds = "select distinct substr(key, 1, instr(key, ':')) as kind from attempt"
  for (let round = 0; round < 20; round += 1) {
    const body = { email: `${crypto.randomUUID()}@example.com`, password: "a guess" }
    for (const path of ["request-password-reset", "sign-in/email"]) {
      await browser.post(`/api/auth/${path}`, body, { "cf-connecting-ip": `2001:db8:${round}::1` })
    }
  }
  const { results } = await env.DB.prepare(kinds).all<{ kind: string }>()
  expect(results.length).toBeGreaterThan(3)
  const ends = env.DB.prepare("select key from attempt where not key glob '*:*:[0-9]*'")
  expect((await ends.all()).results).toEqual([])
  const most = "select max(cast(substr(key, length(rtrim(key, '0123456789')) + 1) as integer)) as n"
  expect(await env.DB.prepare(`${most} from attempt`).first("n")).toBeLessThan(2 ** 14)
})
