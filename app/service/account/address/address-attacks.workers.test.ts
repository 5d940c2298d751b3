import { env } from "cloudflare:workers"
import { expect, test, vi } from "vitest"

import { bind, createBrowser } from "../../../testing/browser.ts"
import { stopClock } from "../../../testing/clock.ts"
import { createInterruptedDatabase } from "../../../testing/interrupted-database.ts"
import { createPerson, password } from "../../../testing/person.ts"
import { repeat } from "../../../testing/repeat.ts"
import { emailOf, idOf, newAddress, openMail } from "./testing/mover.ts"

/* Attacks on the change of an address: none of them may work. */

function refused(code: string) {
  return { body: { code } }
}

/** A member who has asked for another address, and its code. */
async function ask(mail: ReturnType<typeof openMail>, newEmail = newAddress()) {
  const mover = await mail.createMover()
  expect((await mover.ask(newEmail)).status).toBe(200)
  return { mover, newEmail, code: await mail.mailbox.codeOf(newEmail) }
}

test("a session without a step-up asks for no code, and one that loses it meanwhile gets none", async () => {
  const mail = openMail()
  const { database: DB, interrupt } = createInterruptedDatabase()
  const mover = await mail.createMover(bind({ ...mail.bound, DB }))
  const forget = () =>
    env.DB.prepare("update session set proven_at = 1 where user_id = ?").bind(mover.id).run()
  const newEmail = newAddress()
  interrupt(/insert into "verification"/, forget)
  expect((await mover.ask(newEmail)).status).toBe(401)
  expect(await mover.ask(newEmail)).toMatchObject({
    status: 403,
    body: { code: "STEP_UP_REQUIRED", data: { ways: ["password", "sign-in"] } },
  })
  expect(mail.lettersTo(newEmail)).toEqual([])
})

test("a code is nothing in another session, of another account, or for another address", async () => {
  const mail = openMail()
  const { mover, newEmail, code } = await ask(mail)
  const second = createBrowser(mail.bound)
  await second.post("/api/auth/sign-in/email", { email: mover.email, password })
  const response = await second.post("/api/v1/confirmEmail", { newEmail, code })
  expect(await response.json()).toMatchObject({ code: "INVALID_CODE" })
  const stranger = await mail.createMover()
  expect(await stranger.confirm(newEmail, code)).toMatchObject(refused("INVALID_CODE"))
  expect(await mover.confirm(newAddress(), code)).toMatchObject(refused("INVALID_CODE"))
  expect(await mover.confirm(newEmail, code)).toMatchObject({ status: 200 })
})

test("two accounts that confirm one address at once are not both its own", async () => {
  const mail = openMail()
  const newEmail = newAddress()
  const first = await ask(mail, newEmail)
  const rival = await mail.createMover()
  await rival.ask(newEmail)
  await vi.waitFor(async () => expect(await mail.mailbox.codeOf(newEmail)).not.toBe(first.code))
  const second = await mail.mailbox.codeOf(newEmail)
  const answers = await Promise.all([
    first.mover.confirm(newEmail, first.code),
    rival.confirm(newEmail, second),
  ])
  expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409])
  expect(answers.find(({ status }) => status === 409)).toMatchObject(refused("EMAIL_TAKEN"))
  const rows = env.DB.prepare("select count(*) as n from former_address where user_id in (?, ?)")
  expect(await rows.bind(first.mover.id, rival.id).first("n")).toBe(1)
})

test("five codes are tried in an hour, and then not even the right one", async () => {
  const mail = openMail()
  const { mover, newEmail, code } = await ask(mail)
  const wrong = String((Number(code) + 1) % 10 ** 8).padStart(8, "0")
  const guesses = await Promise.all(Array.from({ length: 8 }, () => mover.confirm(newEmail, wrong)))
  expect(guesses.filter(({ status }) => status === 400)).toHaveLength(5)
  expect(await mover.confirm(newEmail, code)).toMatchObject(refused("TOO_MANY_ATTEMPTS"))
  expect(await emailOf(mover.id)).toBe(mover.email)
  for (const odd of ["1234567", "123456789", "1234567x", " 1234567", "١٢٣٤٥٦٧٨"]) {
    expect(await mover.confirm(newEmail, odd)).toMatchObject(refused("BAD_REQUEST"))
  }
})

test("a code ends after ten minutes, and with whatever ends access to the account", async () => {
  const mail = openMail()
  const late = await ask(mail)
  {
    using _ = stopClock()
    vi.setSystemTime(Date.now() + 10 * 60 * 1000 + 1)
    // The session is stepped up.
    await env.DB.prepare("update session set proven_at = ?").bind(Date.now()).run()
    expect(await late.mover.confirm(late.newEmail, late.code)).toMatchObject(
      refused("INVALID_CODE"),
    )
  }
  const changed = await ask(mail)
  await changed.mover.browser.post("/api/auth/change-password", {
    currentPassword: password,
    newPassword: "another password",
  })
  expect(await changed.mover.confirm(changed.newEmail, changed.code)).toMatchObject(
    refused("INVALID_CODE"),
  )
  const out = await ask(mail)
  await out.mover.browser.post("/api/auth/sign-out")
  expect((await out.mover.confirm(out.newEmail, out.code)).status).toBe(401)
  const suspended = await ask(mail)
  const admin = await createPerson(mail.bound, "admin")
  await admin.post("suspendUser", { userId: suspended.mover.id, reason: "abuse" })
  expect((await suspended.mover.confirm(suspended.newEmail, suspended.code)).status).toBe(401)
  for (const { mover } of [late, changed, out, suspended]) {
    expect(await emailOf(mover.id)).toBe(mover.email)
  }
})

test("emails from before the change do nothing: neither a reset, nor a verification, nor another code", async () => {
  const mail = openMail()
  const { mover, newEmail, code } = await ask(mail)
  const { email, browser } = mover
  await env.DB.prepare("update user set email_verified = 0 where id = ?").bind(mover.id).run()
  await browser.post("/api/auth/send-verification-email", { email })
  const verification = await mail.mailbox.linkOf(email, "Verify your email address")
  await env.DB.prepare("update user set email_verified = 1 where id = ?").bind(mover.id).run()
  await browser.post("/api/auth/request-password-reset", { email })
  const reset = new URL(await mail.mailbox.linkOf(email, "Reset your password"))
  const third = newAddress("third")
  await mover.ask(third)
  const secondCode = await mail.mailbox.codeOf(third)
  expect((await mover.confirm(newEmail, code)).status).toBe(200)
  const body = { token: reset.searchParams.get("token"), newPassword: "the password of a thief" }
  const answer = await createBrowser(mail.bound).post("/api/auth/reset-password", body)
  expect(await answer.json()).toMatchObject({ code: "INVALID_TOKEN" })
  const opened = await createBrowser(mail.bound).open(verification)
  expect(opened.headers.get("location")).toContain("error=INVALID_TOKEN")
  expect(await mover.confirm(third, secondCode)).toMatchObject(refused("INVALID_CODE"))
  expect(await emailOf(mover.id)).toBe(newEmail)
})

test("a pending sign-up loses its address, and its email then opens nothing", async () => {
  const mail = openMail({ ENVIRONMENT: "preview", VERIFY_EMAIL: "true" })
  const plain = openMail()
  const newEmail = newAddress()
  const squatter = createBrowser(mail.bound)
  await squatter.post("/api/auth/sign-up/email", { name: "Mallory", email: newEmail, password })
  await vi.waitFor(async () => expect(await idOf(newEmail)).not.toBeNull())
  const letter = await plain.mailbox.linkOf(newEmail, "Verify your email address")
  const ownerId = await idOf(newEmail)
  const { mover, code } = await ask(plain, newEmail)
  expect((await mover.confirm(newEmail, code)).status).toBe(200)
  expect(await idOf(newEmail)).toBe(mover.id)
  expect(ownerId).not.toBe(mover.id)
  const opened = await squatter.open(letter)
  expect(opened.headers.get("location")).toContain("error=INVALID_TOKEN")
})

test("an address that gets an account between the code and its use stays with that account", async () => {
  const mail = openMail()
  const { mover, newEmail, code } = await ask(mail)
  const browser = createBrowser(mail.bound)
  await browser.post("/api/auth/sign-up/email", { name: "Eve", email: newEmail, password })
  expect(await mover.confirm(newEmail, code)).toMatchObject({
    status: 409,
    body: { code: "EMAIL_TAKEN" },
  })
  expect(await emailOf(mover.id)).toBe(mover.email)
  const entries = "select action from audit_entry where subject_id = ? and action = 'change_email'"
  expect((await env.DB.prepare(entries).bind(mover.id).all()).results).toEqual([])
})

test("a browser that knew the address of its previous owner is unknown to the new owner", async () => {
  const mail = openMail()
  // Its password is older than the mark of the browser.
  const mover = await mail.createMover()
  const before = await mail.createMover()
  const shared = before.email
  await before.browser.post("/api/auth/sign-in/email", { email: shared, password })
  const away = newAddress("away")
  await before.ask(away)
  await before.confirm(away, await mail.mailbox.codeOf(away))
  await mover.ask(shared)
  const code = await mail.mailbox.codeOf(shared)
  expect((await mover.confirm(shared, code)).status).toBe(200)
  const wrong = { email: shared, password: "not it at all" }
  for (let tries = 0; tries < 10; tries += 1) {
    await createBrowser(mail.bound).post("/api/auth/sign-in/email", wrong)
  }
  // A known browser has ten attempts of its own.
  const response = await before.browser.post("/api/auth/sign-in/email", wrong)
  expect(response.status).toBe(429)
})

test("strangers who ask for an address write it few emails in a day, and leave its owner theirs", async () => {
  const mail = openMail()
  using _clock = stopClock()
  const owner = await mail.createMover()
  for (let count = 0; count < 22; count += 1) {
    const stranger = await mail.createMover()
    expect(await stranger.ask(owner.email)).toEqual({ status: 200, body: { sent: true } })
  }
  const existing = mail.lettersTo(owner.email).filter((letter) => letter.startsWith("You already"))
  // Emails that the owner requested count as well.
  expect(existing).toHaveLength(19)
  vi.setSystemTime(Date.now() + 60 * 60 * 1000)
  await createBrowser(mail.bound).post("/api/auth/request-password-reset", { email: owner.email })
  expect(await mail.mailbox.linkOf(owner.email, "Reset your password")).toContain("token=")
})

test("a member asks for ten codes in a day, whatever the addresses", async () => {
  const mail = openMail()
  const mover = await mail.createMover()
  const statuses = await repeat(12, async () => (await mover.ask(newAddress())).status)
  expect(statuses.filter((status) => status === 200)).toHaveLength(10)
  expect(statuses.at(-1)).toBe(429)
})

test("the database stores neither the code nor the new address in plain text", async () => {
  const mail = openMail()
  const { mover, newEmail, code } = await ask(mail)
  const [row] = (
    await env.DB.prepare("select identifier from verification where value = ?").bind(mover.id).all()
  ).results
  expect(JSON.stringify(row)).not.toContain(code)
  expect(JSON.stringify(row)).not.toContain(newEmail)
})
