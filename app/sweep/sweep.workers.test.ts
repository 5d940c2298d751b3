import { createScheduledController } from "cloudflare:test"
import { env } from "cloudflare:workers"
import { expect, it } from "vitest"

import { bind } from "../testing/browser.ts"
import { createPerson } from "../testing/person.ts"
import worker from "../worker.ts"

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

it("removes what has had its time, and nothing else", async () => {
  const person = await createPerson()
  const seconds = (offset: number) => Math.floor((now + offset) / 1000)
  await env.DB.batch([
    env.DB.prepare(
      `insert into session (id, user_id, token, expires_at, created_at, updated_at)
       values ('session_old', ?, 'old', 1, 0, 0)`,
    ).bind(person.id),
    env.DB.prepare("insert into verification values ('old', 'x', 'x', 1, 0, 0)"),
    env.DB.prepare("insert into verification values ('new', 'y', 'y', ?, 0, 0)").bind(now + day),
    env.DB.prepare("insert into audit_entry values ('old', null, null, 'list_users', null, 1)"),
    env.DB.prepare(
      "insert into audit_entry values ('new', null, null, 'list_users', null, ?)",
    ).bind(now),
    env.DB.prepare("insert into payment_event values ('old', 'x', 1)"),
    insertUser("orphan", "orphan@example.com", now - 2 * hour),
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
  expect(await count("payment_event")).toBe(0)
})

it("takes a bounded number of rows at a time", async () => {
  const rows = Array.from({ length: 600 }, (_, index) =>
    env.DB.prepare("insert into payment_event values (?, 'x', 1)").bind(`many_${index}`),
  )
  await env.DB.batch(rows)
  await run()
  expect(await count("payment_event")).toBe(100)
  await run()
  expect(await count("payment_event")).toBe(0)
})
