import { createScheduledController } from "cloudflare:test"
import { env } from "cloudflare:workers"
import { expect, test, vi } from "vitest"

import { records } from "../../records.ts"
import { bind, createBrowser } from "../../testing/browser.ts"
import { createCountingDatabase } from "../../testing/counting-database.ts"
import { applyLate, createFaultyDatabase, faults } from "../../testing/database-faults.ts"
import { createInterruptedDatabase } from "../../testing/interrupted-database.ts"
import { mail, openMailbox } from "../../testing/mailbox.ts"
import { createPerson, password } from "../../testing/person.ts"
import { auditOf } from "../../testing/rows.ts"
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

test("the sweep deletes an account whose address was not verified within a day", async () => {
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
  const statements = await counting.during(() =>
    sweep({ database: counting.database, records }, new Date(now)),
  )
  expect(await count("attempt", "key like 'many_%'")).toBe(0)
  expect(statements).toHaveLength(Math.floor((7 * perHour) / 1000) + 1)
  for (const sql of statements) {
    expect(sql.match(/limit 1000/g)).toHaveLength(sql.split(";\n").length)
  }

  await env.DB.prepare(
    `with recursive n(i) as (select 1 union all select i + 1 from n where i < 100_000)
     insert into attempt (key, count, since) select 'more_' || i, 1, 1 from n`,
  ).run()
  const repeated = await counting.during(() =>
    sweep({ database: counting.database, records }, new Date(now)),
  )
  expect(await count("attempt", "key like 'more_%'")).toBe(0)
  expect(repeated.length).toBeLessThan(200)
})

function runAt(DB: D1Database = env.DB, at = Date.now()) {
  const controller = createScheduledController({ scheduledTime: new Date(at) })
  return worker.scheduled(controller, bind({ ...mail, DB }))
}

function column(name: string, id: string) {
  return env.DB.prepare(`select ${name} from user where id = ?`).bind(id).first(name)
}

/** A member whose deletion an admin has scheduled, for a reason. */
async function schedule(role: "member" | "owner" = "member") {
  const person = await createPerson(bind(mail), role)
  const owner = await createPerson(bind(mail), "owner")
  const body = { userId: person.id, reason: "abuse" }
  const { status, body: listed } = await owner.post("scheduleDeletion", body)
  expect(status).toBe(200)
  return { person, owner, id: person.id, listed }
}

/** The same, of seven days ago. */
async function scheduleLongAgo(role: "member" | "owner" = "member") {
  const scheduled = await schedule(role)
  await env.DB.prepare("update user set delete_at = 1 where id = ?").bind(scheduled.id).run()
  return scheduled
}

test("a deletion that an admin schedules suspends, tells the owner, and happens after seven days", async () => {
  const mailbox = openMailbox()
  const { person, owner, id, listed } = await schedule()
  const { email } = person
  expect(listed).toMatchObject({ suspendedFor: "abuse", suspendedAt: expect.any(String) })
  expect(Date.parse(String(listed["deleteAt"])) - Date.now()).toBeGreaterThan(7 * day - 60_000)
  expect((await person.get("getProfile")).status).toBe(401)
  const response = await createBrowser().post("/api/auth/sign-in/email", { email, password })
  expect(await response.json()).toMatchObject({ code: "ACCOUNT_SUSPENDED" })
  await vi.waitFor(() =>
    expect(mailbox.emails.map(({ to, subject }) => [to, subject])).toContainEqual([
      email,
      "Your account will be deleted",
    ]),
  )
  expect(mailbox.emails.at(-1)?.text).toContain("because it was used against the rules")
  await runAt(env.DB, Date.now() + 6 * day)
  expect(await column("email", id)).toBe(email)
  await runAt(env.DB, Date.now() + 7 * day + 1000)
  expect(await column("email", id)).toBeNull()
  await vi.waitFor(() =>
    expect(mailbox.emails.at(-1)).toMatchObject({
      to: email,
      subject: "Your account has been deleted",
    }),
  )
  expect(await auditOf(id)).toMatchObject([
    { actor_id: owner.id, action: "schedule_deletion", detail: "abuse" },
    { action: "sign_in_refused" },
    { actor_id: null, action: "delete_account", detail: "scheduled" },
  ])
  // Its address is kept only until the email is sent, and is then free.
  const addresses = "select user_id, email from former_address"
  expect((await env.DB.prepare(addresses).all()).results).toEqual([{ user_id: null, email }])
  await runAt(env.DB, Date.now() + 11 * day)
  expect((await env.DB.prepare(addresses).all()).results).toEqual([])
  const account = { name: "Ada", email, password }
  expect((await createBrowser().post("/api/auth/sign-up/email", account)).status).toBe(200)
})

test("a deletion is taken back, and the account stays suspended until it is let in again", async () => {
  const mailbox = openMailbox()
  const { person, owner, id } = await scheduleLongAgo()
  // Scheduling it again changes neither the day nor the reason.
  const repeated = await owner.post("scheduleDeletion", { userId: id, reason: "other" })
  expect(repeated.body).toMatchObject({ suspendedFor: "abuse" })
  const cancelled = await owner.post("cancelDeletion", { userId: id })
  expect(cancelled.body).toMatchObject({ deleteAt: null, suspendedFor: "abuse" })
  await owner.post("cancelDeletion", { userId: id })
  await runAt()
  expect(await column("id", id)).toBe(id)
  await vi.waitFor(() =>
    expect(mailbox.emails.map(({ subject }) => subject)).toContain(
      "Your account will not be deleted",
    ),
  )
  const actions = (await auditOf(id)).map(({ action }) => action)
  expect(actions).toEqual(["schedule_deletion", "cancel_deletion"])
  await owner.post("unsuspendUser", { userId: id })
  const body = { email: person.email, password }
  expect((await createBrowser().post("/api/auth/sign-in/email", body)).status).toBe(200)
})

test("unsuspending or suspending again leaves no deletion behind", async () => {
  openMailbox()
  const { owner, id } = await scheduleLongAgo()
  const open = await owner.post("unsuspendUser", { userId: id })
  expect(open.body).toMatchObject({ deleteAt: null, suspendedAt: null })
  // A version without deletions has unsuspended the account: the date alone deletes nothing.
  await env.DB.prepare("update user set delete_at = 1 where id = ?").bind(id).run()
  await runAt()
  expect(await column("id", id)).toBe(id)
  await owner.post("suspendUser", { userId: id, reason: "security" })
  await runAt()
  expect(await column("id", id)).toBe(id)
})

test("a deletion that is taken back while the run is at it does not happen, nor is it told", async () => {
  const mailbox = openMailbox()
  const { person, owner, id } = await scheduleLongAgo()
  const { database, interrupt } = createInterruptedDatabase()
  interrupt(/delete from "user"/, () => owner.post("cancelDeletion", { userId: id }))
  await runAt(database)
  expect(await column("id", id)).toBe(id)
  expect((await auditOf(id)).map(({ action }) => action)).toEqual([
    "schedule_deletion",
    "cancel_deletion",
  ])
  const address = "select count(*) as n from former_address where email = ?"
  expect(await env.DB.prepare(address).bind(person.email).first("n")).toBe(0)
  expect(mailbox.emails.map(({ subject }) => subject)).not.toContain(
    "Your account has been deleted",
  )
})

test("a run deletes twenty accounts, and the next one the others", async () => {
  await env.DB.exec("delete from user")
  const insert = env.DB.prepare(
    `insert into user (id, email, name, created_at, updated_at, suspended_at, delete_at)
     values (?1, ?1 || '@example.com', 'x', 1, 1, 1, ?2)`,
  )
  await env.DB.batch(Array.from({ length: 23 }, (_, at) => insert.bind(`user_${at}`, 1 + at)))
  const users = () => env.DB.prepare("select count(*) as n from user").first("n")
  await runAt()
  expect(await users()).toBe(3)
  await runAt()
  expect(await users()).toBe(0)
})

test("the hourly run does not delete the last owner", async () => {
  await createPerson(bind(), "owner")
  await env.DB.exec("update user set suspended_at = 1, delete_at = 1 where role = 'owner'")
  await runAt()
  expect(await count("user", "role = 'owner'")).toBeGreaterThan(0)
})

test.each(faults)(
  "a deletion happens once, with one entry and one letter: the database $name",
  async (fault) => {
    const spies = [vi.spyOn(console, "error"), vi.spyOn(console, "warn")]
    for (const spy of spies) spy.mockImplementation(() => {})
    using _silent = { [Symbol.dispose]: () => spies.forEach((spy) => spy.mockRestore()) }
    const mailbox = openMailbox()
    // The sweep, who is due, and the deletion.
    for (const nth of [1, 2, 3]) {
      const { id, person } = await scheduleLongAgo()
      const faulty = createFaultyDatabase(env.DB, () => true)
      await faulty.meet(fault, nth, () => runAt(faulty.database)).catch(() => {})
      await applyLate()
      await runAt()
      // A pending email counts as lost after ten minutes.
      await runAt(env.DB, Date.now() + 11 * 60 * 1000)
      expect([nth, await column("id", id)]).toEqual([nth, null])
      const deletions = (await auditOf(id)).filter(({ action }) => action === "delete_account")
      expect(deletions).toHaveLength(1)
      await vi.waitFor(() => {
        const letters = mailbox.emails.filter(({ to }) => to === person.email)
        expect(letters.filter(({ subject }) => subject.endsWith("been deleted"))).toHaveLength(1)
      })
    }
  },
)
