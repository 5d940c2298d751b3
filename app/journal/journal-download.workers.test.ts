import { env } from "cloudflare:workers"
import { expect, test } from "vitest"

import { bind } from "../testing/browser.ts"
import { createInterceptedDatabase } from "../testing/counting-database.ts"
import { createReader } from "../testing/page-reader.ts"

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

test("a download reads a page of the export once the page before is taken, and holds no more of it", async () => {
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
  expect(file["securityEvents"]?.length).toBe(300)
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
