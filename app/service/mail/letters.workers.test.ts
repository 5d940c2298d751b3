import { expect, test, vi } from "vitest"

import { en } from "../../letter-words/en.ts"
import { letterWords } from "../../letter-words/letter-words.ts"
import { createEmails } from "../../letters.ts"
import { bind, createBrowser } from "../../testing/browser.ts"
import { mail, openMailbox } from "../../testing/mailbox.ts"
import { createReader } from "../../testing/page-reader.ts"
import { password } from "../../testing/person.ts"
import { noticed } from "../admin/audit-entry.table.ts"
import { suspensionReasons } from "../auth/auth.table.ts"
import { createKeys } from "../auth/keys.ts"
import { conceal } from "../configuration/secret.ts"
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

/** Every letter that there is, as it is sent to somebody who reads the language. */
async function renderAll(language: Language) {
  const sent: Mail[] = []
  const emails = createEmails({
    deliver: async (letter) => sent.push(letter) > 0,
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
  await vi.waitFor(() => expect(sent.filter(({ key }) => key === undefined)).toHaveLength(6))
  return sent
}

test.each(languages)("every letter is whole in %s", async (language) => {
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

test("no letter in another language has a sentence of the English one", async () => {
  const [english, german] = await Promise.all([renderAll("en"), renderAll("de")])
  expect(german.length).toBe(english.length)
  const sentences = (letters: Mail[]) =>
    new Set(letters.flatMap(({ subject, text }) => [subject, ...text.split("\n\n").slice(0, -1)]))
  const links = /^https:|^12345678$/
  const both = [...sentences(english)].filter((one) => sentences(german).has(one))
  expect(both.filter((one) => !links.test(one))).toEqual([])
  expect(new Set(Object.keys(en.notices))).toEqual(new Set(noticed))
})

test("a letter about an action of a later version is not sent, and stays owed", async () => {
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

test("a member's letters are in the language of their sign-up, until they choose another", async () => {
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
  expect(await subjectFor("en-GB")).toBe("Verify your e-mail address")
  expect(await subjectFor("fr")).toBe("Bestätige deine E-Mail-Adresse")
  expect(await subjectFor(undefined)).toBe("Bestätige deine E-Mail-Adresse")
  expect(await subjectFor(`en;q=0, ${"de,".repeat(50)}`)).toBe("Bestätige deine E-Mail-Adresse")
})

test("a letter that a page asks for is in the language of the page", async () => {
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
