import { env } from "cloudflare:workers"
import { expect, test } from "vitest"

import { bind } from "../testing/browser.ts"
import { stopClock } from "../testing/clock.ts"
import { createInterceptedDatabase } from "../testing/counting-database.ts"
import { createReader } from "../testing/page-reader.ts"
import { createPerson } from "../testing/person.ts"
import { countRows } from "../testing/rows.ts"
import { promptOf } from "./journal.rpc.ts"

type Page = { items: { id: string; text: string }[]; nextCursor: string | null }

test("create-entry stores an entry with its mood, and get-entry returns it to its writer", async () => {
  const person = await createPerson()
  const created = await person.post("createEntry", {
    mood: "great",
    text: "A very good day",
    promptId: "joy",
  })
  expect(created.status).toBe(200)
  expect(created.body).toMatchObject({
    id: expect.stringMatching(/^journal_entry_[0-9a-z]{24}$/),
    mood: "great",
    promptId: "joy",
  })
  expect((await person.get(`getEntry?id=${String(created.body["id"])}`)).body).toEqual(created.body)
})

test("get-entry answers the same for someone else's entry and a missing one", async () => {
  const [writer, reader] = [await createPerson(), await createPerson()]
  const { body } = await writer.post("createEntry", { mood: "low", text: "Private" })
  const foreign = await reader.get(`getEntry?id=${String(body["id"])}`)
  const missing = await reader.get("getEntry?id=journal_entry_0")
  expect(foreign.status).toBe(404)
  expect(foreign).toEqual(missing)
})

test.each([
  { mood: "furious", text: "x" },
  { mood: "good", text: "  " },
  { mood: "good", text: "x".repeat(10_001) },
  { mood: "good" },
  { mood: "good", text: "x", userId: "user_1" },
])("create-entry rejects input %#", async (input) => {
  const person = await createPerson()
  expect((await person.post("createEntry", input)).status).toBe(400)
})

test("plan limits cannot be exceeded by parallel requests", async () => {
  using _ = stopClock()
  const person = await createPerson()
  const period = new Date().toISOString().slice(0, 7)
  await env.DB.prepare(
    "insert into usage (user_id, period, metric, count) values (?, ?, 'journal_entries', 59)",
  )
    .bind(person.id, period)
    .run()
  const answers = await Promise.all(
    Array.from({ length: 6 }, () => person.post("createEntry", { mood: "good", text: "x" })),
  )
  const statuses = answers.map(({ status }) => String(status)).toSorted()
  expect(statuses).toEqual(["200", "402", "402", "402", "402", "402"])
  expect(answers.find(({ status }) => status === 402)?.body).toMatchObject({
    defined: true,
    code: "PLAN_LIMIT_REACHED",
  })
  const entries = await countRows("journal_entry", "user_id", person.id)
  expect(entries).toBe(1)
  expect((await person.get("getPlanAndUsage")).body).toMatchObject({
    usage: [{ used: 60, limit: 60 }, { used: 0 }],
  })
})

async function write() {
  const person = await createPerson()
  const moods = ["good", "low", "good", "great", "good"]
  const rows = moods.map((mood, index) =>
    env.DB.prepare(
      "insert into journal_entry (id, user_id, mood, text, created_at) values (?, ?, ?, ?, ?)",
    ).bind(
      `journal_entry_${person.id}_${index}`,
      person.id,
      mood,
      `entry ${index}`,
      // Two entries at the same time: a cursor of the time alone would lose one.
      Date.UTC(2026, 0, index === 2 ? 2 : index + 1),
    ),
  )
  await env.DB.batch(rows)
  const list = async (query: string) => {
    const { status, body } = await person.get(`listEntries?${query}`)
    expect([status, body]).toMatchObject([200, {}])
    return body as unknown as Page
  }
  return { person, list }
}

test("list-entries pages through all entries, newest first, without losing or repeating any", async () => {
  const { list } = await write()
  const texts: string[] = []
  let cursor: string | null = ""
  while (cursor !== null) {
    const page: Page = await list(`limit=2${cursor && `&cursor=${cursor}`}`)
    texts.push(...page.items.map(({ text }) => text))
    cursor = page.nextCursor
  }
  expect(texts).toEqual(["entry 4", "entry 3", "entry 2", "entry 1", "entry 0"])
})

test("list-entries filters by mood and by time range", async () => {
  const { list } = await write()
  const texts = async (query: string) => (await list(query)).items.map(({ text }) => text)
  expect(await texts("mood=good")).toEqual(["entry 4", "entry 2", "entry 0"])
  const range = "from=2026-01-02T00:00:00Z&to=2026-01-04T00:00:00Z"
  expect(await texts(range)).toEqual(["entry 2", "entry 1"])
  expect(await texts(`${range}&mood=low`)).toEqual(["entry 1"])
})

test("list-entries returns only one's own entries, and rejects an invalid cursor", async () => {
  await write()
  const stranger = await createPerson()
  expect((await stranger.get("listEntries")).body).toEqual({ items: [], nextCursor: null })
  expect((await stranger.get("listEntries?cursor=nonsense")).status).toBe(400)
  expect((await stranger.get("listEntries?limit=101")).status).toBe(400)
  expect((await stranger.get("listEntries?limit=ten")).status).toBe(400)
})

test("get-today-prompt is the same for everyone on a date, and different on the next", async () => {
  using _ = stopClock()
  const [ada, eve] = [await createPerson(), await createPerson()]
  const path = "getTodayPrompt?date=2026-11-21"
  expect((await ada.get(path)).body).toEqual((await eve.get(path)).body)
  expect(promptOf("2026-11-21").id).not.toBe(promptOf("2026-11-22").id)
  const today = (await ada.get("getTodayPrompt")).body
  expect(today).toEqual(promptOf(new Date().toISOString().slice(0, 10)))
  expect((await ada.get("getTodayPrompt?date=tomorrow")).status).toBe(400)
})

test("A24: a text without a visible character, or with lone surrogates, is refused", async () => {
  const person = await createPerson()
  for (const text of ["\0", "\u200b\ufeff", "\ud800"]) {
    expect((await person.post("createEntry", { mood: "good", text })).status).toBe(400)
  }
})

test("the entries that are written this month are counted", async () => {
  using _ = stopClock()
  const person = await createPerson()
  await person.post("createEntry", { mood: "good", text: "A day" })
  const used = expect.arrayContaining([{ metric: "journal_entries", used: 1, limit: 60 }])
  expect((await person.get("getPlanAndUsage")).body).toMatchObject({ plan: "free", usage: used })
})

test("what a smoke account writes is neither limited nor counted", async () => {
  const person = await createPerson()
  const email = `smoke-${Math.floor(Date.now() / 1000) + 600}-abcdefgh@accounts.invalid`
  await env.DB.prepare("update user set email = ? where id = ?").bind(email, person.id).run()
  for (let count = 0; count < 61; count += 1) {
    expect((await person.post("createEntry", { mood: "good", text: "smoke" })).status).toBe(200)
  }
  const used = expect.arrayContaining([expect.objectContaining({ used: 0 })])
  expect((await person.get("getPlanAndUsage")).body).toMatchObject({ usage: used })
})

/** An account whose entries take ten megabytes, and where each round trip of a download is counted. */
async function openLargeAccount(intercept: (downloaded: number) => void = () => {}) {
  let [trips, isDownload] = [0, false]
  const database = createInterceptedDatabase(env.DB, async (sql, send) => {
    if (isDownload && sql.includes("journal_entry")) intercept((trips += 1))
    return send()
  })
  const reader = createReader(bind({ PAGES: "true", DB: database }))
  const email = `download-${crypto.randomUUID()}@example.com`
  const form = await reader.open("/sign-up")
  await reader.submit(form, "sign-up", { name: "Ada", email, password: "a good long password" })
  await env.DB.prepare(
    `with recursive n (i) as (select 1 union all select i + 1 from n where i < 1001)
     insert into journal_entry (id, user_id, mood, text, created_at)
     select 'entry of ' || user.id || i, user.id, 'good', ?, i from n, user where email = ?`,
  )
    .bind("x".repeat(10_000), email)
    .run()
  await env.DB.prepare(
    `with recursive n (i) as (select 1 union all select i + 1 from n where i < 300)
     insert into audit_entry (id, actor_id, subject_id, action, created_at)
     select 'event of ' || user.id || i, user.id, user.id, 'list_users', i from n, user where email = ?`,
  )
    .bind(email)
    .run()
  isDownload = true
  const { body } = await reader.browser.open("/account/data.json")
  if (body === null) throw new Error("no file")
  return { email, body, trips: () => trips }
}

test("a download reads a page of the export once the page before is taken, and keeps no other page in memory", async () => {
  const { email, body, trips } = await openLargeAccount()
  const parts: { bytes: number; trips: number }[] = []
  let text = ""
  const decoder = new TextDecoder()
  for await (const part of body) {
    parts.push({ bytes: part.length, trips: trips() })
    text += decoder.decode(part, { stream: true })
  }
  // 1,001 entries, 200 in a page: the last page has one.
  expect(parts.map(({ trips: read }) => read)).toEqual([2, 3, 4, 5, 6, 6, 6])
  const most = Math.max(...parts.map(({ bytes }) => bytes))
  expect([text.length > 10_000_000, most < 2 * 2_100_000]).toEqual([true, true])
  const file: Record<string, { id: string }[]> = JSON.parse(text)
  expect(file).toMatchObject({ profile: { email }, sessions: [{}] })
  expect(file).not.toHaveProperty("nextCursor")
  expect(new Set(file["journalEntries"]?.map(({ id }) => id)).size).toBe(1001)
  // Includes the sign-up.
  expect(file["securityEvents"]?.length).toBe(301)
})

test("a download that the database breaks off fails, and is no whole file", async () => {
  const { body } = await openLargeAccount((trips) => {
    if (trips >= 3) throw new Error("D1_ERROR: Network connection lost.")
  })
  let text = ""
  const read = async () => {
    for await (const part of body) text += new TextDecoder().decode(part)
  }
  await expect(read()).rejects.toThrow("UNREACHABLE")
  expect(text.length).toBeGreaterThan(2_000_000)
  expect(() => JSON.parse(text)).toThrow("JSON")
})
