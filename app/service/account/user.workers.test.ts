import { env } from "cloudflare:workers"
import { getTableName } from "drizzle-orm"
import { expect, test } from "vitest"

import { exported } from "../../exports.ts"
import { limits, metrics } from "../../plan/plan.ts"
import { bind, createBrowser } from "../../testing/browser.ts"
import { stopClock } from "../../testing/clock.ts"
import { insertFactors } from "../../testing/factor-person.ts"
import { createNetwork } from "../../testing/network.ts"
import { nouns } from "../../testing/nouns.ts"
import { createPaymentProvider } from "../../testing/payment-provider.ts"
import { createPerson, type Person } from "../../testing/person.ts"
import { createDataExport } from "./export/data-export.ts"

const { collections } = createDataExport(exported)

test("GET /api/v1/whoami returns the signed-in user, or null", async () => {
  const person = await createPerson()
  expect(await person.get("whoami")).toEqual({
    status: 200,
    body: { user: { id: person.id, name: "Ada", role: "member" } },
  })
  const visitor = await createBrowser().get("/api/v1/whoami")
  expect(await visitor.json()).toEqual({ user: null })
})

test("GET /api/v1/getProfile returns the profile of the signed-in user", async () => {
  const person = await createPerson()
  expect(await person.get("getProfile")).toEqual({
    status: 200,
    body: {
      id: person.id,
      email: person.email,
      emailVerified: false,
      name: "Ada",
      image: null,
      role: "member",
      language: null,
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
    },
  })
})

test("GET /api/v1/getProfile requires a session, and a revoked one ends at once", async () => {
  const visitor = await createBrowser().get("/api/v1/getProfile")
  expect(visitor.status).toBe(401)
  expect(await visitor.json()).toEqual({
    defined: true,
    code: "UNAUTHORIZED",
    status: 401,
    message: "Sign in first",
  })
  const person = await createPerson()
  await env.DB.prepare("delete from session where user_id = ?").bind(person.id).run()
  expect((await person.get("getProfile")).status).toBe(401)
})

test("POST /api/v1/updateProfile changes name and image, and keeps fields that are not sent", async () => {
  const person = await createPerson()
  const image = "https://example.com/ada.png"
  await person.post("updateProfile", { image })
  const { status, body } = await person.post("updateProfile", { name: " Ada Lovelace " })
  expect(status).toBe(200)
  expect(body).toMatchObject({ name: "Ada Lovelace", image })
  expect((await person.post("updateProfile", { image: null })).body).toMatchObject({
    image: null,
  })
})

test.each([
  [{ role: "owner" }, "Does not take role"],
  [{ plan: "premium" }, "Does not take plan"],
  [{ name: "" }, "Must not be empty"],
  ...[
    "\u200b",
    "\u200d",
    "\u00ad",
    "\u2060",
    "\u{e0041}",
    "\u180e",
    "\u3164",
    "\u2800",
    "\ufe0f",
    "\u115f",
  ].map((name): [object, string] => [{ name }, "Must not be empty"]),
  [{ image: "javascript:alert(1)" }, "Must be an https URL"],
])("POST /api/v1/updateProfile rejects %j", async (input, message) => {
  const person = await createPerson()
  const { status, body } = await person.post("updateProfile", input)
  expect(status).toBe(400)
  expect(body).toMatchObject({
    code: "BAD_REQUEST",
    data: { issues: [{ message: expect.stringContaining(message) }] },
  })
  expect((await person.get("getProfile")).body).toMatchObject({ role: "member", name: "Ada" })
})

test("GET /api/v1/getPlanAndUsage counts the rows created this month", async () => {
  using _ = stopClock()
  const person = await createPerson()
  const period = new Date().toISOString().slice(0, 7)
  for (const [index, metric] of metrics.entries()) {
    await env.DB.prepare("insert into usage (user_id, period, metric, count) values (?, ?, ?, ?)")
      .bind(person.id, period, metric, index + 1)
      .run()
  }
  const { body } = await person.get("getPlanAndUsage")
  expect(body).toEqual({
    plan: "free",
    planUntil: null,
    usage: metrics.map((metric, index) => ({
      metric,
      used: index + 1,
      limit: limits.free[metric],
    })),
    resetsAt: expect.stringMatching(/-01T00:00:00.000Z$/),
  })
})

test("GET /api/v1/getPlanAndUsage reports free once premium has ended", async () => {
  const person = await createPerson()
  const grant = (until: number | null) =>
    env.DB.prepare("update user set plan = 'premium', plan_until = ? where id = ?")
      .bind(until, person.id)
      .run()
  await grant(Date.now() + 60_000)
  expect((await person.get("getPlanAndUsage")).body).toMatchObject({
    plan: "premium",
    usage: metrics.map((metric) => ({ limit: limits.premium[metric] })),
  })
  await grant(Date.now() - 1)
  expect((await person.get("getPlanAndUsage")).body).toMatchObject({ plan: "free" })
  // Everywhere else too.
  const auth = async (response: Promise<Response>) => (await response).json()
  const free = { user: { plan: "free", planUntil: null } }
  expect(await auth(person.browser.get("/api/auth/get-session"))).toMatchObject(free)
  expect(await auth(person.browser.get("/api/auth/get-session?x=1"))).toMatchObject(free)
  const signedIn = person.browser.post("/api/auth/sign-in/email", person)
  expect(await auth(signedIn)).toMatchObject(free)
  const admin = await createPerson(undefined, "admin")
  const { body } = await admin.get("listUsers")
  expect(JSON.stringify(body)).not.toContain('"premium"')
})

test("two changes of a profile at once are both kept", async () => {
  const person = await createPerson()
  const image = "https://example.com/new.png"
  for (let round = 0; round < 5; round += 1) {
    await person.post("updateProfile", { name: "Before", image: null })
    await Promise.all([
      person.post("updateProfile", { name: "After" }),
      person.post("updateProfile", { image }),
    ])
    expect((await person.get("getProfile")).body).toMatchObject({ name: "After", image })
  }
})

type Export = Record<string, Record<string, unknown>[]> & {
  profile: { email: string } | null
  nextCursor: string | null
}

/** A person with a row in every collection. */
async function createCollector() {
  const payments = createPaymentProvider()
  createNetwork({ [payments.host]: payments.remote })
  const [person, reader] = [await createPerson(bind(payments.bindings)), await createPerson()]
  for (const { collect } of nouns) await collect(person)
  await env.DB.batch([
    env.DB.prepare(
      `insert into audit_entry (id, actor_id, subject_id, action, created_at)
       values (?, ?, ?, 'read_member', 1)`,
    ).bind(`audit_entry_${person.id}`, reader.id, person.id),
    env.DB.prepare("insert into removed_identity values (?, 'idp', 1, 'https://idp.example')").bind(
      person.id,
    ),
    env.DB.prepare(
      "insert into former_address values ('former of ' || ?1, ?1, 'before@example.com', 9e12)",
    ).bind(person.id),
  ])
  await insertFactors(person.id)
  return { person, reader }
}

async function read(person: Person, cursor = "") {
  const { status, body } = await person.get(`exportData${cursor && `?cursor=${cursor}`}`)
  // Whatever else is answered has no next page, and no end.
  expect([status, body]).toMatchObject([
    200,
    { nextCursor: expect.toBeOneOf([null, expect.any(String)]) },
  ])
  return body as unknown as Export
}

async function tables() {
  const { results } = await env.DB.prepare(
    `select name from sqlite_schema where type = 'table' and name not like 'sqlite_%'
     and name not like '\\_cf\\_%' escape '\\' and name <> 'd1_migrations' order by name`,
  ).all<{ name: string }>()
  return results.map(({ name }) => name)
}

/** Tables without data about a member. */
const exempt = [
  "attempt",
  "verification",
  "invitation",
  "recovery_code",
  ...nouns.flatMap((noun) => noun.exempt ?? []),
]

test("every table of the database is either exported or exempt", async () => {
  const decided = [...Object.values(collections).map(({ table }) => getTableName(table)), ...exempt]
  expect(decided.toSorted()).toEqual(await tables())
})

test("data export returns everything about the member by kind, without secrets or other people's data", async () => {
  const { person, reader } = await createCollector()
  const { profile, nextCursor, ...lists } = await read(person)
  expect(nextCursor).toBeNull()
  expect(profile).toMatchObject({ email: person.email, plan: "free" })
  const { profile: _, usage, ...kinds } = collections
  expect(Object.keys(lists).toSorted()).toEqual(Object.keys({ usage, ...kinds }).toSorted())
  for (const name of Object.keys(kinds)) expect([name, lists[name]?.length]).not.toEqual([name, 0])
  expect(lists["securityEvents"]).toMatchObject([{ action: "read_member", byYou: false }])
  const text = JSON.stringify(lists)
  expect(text).not.toMatch(/password|token|sealed|secret key|(?:one|two|browser|credential) of/i)
  expect(text).not.toContain(reader.id)
})

test("data export pages through many rows without losing or repeating any", async () => {
  const person = await createPerson()
  await env.DB.prepare(
    `with recursive n (i) as (select 0 union all select i + 1 from n where i < 449)
     insert into audit_entry (id, actor_id, subject_id, action, created_at)
     select 'many_' || i || ?1, ?1, ?1, 'list_users', 1 + i / 7 from n`,
  )
    .bind(person.id)
    .run()
  const ids: unknown[] = []
  let cursor: string | null = ""
  while (cursor !== null) {
    const page: Export = await read(person, cursor)
    ids.push(...(page["securityEvents"] ?? []).map((row) => row["id"]))
    cursor = page.nextCursor
  }
  // Seven at a time have one.
  const entries = Array.from(
    { length: 450 },
    (_, index) => [Math.floor(index / 7), `many_${index}${person.id}`] as const,
  )
  const many = entries
    .toSorted(([at, id], [then, otherId]) => at - then || (id < otherId ? -1 : 1))
    .map(([, id]) => id)
  expect(ids.filter((id) => String(id).startsWith("many_"))).toEqual(many)
  const foreign = ["constructor", "toString", "__proto__"].map((name) => btoa(`{"${name}":0}`))
  for (const wrong of ["nonsense", ...foreign]) {
    expect((await person.get(`exportData?cursor=${encodeURIComponent(wrong)}`)).status).toBe(400)
  }
})

test("account deletion leaves no row that refers to the member in any table but the audit log", async () => {
  const { person } = await createCollector()
  // The account has a passkey, so its password proves nothing.
  await env.DB.prepare("update session set factor = 'passkey', proven_at = ? where user_id = ?")
    .bind(Date.now(), person.id)
    .run()
  const deleted = await person.browser.post("/api/auth/delete-user", {})
  expect(deleted.status).toBe(200)
  for (const table of await tables()) {
    const { results } = await env.DB.prepare(`select * from "${table}"`).all()
    const naming = results.filter((row) =>
      Object.values(row).some((value) => value === person.id || value === person.email),
    )
    const audited = table === "audit_entry" ? naming : []
    expect({ table, naming }).toEqual({ table, naming: audited })
    expect(JSON.stringify(naming)).not.toContain(person.email)
  }
})
