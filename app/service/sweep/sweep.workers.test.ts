import { createScheduledController } from "cloudflare:test"
import { env } from "cloudflare:workers"
import { expect, test } from "vitest"

import { bind } from "../../testing/browser.ts"
import { createCountingDatabase } from "../../testing/counting-database.ts"
import { createPerson } from "../../testing/person.ts"
import worker from "../../worker.ts"
import { sweep } from "./sweep.ts"

const now = Date.now()
const hour = 60 * 60 * 1000
const day = 24 * hour

async function count(table: string, where = "true") {
  return env.DB.prepare(`select count(*) as n from ${table} where ${where}`).first<number>("n")
}

function run() {
  return worker.scheduled(createScheduledController({ scheduledTime: new Date(now) }), bind())
}

function insertUser(id: string, email: string, createdAt: number) {
  return env.DB.prepare(
    "insert into user (id, email, name, created_at, updated_at) values (?, ?, 'x', ?, ?)",
  ).bind(id, email, createdAt, createdAt)
}

function insertVerification(id: string, expiresAt: number) {
  return env.DB.prepare(
    `insert into verification (id, identifier, value, expires_at, created_at, updated_at)
     values (?, ?, 'x', ?, 0, 0)`,
  ).bind(id, id, expiresAt)
}

function insertAuditEntry(id: string, createdAt: number) {
  return env.DB.prepare(
    "insert into audit_entry (id, action, created_at) values (?, 'list_users', ?)",
  ).bind(id, createdAt)
}

test("the sweep deletes expired rows, and nothing else", async () => {
  const person = await createPerson()
  const seconds = (offset: number) => Math.floor((now + offset) / 1000)
  await env.DB.batch([
    env.DB.prepare(
      `insert into session (id, user_id, token, expires_at, created_at, updated_at)
       values ('session_old', ?, 'old', 1, 0, 0)`,
    ).bind(person.id),
    insertVerification("old", 1),
    insertVerification("new", now + day),
    insertAuditEntry("old", 1),
    insertAuditEntry("new", now),
    insertUser("fresh", "fresh@example.com", now - 1000),
    insertUser("smoked", `smoke-${seconds(-60_000)}-abcdefgh@accounts.invalid`, now - 1000),
    insertUser("smoking", `smoke-${seconds(60_000)}-abcdefgh@accounts.invalid`, now - 1000),
    insertUser("smoker", "smoke-0@example.com", now - 1000),
  ])

  await run()

  const { results } = await env.DB.prepare("select id from user order by id").all<{ id: string }>()
  expect(results.map(({ id }) => id)).toEqual(["fresh", "smoker", "smoking", person.id])
  expect(await count("session")).toBe(1)
  expect(await count("verification")).toBe(1)
  expect(await count("audit_entry")).toBe(1)
})

test("the sweep deletes an account whose address nobody has verified within a day", async () => {
  const before = await count("user")
  await env.DB.batch([
    insertUser("unproven_old", "unproven-old@example.com", now - 2 * day),
    insertUser("unproven_new", "unproven-new@example.com", now - day / 2),
    insertUser("usable", "usable@example.com", now - 2 * day),
    env.DB.prepare("update user set unproven_since = created_at where id like 'unproven%'"),
  ])
  await run()
  expect(await count("user")).toBe(Number(before) + 2)
  const { results } = await env.DB.prepare("select id from user where id in (?, ?, ?)")
    .bind("unproven_old", "unproven_new", "usable")
    .all()
  expect(results).toEqual([{ id: "unproven_new" }, { id: "usable" }])
})

test("the sweep deletes a bounded number of rows at a time, and keeps up with a million sessions a month", async () => {
  // 1,000,000 sessions a month are 1,389 an hour; a run must delete more, or it falls behind.
  const perHour = Math.ceil(1_000_000 / 30 / 24)
  await env.DB.prepare(
    `with recursive n(i) as (select 1 union all select i + 1 from n where i < ?)
     insert into attempt (key, count, since) select 'many_' || i, 1, 1 from n`,
  )
    .bind(7 * perHour)
    .run()
  const counting = createCountingDatabase(env.DB)
  const sent = await counting.during(() => sweep(counting.database, new Date(now)))
  expect(await count("attempt", "key like 'many_%'")).toBe(0)
  expect(sent).toHaveLength(Math.floor((7 * perHour) / 1000) + 1)
  for (const sql of sent) expect(sql.match(/limit 1000/g)).toHaveLength(sql.split(";\n").length)

  await env.DB.prepare(
    `with recursive n(i) as (select 1 union all select i + 1 from n where i < 100_000)
     insert into attempt (key, count, since) select 'more_' || i, 1, 1 from n`,
  ).run()
  const more = await counting.during(() => sweep(counting.database, new Date(now)))
  expect(await count("attempt", "key like 'more_%'")).toBe(0)
  expect(more.length).toBeLessThan(200)
})
