import { env } from "cloudflare:workers"
import { expect, test } from "vitest"

import { createAuthenticator } from "../../testing/authenticator.ts"
import { bind, createBrowser } from "../../testing/browser.ts"
import { openMailbox } from "../../testing/mailbox.ts"
import { add, createProvenPerson, enter } from "../../testing/passkey-person.ts"
import { createPerson } from "../../testing/person.ts"

const mail = { MAIL_URL: "https://mail.example/send" }

/** An account that a thief got into: a passkey and an identity of theirs, and their mailbox. */
async function createStolen() {
  const mailbox = openMailbox()
  const bound = bind(mail)
  const victim = await createProvenPerson(bound)
  const [owner, admin] = [await createPerson(bound, "owner"), await createPerson(bound, "admin")]
  const key = await createAuthenticator()
  await add(victim.browser, key)
  await env.DB.prepare(
    "insert into account (id, user_id, provider_id, account_id, issuer, created_at, updated_at) values (?1, ?2, 'idp', ?1, 'https://idp', 1, 1)",
  )
    .bind(`account_${victim.id}`, victim.id)
    .run()
  const move = async (newEmail: string) => {
    await victim.post("changeEmail", { newEmail })
    const code = await mailbox.codeOf(newEmail)
    expect((await victim.post("confirmEmail", { newEmail, code })).status).toBe(200)
  }
  return { mailbox, bound, victim, owner, admin, key, move }
}

async function authenticatorsOf(userId: string) {
  const row = env.DB.prepare(
    `select (select count(*) from account where user_id = ?1) + (select count(*) from passkey where user_id = ?1)
      + (select count(*) from session where user_id = ?1) as n, email, second_factor_since as since from user where id = ?1`,
  )
  return row.bind(userId).first()
}

test("an admin gives an account back: nothing that a thief has added opens it, its mailbox does", async () => {
  const { mailbox, bound, victim, admin, key } = await createStolen()
  const userId = victim.id
  expect(await admin.post("recoverAccount", { userId })).toMatchObject({
    status: 200,
    body: { id: userId, email: victim.email },
  })
  expect(await authenticatorsOf(userId)).toEqual({ n: 0, email: victim.email, since: null })
  expect((await enter(createBrowser(bound), key)).status).toBe(401)
  const link = new URL(await mailbox.linkOf(victim.email, "Reset your password"))
  const again = createBrowser(bound)
  const reset = { token: link.searchParams.get("token"), newPassword: "another password" }
  expect((await again.post("/api/auth/reset-password", reset)).status).toBe(200)
  const credentials = { email: victim.email, password: "another password" }
  expect((await again.post("/api/auth/sign-in/email", credentials)).status).toBe(200)
  const told = () =>
    mailbox.emails.filter(({ to }) => to === victim.email).map(({ subject }) => subject)
  expect(told()).toContain("Your account was given back to this address")
  const entry = env.DB.prepare(
    "select detail from audit_entry where action = 'recover_account' and actor_id = ? and subject_id = ?",
  )
  expect(await entry.bind(admin.id, userId).first()).toEqual({ detail: null })
})

test("an owner gives an account the address back that it had, for thirty days, from a sign-up too; an admin does not", async () => {
  const { mailbox, bound, victim, owner, admin, move } = await createStolen()
  const { id: userId, email: formerEmail } = victim
  const thief = `thief-${crypto.randomUUID()}@example.com`
  await move(thief)
  const body = { userId, formerEmail }
  expect(await admin.post("recoverAccount", body)).toMatchObject({ body: { code: "FORBIDDEN" } })
  const gone = { status: 409, body: { code: "FORMER_ADDRESS_GONE" } }
  const foreign = { userId, formerEmail: owner.email }
  expect(await owner.post("recoverAccount", foreign)).toMatchObject(gone)
  const verifying = bind({ ...mail, VERIFY_EMAIL: "true" })
  const squatter = { email: formerEmail, name: "Mallory", password: "a password of mallory" }
  await createBrowser(verifying).post("/api/auth/sign-up/email", squatter)
  const expire = env.DB.prepare("update former_address set until = until - ? where user_id = ?")
  await expire.bind(31 * 24 * 60 * 60 * 1000, userId).run()
  expect(await owner.post("recoverAccount", body)).toMatchObject(gone)
  expect(await authenticatorsOf(userId)).toMatchObject({ email: thief })
  await expire.bind(-31 * 24 * 60 * 60 * 1000, userId).run()
  expect(await owner.post("recoverAccount", body)).toMatchObject({
    status: 200,
    body: { id: userId, email: formerEmail, emailVerified: true },
  })
  expect(await authenticatorsOf(userId)).toEqual({ n: 0, email: formerEmail, since: null })
  expect(await mailbox.linkOf(formerEmail, "Reset your password")).toContain("token=")
  const entered = await createBrowser(bound).post("/api/auth/sign-in/email", squatter)
  expect(entered.status).toBe(401)
})
