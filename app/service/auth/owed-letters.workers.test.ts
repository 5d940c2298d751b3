import { createScheduledController } from "cloudflare:test"
import { env } from "cloudflare:workers"
import { expect, test, vi } from "vitest"

import { bind } from "../../testing/browser.ts"
import { stopClock } from "../../testing/clock.ts"
import { applyLate, createFaultyDatabase, faults } from "../../testing/database-faults.ts"
import { createMailbox, mail, openMailbox } from "../../testing/mailbox.ts"
import { createNetwork } from "../../testing/network.ts"
import { createPerson } from "../../testing/person.ts"
import worker from "../../worker.ts"

const minute = 60_000

test.each(faults)("a letter that is owed arrives once: the database $name", async (fault) => {
  const spy = vi.spyOn(console, "error").mockImplementation(() => {})
  using _silent = { [Symbol.dispose]: () => spy.mockRestore() }
  const mailbox = openMailbox()
  const faulty = createFaultyDatabase(env.DB, () => true)
  const bound = bind({ ...mail, DB: faulty.database })
  const run = () =>
    worker.scheduled(createScheduledController({ scheduledTime: new Date() }), bound)
  // What the sweep deletes, what is owed, and that it is not owed any more.
  for (const nth of [1, 2, 3]) {
    const { id, email } = await createPerson()
    await env.DB.prepare(
      `insert into audit_entry (id, subject_id, action, detail, created_at, letter_due)
       values (?1, ?2, 'unlink_identity', 'idp', ?3, ?3)`,
    )
      .bind(`audit_${crypto.randomUUID()}`, id, Date.now() - 11 * minute)
      .run()
    await faulty.meet(fault, nth, run).catch(() => {})
    await applyLate()
    await run()
    const letters = mailbox.emails.filter(({ to }) => to === email)
    expect([nth, letters.length]).toEqual([nth, 1])
    const owed = env.DB.prepare("select 1 from audit_entry where letter_due is not null")
    expect((await owed.all()).results).toEqual([])
  }
})

test("a letter for which only another version has words waits for that one", async () => {
  const mailbox = openMailbox()
  const { id } = await createPerson()
  await env.DB.prepare(
    `insert into audit_entry (id, subject_id, action, created_at, letter_due)
     values (?1, ?2, 'of_tomorrow', ?3, ?3)`,
  )
    .bind(`audit_${crypto.randomUUID()}`, id, Date.now() - 11 * minute)
    .run()
  const bound = bind(mail)
  await worker.scheduled(createScheduledController({ scheduledTime: new Date() }), bound)
  expect(mailbox.emails).toEqual([])
  const owed = env.DB.prepare("select 1 from audit_entry where letter_due is not null")
  expect((await owed.all()).results).toHaveLength(1)
})

test("letters that the mail service refuses keep no other waiting, and end after three days", async () => {
  const mailbox = createMailbox()
  const refused = new Set<string>()
  const remote = async (request: Request) => {
    const { to } = await request.clone().json<{ to: string }>()
    return refused.has(to) ? new Response("no", { status: 422 }) : mailbox.remote(request)
  }
  const spy = vi.spyOn(console, "error").mockImplementation(() => {})
  using _silent = { [Symbol.dispose]: () => spy.mockRestore() }
  createNetwork({ "mail.example": remote })
  using _clock = stopClock()
  const [mallory, ada] = [await createPerson(), await createPerson()]
  refused.add(mallory.email)
  const owe = (id: string, count: number, at: number) =>
    env.DB.prepare(
      `with recursive n (i) as (select 1 union all select i + 1 from n where i < ?3)
       insert into audit_entry (id, subject_id, action, detail, created_at, letter_due)
       select 'owed' || ?1 || i, ?1, 'unlink_identity', 'idp', ?2, ?2 from n`,
    )
      .bind(id, at, count)
      .run()
  await owe(mallory.id, 250, Date.now() - 30 * minute)
  await owe(ada.id, 1, Date.now() - 20 * minute)
  const bound = bind(mail)
  const run = async () => {
    await worker.scheduled(createScheduledController({ scheduledTime: new Date() }), bound)
    vi.setSystemTime(Date.now() + 60 * minute)
  }
  for (let hour = 0; hour < 3; hour += 1) await run()
  expect(mailbox.emails.map(({ to }) => to)).toEqual([ada.email])
  vi.setSystemTime(Date.now() + 3 * 24 * 60 * minute)
  const asked = spy.mock.calls.length
  await run()
  expect(spy.mock.calls.length).toBe(asked)
  const owed = env.DB.prepare(
    "select 1 from audit_entry where letter_due is not null and subject_id = ?",
  )
  expect((await owed.bind(mallory.id).all()).results).toEqual([])
})
