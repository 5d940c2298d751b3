import { env } from "cloudflare:workers"
import { expect, test, vi } from "vitest"

import { bind, copyBrowser, createBrowser } from "../../../testing/browser.ts"
import { createInterruptedDatabase } from "../../../testing/interrupted-database.ts"
import { mail, openMailbox } from "../../../testing/mailbox.ts"
import { createPerson, password } from "../../../testing/person.ts"

const newPassword = "a first long password"

/** Creates a member who only has a provider. */
async function createVisitor(bound = bind({ ...mail, LIMIT_EMAIL: undefined })) {
  const person = await createPerson(bound)
  await env.DB.prepare(
    "update account set provider_id = 'idp', account_id = 'of ' || user_id, password = null where user_id = ?",
  )
    .bind(person.id)
    .run()
  const set = (body: object = { newPassword }) =>
    person.browser.call("/api/auth/set-password", body)
  const hashes = async () =>
    (
      await env.DB.prepare(
        "select password from account where user_id = ? and password is not null",
      )
        .bind(person.id)
        .all()
    ).results
  return { ...person, set, hashes }
}

test("who has no password chooses one, signs in with it, and is told; a second one is none", async () => {
  const mailbox = openMailbox()
  const visitor = await createVisitor()
  const { email, browser } = visitor
  await browser.post("/api/auth/request-password-reset", { email })
  const reset = new URL(await mailbox.linkOf(email, "Reset your password"))
  expect((await visitor.get("listWays")).body).toMatchObject({ password: false })
  expect(await visitor.set()).toEqual({ status: 200, body: { status: true } })
  expect((await visitor.get("listWays")).body).toMatchObject({
    password: true,
    providers: [{ providerId: "idp" }],
  })
  const response = await createBrowser().post("/api/auth/sign-in/email", {
    email,
    password: newPassword,
  })
  expect(response.status).toBe(200)
  await vi.waitFor(() =>
    expect(mailbox.emails.at(-1)).toMatchObject({
      to: email,
      subject: "Your account has a password now",
    }),
  )
  const events = (await visitor.get("listSecurityEvents")).body["items"]
  expect(events).toContainEqual(expect.objectContaining({ action: "set_password", byYou: true }))
  // An earlier link sets no other one.
  const body = { token: reset.searchParams.get("token"), newPassword: "the password of a thief" }
  const answer = await createBrowser().post("/api/auth/reset-password", body)
  expect(await answer.json()).toMatchObject({ code: "INVALID_TOKEN" })
  expect(await visitor.set({ newPassword: "one more long password" })).toMatchObject({
    status: 409,
    body: { code: "PASSWORD_EXISTS" },
  })
  expect(await visitor.set({ newPassword: "short" })).toMatchObject({ status: 400 })
})

test("a first password takes a step-up, and a session that is still there when it is written", async () => {
  const visitor = await createVisitor()
  const forget = env.DB.prepare("update session set proven_at = 1 where user_id = ?")
  await forget.bind(visitor.id).run()
  expect(await visitor.set()).toMatchObject({ status: 403, body: { code: "STEP_UP_REQUIRED" } })
  const { database: DB, interrupt } = createInterruptedDatabase()
  const revoked = await createVisitor(bind({ DB }))
  interrupt(/insert into "account"/, () =>
    env.DB.prepare("delete from session where user_id = ?").bind(revoked.id).run(),
  )
  expect(await revoked.set()).toMatchObject({ status: 401 })
  const signedOut = await createBrowser().post("/api/auth/set-password", { newPassword })
  expect(signedOut.status).toBe(401)
  expect([await visitor.hashes(), await revoked.hashes()]).toEqual([[], []])
})

test("of two first passwords at once one is set, and where there is one, it stays", async () => {
  const visitor = await createVisitor()
  const answers = await Promise.all([visitor.set(), visitor.set({ newPassword: "the other one" })])
  expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409])
  expect(await visitor.hashes()).toHaveLength(1)
  const person = await createPerson()
  const answer = await person.browser.post("/api/auth/set-password", { newPassword })
  expect(await answer.json()).toMatchObject({ code: "PASSWORD_EXISTS" })
  const credentials = { email: person.email, password }
  expect((await createBrowser().post("/api/auth/sign-in/email", credentials)).status).toBe(200)
})

test("where passwords are off, no member can choose one", async () => {
  const provider = { IDENTITY_PROVIDERS: JSON.stringify({ idp: { issuer: "https://id.example" } }) }
  const off = bind({ ...provider, IDP_CLIENT_ID: "a client", PASSWORDS: "off" })
  const visitor = await createVisitor()
  const browser = copyBrowser(visitor.browser, off)
  const answer = await browser.post("/api/auth/set-password", { newPassword })
  expect(await answer.json()).toMatchObject({ code: "PASSWORD_OFF" })
  expect(await visitor.hashes()).toEqual([])
})
