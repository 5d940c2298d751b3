import { env } from "cloudflare:workers"
import { expect, test, vi } from "vitest"

import { records } from "../../records.ts"
import { bind, createBrowser } from "../../testing/browser.ts"
import { stopClock } from "../../testing/clock.ts"
import { createPerson, password } from "../../testing/person.ts"
import { visitProvider } from "../../testing/provider-visit.ts"
import { repeat } from "../../testing/repeat.ts"
import { createSeededRandom } from "../../testing/seeded-random.ts"
import { dailyEntries } from "../platform/audit/audit.ts"
import { maxIdentities } from "../sign-in/provider/identity.ts"
import { sweep } from "../sweep/sweep.ts"
import { allowances } from "./attempts.ts"

/* Repeated actions without a limit of requests. */

const bound = bind({ LIMIT_EMAIL: undefined, LIMIT_ADDRESS: undefined, LIMIT_MEMBER: undefined })
const day = 24 * 60 * 60 * 1000

async function entriesOf(userId: string) {
  const { results } = await env.DB.prepare(
    "select action, count(*) as n from audit_entry where subject_id = ? group by action",
  )
    .bind(userId)
    .all<{ action: string; n: number }>()
  return new Map(results.map(({ action, n }) => [action, n]))
}

test("a member who signs in and out all day leaves twenty entries of each kind a day", async () => {
  using _clock = stopClock()
  const person = await createPerson(bound)
  const random = createSeededRandom(38)
  const visit = async (count: number) => {
    for (let round = 0; round < count; round += 1) {
      const browser = createBrowser(bound)
      const { email } = person
      const word = random.next() < 0.1 ? "not it at all" : password
      await browser.post("/api/auth/sign-in/email", { email, password: word })
      const end = random.pick(["sign-out", "revoke-sessions", "revoke-other-sessions"])
      await browser.post(`/api/auth/${end}`)
    }
  }
  await visit(120)
  for (const [action, n] of await entriesOf(person.id)) {
    expect([action, n <= dailyEntries]).toEqual([action, true])
  }
  expect((await entriesOf(person.id)).get("sign_in")).toBe(dailyEntries)
  vi.setSystemTime(Date.now() + day + 1000)
  await visit(3)
  expect((await entriesOf(person.id)).get("sign_in")).toBeGreaterThan(dailyEntries)
})

test("a network's wrong passwords leave a limited number of entries a day, whichever accounts they try", async () => {
  const { limit } = allowances.refusal
  const network = { "cf-connecting-ip": "198.51.100.7" }
  const people = [await createPerson(bound), await createPerson(bound)]
  await env.DB.prepare("delete from attempt").run()
  const refuse = async (headers: Record<string, string>) => {
    for (const { email } of people) {
      const wrong = { email, password: "not it at all" }
      await createBrowser(bound).post("/api/auth/sign-in/email", wrong, headers)
    }
  }
  await refuse(network)
  const set = env.DB.prepare("update attempt set count = ? where count = ?")
  await set.bind(limit, people.length).run()
  await refuse(network)
  for (const { id } of people) expect((await entriesOf(id)).get("sign_in_refused")).toBe(1)
  await refuse({ "cf-connecting-ip": "198.51.100.8" })
  for (const { id } of people) expect((await entriesOf(id)).get("sign_in_refused")).toBe(2)
})

test.each(["true", "false"])(
  "a household opens as many accounts a day as its limit has, and its site as many more (verification: %s)",
  async (VERIFY_EMAIL) => {
    using _clock = stopClock()
    const limit = allowances["sign-up"].limit / 2
    const at = { ...bound, VERIFY_EMAIL, KEEP_MAIL: "true", ENVIRONMENT: "preview" }
    // All addresses are in one household.
    const site = `2001:db8:${VERIFY_EMAIL.length}`
    const address = (count: number) => `${site}:7::${count.toString(16)}`
    const signUp = async (count: number, from = address(count)) => {
      const email = `crowd-${crypto.randomUUID()}@example.com`
      const account = { name: "Crowd", email, password }
      const headers = { "cf-connecting-ip": from }
      return (await createBrowser(at).post("/api/auth/sign-up/email", account, headers)).status
    }
    const users = () =>
      env.DB.prepare("select count(*) as n from user where name = 'Crowd'").first<number>("n")
    const before = Number(await users())
    const statuses: number[] = []
    for (let count = 1; count <= limit + 10; count += 1) statuses.push(await signUp(count))
    expect(statuses.filter((status) => status === 200)).toHaveLength(limit)
    expect(statuses.filter((status) => status === 429)).toHaveLength(10)
    expect(Number(await users()) - before).toBe(limit)
    expect(await signUp(0, "203.0.113.9")).toBe(200)
    const neighbours: number[] = []
    for (let count = 1; count <= limit + 10; count += 1) {
      neighbours.push(await signUp(0, `${site}:${count.toString(16)}00::1`))
    }
    expect(neighbours.filter((status) => status === 200)).toHaveLength(limit)
    vi.setSystemTime(Date.now() + 30 * 60 * 1000)
    expect([await signUp(0, `${site}:ff00::1`), await signUp(0, `${site}:fe00::1`)]).toEqual([
      200, 429,
    ])
    vi.setSystemTime(Date.now() + day)
    expect(await signUp(1)).toBe(200)
  },
)

/** Rows that strangers create: how many stay, a row to insert, its table, its time. */
const crowds: Record<string, [most: number, row: string, table: string, time: string]> = {
  "sign-ups without verification": [
    100_000,
    "user (id, email, name, unproven_since, created_at, updated_at) select 'crowd' || i, 'crowd' || i || '@example.com', 'x', ?1 + i, ?1, ?1",
    "user",
    "unproven_since",
  ],
  "requests for addresses without an account": [
    100_000,
    "verification (id, identifier, value, expires_at, created_at, updated_at) select 'crowd' || i, i, '', ?1 + 86400000 + i, ?1, ?1",
    "verification",
    "expires_at - 86400000",
  ],
  "refused sign-ins": [
    300_000,
    "audit_entry (id, subject_id, action, created_at) select 'crowd' || i, 'x', 'sign_in_refused', ?1 + i",
    "audit_entry",
    "created_at",
  ],
}

test.each(Object.entries(crowds))("of a crowd's %s, the newest stay", async (_, crowd) => {
  const [most, row, table, time] = crowd
  const now = Date.now()
  await env.DB.prepare(
    `with recursive n (i) as (select 1 union all select i + 1 from n where i < ?2)
     insert into ${row} from n`,
  )
    .bind(now - day / 2, most + 700)
    .run()
  await sweep({ database: env.DB, records }, new Date(now))
  const remaining = await env.DB.prepare(
    `select count(*) as n, min(${time}) as oldest from ${table} where id like 'crowd%'`,
  ).first<{ n: number; oldest: number }>()
  expect(remaining?.n).toBeLessThanOrEqual(most + 1)
  expect(remaining?.n).toBeGreaterThan(most - 1000)
  expect(remaining?.oldest).toBeGreaterThan(now - day / 2 + 600)
  await env.DB.prepare(`delete from ${table} where id like 'crowd%'`).run()
})

test("an account has at most twenty sign-in methods", async () => {
  const { provider, bound: at, browser } = await visitProvider()
  const person = await createPerson(at)
  for (const [name, value] of person.browser.cookies) browser.cookies.set(name, value)
  const add = async (sub: string) => {
    const started = await person.browser.post("/api/auth/link-social", { provider: "idp" })
    const { url } = await started.json<{ url: string }>()
    provider.forge({ claims: { sub } })
    const query = new URLSearchParams(provider.authorize(url)).toString()
    const back = await person.browser.open(`/api/auth/callback/idp?${query}`)
    return new URL(back.headers.get("location") ?? "").searchParams.get("error")
  }
  const errors = await repeat(24, (count) => add(`subject ${count}`))
  expect(errors.filter((error) => error === null)).toHaveLength(maxIdentities - 1)
  expect(new Set(errors.slice(maxIdentities - 1))).toEqual(new Set(["account_not_linked"]))
  // An existing identity can be added again.
  expect(await add("subject 0")).toBeNull()
  expect(await add("x".repeat(256))).toBe("invalid_code")
})
