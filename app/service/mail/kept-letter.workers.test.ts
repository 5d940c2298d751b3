import { env } from "cloudflare:workers"
import { expect, test, vi } from "vitest"
import * as z from "zod"

import { bind, bindProduction, createBrowser, webUrl } from "../../testing/browser.ts"
import { createCountingDatabase } from "../../testing/counting-database.ts"
import { openMailbox } from "../../testing/mailbox.ts"
import { createNetwork } from "../../testing/network.ts"

const preview = { ENVIRONMENT: "preview", KEEP_MAIL: "true", VERIFY_EMAIL: "true" }
const password = "a good long password"
const waiting = { timeout: 30_000 }

const Row = z.object({ value: z.string() })

/** Those to an address, the newest first. */
async function lettersTo(email: string) {
  const rows = await env.DB.prepare(
    "select value from verification where identifier like 'letter:%' order by created_at desc",
  ).all()
  const letters = rows.results.map((row): unknown => JSON.parse(Row.parse(row).value))
  return z
    .array(z.object({ to: z.string(), subject: z.string(), text: z.string() }))
    .parse(letters)
    .filter(({ to }) => to === email)
}

test("a preview that keeps its letters sends none, and their links prove an address and reset a password", async () => {
  const network = createNetwork({})
  const browser = createBrowser(bind({ ...preview, MAIL_URL: undefined }), webUrl)
  const account = { name: "Ada", email: "kept@example.com", password }
  const linkOf = (subject: string) =>
    vi.waitFor(async () => {
      const letters = await lettersTo(account.email)
      const letter = letters.find((one) => one.subject === subject)
      return z.string().parse(/https?:\/\/\S+/.exec(letter?.text ?? "")?.[0])
    }, waiting)
  await browser.post("/api/auth/sign-up/email", account)
  expect((await browser.post("/api/auth/sign-in/email", account)).status).toBe(401)
  await browser.open(await linkOf("Verify your e-mail address"))
  expect((await browser.post("/api/auth/sign-in/email", account)).status).toBe(200)
  await browser.post("/api/auth/request-password-reset", { email: account.email })
  const token = new URL(await linkOf("Reset your password")).searchParams.get("token")
  const other = { ...account, password: "another long password" }
  await browser.post("/api/auth/reset-password", { newPassword: other.password, token })
  expect((await browser.post("/api/auth/sign-in/email", other)).status).toBe(200)
  expect(network.requests).toEqual([])
})

test("the newest hundred letters are kept, and nothing else is deleted for them", async () => {
  const created = Date.now() + 60_000
  await env.DB.batch([
    env.DB.prepare(
      `with recursive n (i) as (select 0 union all select i + 1 from n where i < 299)
       insert into verification (id, identifier, value, expires_at, created_at, updated_at)
       select 'l' || i, 'letter:l' || i, '{"to":"","subject":"","text":""}', ?1 + i, ?1 + i, ?1 from n`,
    ).bind(created),
    env.DB.prepare(
      `insert into verification (id, identifier, value, expires_at, created_at, updated_at)
       values ('other', 'of a reset', '{}', 1, 1, 1)`,
    ),
  ])
  const browser = createBrowser(bind({ ...preview, MAIL_URL: undefined }), webUrl)
  const email = "hundred@example.com"
  await browser.post("/api/auth/sign-up/email", { name: "Ada", email, password })
  await vi.waitFor(async () => {
    const kept = "select id from verification where identifier like 'letter:%' order by created_at"
    const { results } = await env.DB.prepare(kept).all<{ id: string }>()
    expect(results).toHaveLength(100)
    expect(results[0]?.id).toBe("l200")
  }, waiting)
  const others = "select id from verification where id = 'other'"
  expect((await env.DB.prepare(others).all()).results).toHaveLength(1)
})

test("a letter that cannot be kept changes no answer, so none tells who has an account", async () => {
  let refused = 0
  const { database: DB } = createCountingDatabase(env.DB, async (sql) => {
    if (!/^insert into "verification" \([^)]*\) values/.test(sql)) return
    refused += 1
    throw new Error("D1_ERROR: of no kind to retry")
  })
  const browser = createBrowser(bind({ ...preview, MAIL_URL: undefined, DB }), webUrl)
  const account = { name: "Ada", email: "unkept@example.com", password }
  for (const path of ["sign-up/email", "sign-up/email", "send-verification-email"]) {
    expect((await browser.post(`/api/auth/${path}`, account)).status).toBe(200)
  }
  await vi.waitFor(() => expect(refused).toBe(3), waiting)
})

test("a permanent environment keeps no letter, whatever is bound", async () => {
  const mailbox = openMailbox()
  const browser = createBrowser(bindProduction({ KEEP_MAIL: "true" }), "https://app.example.com")
  const email = "sent@example.com"
  await browser.post("/api/auth/sign-up/email", { name: "Ada", email, password })
  await mailbox.linkOf(email, "Verify your e-mail address")
  expect(await lettersTo(email)).toEqual([])
})
