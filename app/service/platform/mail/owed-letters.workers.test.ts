import { createScheduledController } from "cloudflare:test"
import { env } from "cloudflare:workers"
import { expect, test, vi } from "vitest"

import { bind, createBrowser } from "../../../testing/browser.ts"
import { stopClock } from "../../../testing/clock.ts"
import { applyLate, createFaultyDatabase, faults } from "../../../testing/database-faults.ts"
import { createMailbox, mail, openMailbox } from "../../../testing/mailbox.ts"
import { createNetwork } from "../../../testing/network.ts"
import { createPerson, password } from "../../../testing/person.ts"
import worker from "../../../worker.ts"

const minute = 60_000

test.each(faults)("a pending email arrives once: the database $name", async (fault) => {
  const spy = vi.spyOn(console, "error").mockImplementation(() => {})
  using _silent = { [Symbol.dispose]: () => spy.mockRestore() }
  const mailbox = openMailbox()
  const faulty = createFaultyDatabase(env.DB, () => true)
  const bound = bind({ ...mail, DB: faulty.database })
  const run = () =>
    worker.scheduled(createScheduledController({ scheduledTime: new Date() }), bound)
  // The sweep, the query for pending emails, and the update after sending.
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

test("an email of which only another version has the text waits for that version", async () => {
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

test("emails that the mail service rejects block no others, and expire after three days", async () => {
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
  const callsBefore = spy.mock.calls.length
  await run()
  expect(spy.mock.calls.length).toBe(callsBefore)
  const owed = env.DB.prepare(
    "select 1 from audit_entry where letter_due is not null and subject_id = ?",
  )
  expect((await owed.bind(mallory.id).all()).results).toEqual([])
})

const firefox = "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:145.0) Gecko/20100101 Firefox/145.0"
const chrome = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/142.0.0.0 Safari/537.36"

/** A moment of whose words the tests know each. */
const moment = new Date("2026-11-26T14:06:40Z")

function open() {
  const mailbox = createMailbox()
  const state = { isAway: false }
  createNetwork({
    "mail.example": (request) =>
      state.isAway ? new Response("away", { status: 503 }) : mailbox.remote(request),
  })
  const clock = stopClock()
  vi.setSystemTime(moment)
  const bound = bind(mail)
  const letterOf = (subject: string, to: string) =>
    vi.waitFor(() => {
      const matches = mailbox.emails.filter((email) => email.subject === subject && email.to === to)
      if (matches[0] === undefined) throw new Error(`no email "${subject}"`)
      expect(matches).toHaveLength(1)
      return matches[0].text.split("\n\n")
    })
  return { state, bound, letterOf, ...clock }
}

/** Reads the devices in the log. */
async function devices(subjectId: string) {
  const { results } = await env.DB.prepare(
    "select letter_device from audit_entry where subject_id = ? and letter_device is not null",
  )
    .bind(subjectId)
    .all()
  return results.map((row) => row["letter_device"])
}

async function changePassword(bound: ReturnType<typeof bind>, agent: string, language = "en") {
  const { id, email } = await createPerson(bound)
  await env.DB.prepare("update user set language = ? where id = ?").bind(language, id).run()
  const browser = createBrowser(bound)
  const headers = { "user-agent": agent }
  await browser.post("/api/auth/sign-in/email", { email, password }, headers)
  const body = { currentPassword: password, newPassword: "another long password" }
  expect((await browser.post("/api/auth/change-password", body, headers)).status).toBe(200)
  return { id, email }
}

test.each([
  ["en", firefox, "It happened on 26 November 2026 at 14:06 UTC, with Firefox on Windows."],
  ["de", firefox, "Das geschah am 26. November 2026 um 14:06 UTC, mit Firefox unter Windows."],
  ["en", "curl/8", "It happened on 26 November 2026 at 14:06 UTC, with an unknown browser."],
  [
    "en",
    "https://evil.example/ Chrome",
    "It happened on 26 November 2026 at 14:06 UTC, with Chrome.",
  ],
])("an email says when an action happened and with which browser: %s, %s", async (...row) => {
  const [language, agent, words] = row
  using set = open()
  const { email } = await changePassword(set.bound, agent, language)
  const subject = language === "en" ? "Your password was changed" : "Dein Passwort wurde geändert"
  const text = await set.letterOf(subject, email)
  expect(text[2]).toBe(words)
  expect(text.join(" ")).not.toContain("evil.example")
})

test("a late email has the same text, and the log stores only the browser that it shows", async () => {
  using set = open()
  const spy = vi.spyOn(console, "error").mockImplementation(() => {})
  using _ = { [Symbol.dispose]: () => spy.mockRestore() }
  set.state.isAway = true
  const { id, email } = await changePassword(set.bound, firefox)
  await vi.waitFor(() => expect(spy).toHaveBeenCalled())
  expect(await devices(id)).toEqual(["Firefox/Windows", "Firefox/Windows"])
  set.state.isAway = false
  const scheduledTime = new Date(moment.getTime() + 60 * 60_000)
  vi.setSystemTime(scheduledTime)
  await worker.scheduled(createScheduledController({ scheduledTime }), set.bound)
  const text = await set.letterOf("Your password was changed", email)
  expect(text[2]).toBe("It happened on 26 November 2026 at 14:06 UTC, with Firefox on Windows.")
  expect(await devices(id)).toEqual(["Firefox/Windows", "Firefox/Windows"])
})

test("no email says which browser an admin uses", async () => {
  using set = open()
  const member = await createPerson(set.bound)
  const admin = await createPerson(set.bound, "admin")
  const acted = await admin.browser.post(
    "/api/v1/suspendUser",
    { userId: member.id, reason: "security" },
    { "user-agent": chrome },
  )
  expect(acted.status).toBe(200)
  const text = await set.letterOf("Your account has been suspended", member.email)
  expect(text[2]).toBe("It was done on 26 November 2026 at 14:06 UTC.")
  expect(text.join(" ")).not.toContain("Chrome")
})
