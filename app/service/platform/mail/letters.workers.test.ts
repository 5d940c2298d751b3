import { env } from "cloudflare:workers"
import { expect, test, vi } from "vitest"
import * as z from "zod"

import { en } from "../../../letter-words/en.ts"
import { letterWords } from "../../../letter-words/letter-words.ts"
import { createEmails } from "../../../letters.ts"
import { bind, bindProduction, createBrowser, webUrl } from "../../../testing/browser.ts"
import { createCountingDatabase } from "../../../testing/counting-database.ts"
import { mail, openMailbox } from "../../../testing/mailbox.ts"
import { createNetwork } from "../../../testing/network.ts"
import { createReader } from "../../../testing/page-reader.ts"
import { password } from "../../../testing/person.ts"
import { noticed } from "../audit/audit-entry.table.ts"
import { createKeys } from "../configuration/keys.ts"
import { conceal } from "../configuration/secret.ts"
import { suspensionReasons } from "../database/auth.table.ts"
import { type Language, languages } from "./language.ts"
import type { Mail } from "./mail.ts"

const siteUrl = "https://site.example"
const details: Record<string, string[]> = {
  link_identity: ["google"],
  unlink_identity: ["google", "credential"],
  change_role: ["member", "admin", "owner"],
  suspend: [...suspensionReasons, "of a later version"],
  schedule_deletion: [...suspensionReasons],
}

/** Renders every email in a language. */
async function renderAll(language: Language) {
  const mails: Mail[] = []
  const emails = createEmails({
    deliver: async (letter) => mails.push(letter) > 0,
    keys: createKeys({
      secrets: [conceal("s".repeat(32))],
      environment: "local",
      verifyEmail: true,
    }),
    url: "https://api.site.example",
    siteUrl,
    siteName: "Acme & Söhne",
    look: { languages: [language] },
  })
  const at = new Date()
  const to = { id: "user_1", email: "ada@example.com", accepted: language }
  emails.sendVerification(to, { pages: {} })
  emails.sendAddressCode(to.email, "12345678")
  emails.sendReset(to, "reset-token")
  emails.sendReset(to, "reset-token", `${siteUrl}/new`)
  emails.sendInvitation(to.email, "invitation-token")
  emails.sendExisting(to)
  for (const action of noticed) {
    for (const detail of details[action] ?? [null]) {
      expect(
        await emails.sendNotice({ ...to, action, detail, at, device: "Firefox/Windows" }),
      ).toBe(true)
    }
  }
  await vi.waitFor(() => expect(mails.filter(({ key }) => key === undefined)).toHaveLength(6))
  return mails
}

test.each(languages)("every email is complete in %s", async (language) => {
  const letters = await renderAll(language)
  const { hello } = letterWords[language]
  for (const { subject, text } of letters) {
    expect(subject).toMatch(/^\p{Lu}[^\n]{8,60}$/u)
    const [first, ...paragraphs] = text.split("\n\n")
    expect([first, paragraphs.at(-1)]).toEqual([hello, "Acme & Söhne"])
    expect(paragraphs.length).toBeGreaterThanOrEqual(2)
    expect(text).not.toMatch(/undefined|null|\[object|<|\$\{/)
    expect(text).toMatch(/site\.example|\n12345678\n/)
  }
})

test("no email in another language has an English sentence", async () => {
  const [english, german] = await Promise.all([renderAll("en"), renderAll("de")])
  expect(german.length).toBe(english.length)
  const sentences = (letters: Mail[]) =>
    new Set(letters.flatMap(({ subject, text }) => [subject, ...text.split("\n\n").slice(0, -1)]))
  const links = /^https:|^12345678$/
  const shared = [...sentences(english)].filter((sentence) => sentences(german).has(sentence))
  expect(shared.filter((sentence) => !links.test(sentence))).toEqual([])
  expect(new Set(Object.keys(en.notices))).toEqual(new Set(noticed))
})

test("an email about an action of a later version is not sent, and stays pending", async () => {
  const deliver = vi.fn<(letter: Mail) => Promise<boolean>>()
  const keys = createKeys({
    secrets: [conceal("s".repeat(32))],
    environment: "local",
    verifyEmail: true,
  })
  const rest = { url: siteUrl, siteUrl, siteName: undefined, look: {} }
  const emails = createEmails({ deliver, keys, ...rest })
  const entry = {
    id: "audit_1",
    email: "ada@example.com",
    detail: null,
    at: new Date(),
    device: null,
  }
  expect(await emails.sendNotice({ ...entry, action: "sign_in" })).toBe(false)
  expect(deliver).not.toHaveBeenCalled()
})

function open(changes: object = {}) {
  return { mailbox: openMailbox(), bound: bind({ ...mail, ...changes }) }
}

function account() {
  return { name: "Ada", email: `${crypto.randomUUID()}@example.com`, password }
}

test("a member's emails are in the language of the sign-up, until the member chooses another", async () => {
  const set = open()
  const member = account()
  const browser = createBrowser(set.bound)
  const german = { "accept-language": "fr, de-AT;q=0.8, en;q=0.5" }
  await browser.post("/api/auth/sign-up/email", member, german)
  // Another browser of theirs likes another language.
  const ask = () =>
    browser.post("/api/auth/request-password-reset", member, { "accept-language": "en" })
  await ask()
  await set.mailbox.linkOf(member.email, "Wähle ein neues Passwort")
  const change = (currentPassword: string, newPassword: string) =>
    browser.post("/api/auth/change-password", { currentPassword, newPassword })
  await change(password, "a second password")
  const subjects = () => set.mailbox.emails.map(({ subject }) => subject)
  await vi.waitFor(() => expect(subjects()).toContain("Dein Passwort wurde geändert"))
  const chosen = await browser.post("/api/v1/updateProfile", { language: "en" })
  expect(chosen.status).toBe(200)
  await change("a second password", "a third password")
  await vi.waitFor(() => expect(subjects()).toContain("Your password was changed"))
  await ask()
  await set.mailbox.linkOf(member.email, "Reset your password")
})

test("who has chosen nothing reads what their browser likes, or else the operator's first language", async () => {
  const look = JSON.stringify({ name: "Acme", languages: ["de", "en"] })
  const set = open({ VERIFY_EMAIL: "true", PAGES: look })
  const subjectFor = async (accepted: string | undefined) => {
    const { email, ...rest } = account()
    const headers = accepted === undefined ? undefined : { "accept-language": accepted }
    await createBrowser(set.bound).post("/api/auth/sign-up/email", { ...rest, email }, headers)
    const find = () => set.mailbox.emails.find(({ to }) => to === email)
    await vi.waitFor(() => expect(find()).toBeDefined())
    expect(find()?.text).toMatch(/\n\nAcme$/)
    return find()?.subject
  }
  expect(await subjectFor("en-GB")).toBe("Verify your email address")
  expect(await subjectFor("fr")).toBe("Bestätige deine E-Mail-Adresse")
  expect(await subjectFor(undefined)).toBe("Bestätige deine E-Mail-Adresse")
  expect(await subjectFor(`en;q=0, ${"de,".repeat(50)}`)).toBe("Bestätige deine E-Mail-Adresse")
})

test("an email that a page requests is in the language of the page", async () => {
  const set = open({ VERIFY_EMAIL: "true", PAGES: "true" })
  const reader = createReader(set.bound)
  const page = await reader.open("/sign-up?language=de", { "accept-language": "en" })
  const { name, email } = account()
  await reader.submit(page, "sign-up", { name, email, password })
  const link = await set.mailbox.linkOf(email, "Bestätige deine E-Mail-Adresse")
  expect(link).toContain("/api/auth/verify-email?")
})

test("no other value is a language", async () => {
  const set = open()
  const browser = createBrowser(set.bound)
  await browser.post("/api/auth/sign-up/email", account())
  for (const language of ["fr", "EN", "", "en-US"]) {
    expect((await browser.post("/api/v1/updateProfile", { language })).status).toBe(400)
  }
})

const preview = { ENVIRONMENT: "preview", KEEP_MAIL: "true", VERIFY_EMAIL: "true" }
const waiting = { timeout: 30_000 }

const Row = z.object({ value: z.string() })

/** Reads the stored emails to an address, the newest first. */
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

test("a preview that stores its emails sends none, and their links verify an address and reset a password", async () => {
  const network = createNetwork({})
  const browser = createBrowser(bind({ ...preview, MAIL_URL: undefined }), webUrl)
  const member = { name: "Ada", email: "kept@example.com", password }
  const linkOf = (subject: string) =>
    vi.waitFor(async () => {
      const letters = await lettersTo(member.email)
      const letter = letters.find((candidate) => candidate.subject === subject)
      return z.string().parse(/https?:\/\/\S+/.exec(letter?.text ?? "")?.[0])
    }, waiting)
  await browser.post("/api/auth/sign-up/email", member)
  expect((await browser.post("/api/auth/sign-in/email", member)).status).toBe(401)
  await browser.open(await linkOf("Verify your email address"))
  expect((await browser.post("/api/auth/sign-in/email", member)).status).toBe(200)
  await browser.post("/api/auth/request-password-reset", { email: member.email })
  const token = new URL(await linkOf("Reset your password")).searchParams.get("token")
  const changed = { ...member, password: "another long password" }
  await browser.post("/api/auth/reset-password", { newPassword: changed.password, token })
  expect((await browser.post("/api/auth/sign-in/email", changed)).status).toBe(200)
  expect(network.requests).toEqual([])
})

test("the newest hundred emails are kept, and no other row is deleted for them", async () => {
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
    const query = "select id from verification where identifier like 'letter:%' order by created_at"
    const { results } = await env.DB.prepare(query).all<{ id: string }>()
    expect(results).toHaveLength(100)
    expect(results[0]?.id).toBe("l200")
  }, waiting)
  const query = "select id from verification where id = 'other'"
  expect((await env.DB.prepare(query).all()).results).toHaveLength(1)
})

test("an email that cannot be stored changes no response, so no response reveals an account", async () => {
  let refused = 0
  const { database: DB } = createCountingDatabase(env.DB, async (sql) => {
    if (!/^insert into "verification" \([^)]*\) values/.test(sql)) return
    refused += 1
    throw new Error("D1_ERROR: of no kind to retry")
  })
  const browser = createBrowser(bind({ ...preview, MAIL_URL: undefined, DB }), webUrl)
  const member = { name: "Ada", email: "unkept@example.com", password }
  for (const path of ["sign-up/email", "sign-up/email", "send-verification-email"]) {
    expect((await browser.post(`/api/auth/${path}`, member)).status).toBe(200)
  }
  await vi.waitFor(() => expect(refused).toBe(3), waiting)
})

test("a permanent environment stores no email, whatever is bound", async () => {
  const mailbox = openMailbox()
  const browser = createBrowser(bindProduction({ KEEP_MAIL: "true" }), "https://app.example.com")
  const email = "sent@example.com"
  await browser.post("/api/auth/sign-up/email", { name: "Ada", email, password })
  await mailbox.linkOf(email, "Verify your email address")
  expect(await lettersTo(email)).toEqual([])
})

test.each([
  ["Accounts <accounts@example.com>", "Accounts <accounts@example.com>"],
  [undefined, "no-reply@app.example.com"],
])("with MAIL_FROM %s the sender of an e-mail is %s", async (MAIL_FROM, from) => {
  const bodies: unknown[] = []
  createNetwork({
    "mail.example": async (request) => {
      bodies.push(await request.json())
      return Response.json({})
    },
  })
  const browser = createBrowser(bindProduction({ MAIL_FROM }), "https://app.example.com")
  const email = `sender-${crypto.randomUUID()}@example.com`
  await browser.post("/api/auth/sign-up/email", { name: "Ada", email, password: "a good password" })
  await vi.waitFor(() => expect(bodies).toMatchObject([{ from, to: email }]), { timeout: 30_000 })
})
