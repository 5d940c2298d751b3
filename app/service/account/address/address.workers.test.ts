import { env } from "cloudflare:workers"
import { expect, test, vi } from "vitest"

import { createBrowser } from "../../../testing/browser.ts"
import { createPerson, password } from "../../../testing/person.ts"
import { countRows } from "../../../testing/rows.ts"
import { emailOf, newAddress, openMail } from "./testing/mover.ts"

function signIn(email: string, secret = password) {
  return createBrowser().post("/api/auth/sign-in/email", { email, password: secret })
}

test("a member changes the address by a code, and the former one is told, and opens nothing any more", async () => {
  const mail = openMail()
  const mover = await mail.createMover()
  const elsewhere = createBrowser(mail.bound)
  await elsewhere.post("/api/auth/sign-in/email", { email: mover.email, password })
  const newEmail = newAddress()
  expect(await mover.ask(newEmail)).toEqual({ status: 200, body: { sent: true } })
  const code = await mail.mailbox.codeOf(newEmail)
  expect(code).toMatch(/^\d{8}$/)
  expect(await emailOf(mover.id)).toBe(mover.email)
  const confirmed = await mover.confirm(newEmail, code)
  expect(confirmed).toMatchObject({ status: 200, body: { email: newEmail, emailVerified: true } })
  expect((await mover.get("getProfile")).body).toMatchObject({ email: newEmail })
  expect((await elsewhere.get("/api/v1/getProfile")).status).toBe(401)
  expect([(await signIn(mover.email)).status, (await signIn(newEmail)).status]).toEqual([401, 200])
  await vi.waitFor(() =>
    expect(mail.lettersTo(mover.email)).toContain("The email address of your account was changed"),
  )
  expect(mail.lettersTo(newEmail)).toEqual(["Confirm your new email address"])
  const events = (await mover.get("listSecurityEvents")).body["items"]
  expect(events).toContainEqual(expect.objectContaining({ action: "change_email", detail: null }))
  // The code is spent.
  expect(await mover.confirm(newEmail, code)).toMatchObject({ body: { code: "INVALID_CODE" } })
})

test("an address that was changed is kept a month, for admins and the export, and then forgotten", async () => {
  const mail = openMail()
  const mover = await mail.createMover()
  const newEmail = newAddress()
  await mover.ask(newEmail)
  await mover.confirm(newEmail, await mail.mailbox.codeOf(newEmail))
  const admin = await createPerson(mail.bound, "admin")
  const search = (email: string) => admin.get(`listUsers?formerEmail=${encodeURIComponent(email)}`)
  expect((await search(mover.email.toUpperCase())).body["items"]).toMatchObject([{ id: mover.id }])
  expect((await search(newEmail)).body["items"]).toEqual([])
  const { body } = await mover.get("exportData")
  expect(body["formerAddresses"]).toMatchObject([{ email: mover.email }])
  const { until } = await env.DB.prepare("select until from former_address where user_id = ?")
    .bind(mover.id)
    .first<{ until: number }>()
    .then((row) => row ?? { until: 0 })
  expect(Math.round((until - Date.now()) / (24 * 60 * 60 * 1000))).toBe(30)
  // Another person can open an account with it, which is separate from this one.
  const account = { name: "Eve", email: mover.email, password: "another long password" }
  const eve = createBrowser(mail.bound)
  expect((await eve.post("/api/auth/sign-up/email", account)).status).toBe(200)
  expect(await (await eve.get("/api/v1/getProfile")).json()).not.toMatchObject({ id: mover.id })
  await mover.browser.post("/api/auth/delete-user", { password })
  expect(await countRows("former_address", "email", mover.email)).toBe(0)
})

test("a free, a taken, a waiting and the own address get one answer, by the same statements", async () => {
  const mail = openMail()
  const person = await createPerson(mail.bound)
  const waiting = newAddress("waiting")
  await createBrowser(mail.bound).post("/api/auth/sign-up/email", {
    name: "W",
    email: waiting,
    password,
  })
  await env.DB.prepare("delete from session where user_id in (select id from user where email = ?)")
    .bind(waiting)
    .run()
  await env.DB.prepare("update user set unproven_since = 1 where email = ?").bind(waiting).run()
  const answers: unknown[] = []
  for (const kind of ["free", "taken", "waiting", "own", "other case"]) {
    const mover = await mail.createMover()
    const addresses = {
      free: newAddress(),
      taken: person.email,
      waiting,
      own: mover.email,
      "other case": person.email.toUpperCase(),
    }
    const newEmail = Object.entries(addresses).find(([name]) => name === kind)?.[1] ?? ""
    const rows = async () =>
      env.DB.prepare(
        "select (select count(*) from verification where value = ?) as codes, (select count(*) from attempt) as attempts",
      )
        .bind(mover.id)
        .first<{ codes: number; attempts: number }>()
    const before = await rows()
    const { status, body } = await mover.ask(newEmail)
    const after = await rows()
    const codes = (after?.codes ?? 0) - (before?.codes ?? 0)
    answers.push({ status, body, codes })
  }
  expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1)
  expect(answers[0]).toEqual({ status: 200, body: { sent: true }, codes: 1 })
  // Both cases are one address, whose owner is told and gets no code.
  const existing = "You already have an account"
  await vi.waitFor(() =>
    expect(mail.lettersTo(person.email).filter((letter) => letter === existing)).toHaveLength(2),
  )
  expect(mail.lettersTo(person.email)).not.toContain("Confirm your new email address")
  expect(mail.lettersTo(waiting)).toContain("Confirm your new email address")
})

test("no code is sent without a verified address, without mail, or for addresses of releases", async () => {
  const mail = openMail()
  const unproven = await createPerson(mail.bound)
  const newEmail = newAddress()
  expect(await unproven.post("changeEmail", { newEmail })).toMatchObject({
    status: 403,
    body: { code: "EMAIL_NOT_VERIFIED" },
  })
  const mover = await mail.createMover()
  const smoke = `smoke-${Math.floor(Date.now() / 1000) + 60}-abcdefgh@accounts.invalid`
  expect(await mover.ask(smoke)).toMatchObject({ body: { code: "RESERVED_ADDRESS" } })
  for (const wrong of ["nobody", `${"x".repeat(65)}@example.com`, ""]) {
    const refused = await mover.ask(wrong)
    expect(refused).toMatchObject({ status: 400, body: { code: "BAD_REQUEST" } })
  }
  const silent = await createPerson()
  expect(await silent.post("changeEmail", { newEmail })).toMatchObject({
    body: { code: "VERIFICATION_EMAIL_NOT_ENABLED" },
  })
  expect(mail.lettersTo(newEmail)).toEqual([])
})
