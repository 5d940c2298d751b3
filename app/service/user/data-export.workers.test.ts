import { env } from "cloudflare:workers"
import { getTableName } from "drizzle-orm"
import { expect, test } from "vitest"

import { createPerson, password, type Person } from "../../testing/person.ts"
import { createResultInput } from "../../testing/result.ts"
import { collections } from "./data-export.ts"

type Export = Record<string, Record<string, unknown>[]> & {
  profile: { email: string } | null
  nextCursor: string | null
}

/** A person with a row in every collection. */
async function createCollector() {
  const [person, reader] = [await createPerson(), await createPerson()]
  await person.post("createEntry", { mood: "good", text: "Mine" })
  const { body } = await person.post("createResult", createResultInput())
  await person.post("recordConsent", { purpose: "terms", version: "1" })
  await env.DB.batch([
    env.DB.prepare(
      `insert into payment (id, user_id, result_id, status, amount, currency, expires_at, created_at)
       values (?, ?, ?, 'pending', 499, 'eur', 1, 1)`,
    ).bind(`payment_of_${person.id}`, person.id, body["id"]),
    env.DB.prepare(
      `insert into audit_entry (id, actor_id, subject_id, action, created_at)
       values (?, ?, ?, 'read_member', 1)`,
    ).bind(`audit_entry_${person.id}`, reader.id, person.id),
    env.DB.prepare("insert into removed_identity values (?, 'idp', 1, 'https://idp.example')").bind(
      person.id,
    ),
  ])
  return { person, reader }
}

async function read(person: Person, cursor = "") {
  const { body } = await person.get(`exportData${cursor && `?cursor=${cursor}`}`)
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
  "kept_checkout",
  "kept_consent",
  "kept_payment",
  "payment_event",
  "verification",
]

test("every table of the database is either exported or exempt", async () => {
  const decided = [...Object.values(collections).map(({ table }) => getTableName(table)), ...exempt]
  expect(decided.toSorted()).toEqual(await tables())
})

test("data export returns everything about the member by kind, without secrets or other people's data", async () => {
  const { person, reader } = await createCollector()
  const { profile, nextCursor, ...found } = await read(person)
  expect(nextCursor).toBeNull()
  expect(profile).toMatchObject({ email: person.email, plan: "free" })
  const counts = Object.entries(found).map(([name, items]) => [name, items.length])
  const { profile: _, ...kinds } = collections
  expect(Object.fromEntries(counts)).toEqual({
    ...Object.fromEntries(Object.keys(kinds).map((name) => [name, 1])),
    usage: 2,
  })
  expect(found["journalEntries"]).toMatchObject([{ mood: "good", text: "Mine" }])
  expect(found["compatibilityResults"]).toMatchObject([
    { lite: createResultInput().lite, unlocked: false, deepInsights: null },
  ])
  expect(found["securityEvents"]).toMatchObject([{ action: "read_member", byYou: false }])
  const text = JSON.stringify(found)
  expect(text).not.toMatch(/password|token|what is paid for/i)
  expect(text).not.toContain(reader.id)
})

test("data export contains the deep insights that have been paid for", async () => {
  const { person } = await createCollector()
  await env.DB.prepare("update compatibility_result set unlocked_at = 1 where user_id = ?")
    .bind(person.id)
    .run()
  const { compatibilityResults } = await read(person)
  const { deepInsights } = createResultInput()
  expect(compatibilityResults).toMatchObject([{ unlocked: true, deepInsights }])
})

test("data export pages through many rows without losing or repeating any", async () => {
  const person = await createPerson()
  const rows = Array.from({ length: 450 }, (_, index) =>
    env.DB.prepare(
      `insert into journal_entry (id, user_id, mood, text, created_at)
       values (?, ?, 'good', ?, ?)`,
    ).bind(`journal_entry_${person.id}_${index}`, person.id, String(index), 450 - index),
  )
  await env.DB.batch(rows)
  const texts: unknown[] = []
  let cursor: string | null = ""
  while (cursor !== null) {
    const page: Export = await read(person, cursor)
    texts.push(...(page["journalEntries"] ?? []).map((row) => row["text"]))
    cursor = page.nextCursor
  }
  expect(texts).toEqual(Array.from({ length: 450 }, (_, index) => String(index)))
  const foreign = ["constructor", "toString", "__proto__"].map((name) => btoa(`{"${name}":0}`))
  for (const wrong of ["nonsense", ...foreign]) {
    expect((await person.get(`exportData?cursor=${encodeURIComponent(wrong)}`)).status).toBe(400)
  }
})

test("account deletion leaves no row that refers to the member in any table but the audit log", async () => {
  const { person } = await createCollector()
  const deleted = await person.browser.post("/api/auth/delete-user", { password })
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
