import { env } from "cloudflare:workers"
import { expect, test } from "vitest"

import { operatorStatements } from "../../../infra/operator-statements.ts"
import { createAuthenticator } from "../../testing/authenticator.ts"
import { bind, copyBrowser, createBrowser } from "../../testing/browser.ts"
import { begin, finish, later, turnOn } from "../../testing/factor-person.ts"
import { createInterruptedDatabase } from "../../testing/interrupted-database.ts"
import { mail, openMailbox } from "../../testing/mailbox.ts"
import {
  add,
  createPasskeyPerson,
  createProvenPerson,
  enter,
} from "../../testing/passkey-person.ts"
import { createPerson, password, type Person } from "../../testing/person.ts"
import { repeat } from "../../testing/repeat.ts"
import { countRows } from "../../testing/rows.ts"

async function setUp(changes: Parameters<typeof bind>[0] = {}) {
  const bound = bind(changes)
  const person = await createPerson(bound)
  return { bound, person, admin: await createPerson(bound, "admin"), userId: person.id }
}

async function audited(subjectId: string) {
  const { results } = await env.DB.prepare(
    "select actor_id as actor, action, detail from audit_entry where subject_id = ? order by rowid",
  )
    .bind(subjectId)
    .all()
  return results
}

function signIn(person: Person, changes: Parameters<typeof bind>[0] = {}) {
  const { email } = person
  return createBrowser(bind(changes)).post("/api/auth/sign-in/email", { email, password })
}

async function codeOf(answer: Response) {
  return [answer.status, (await answer.json<{ code?: string }>()).code]
}

test("a suspended member is signed out immediately, told why by email, kept out, and can sign in again after it", async () => {
  const mailbox = openMailbox()
  const { person, admin, userId } = await setUp(mail)
  const { email, browser } = person
  await browser.post("/api/auth/request-password-reset", { email })
  expect(await countRows("verification", "value", userId)).toBe(1)
  const suspended = await admin.post("suspendUser", { userId, reason: "abuse" })
  expect(suspended).toMatchObject({
    status: 200,
    body: { id: userId, suspendedFor: "abuse", suspendedAt: expect.any(String) },
  })
  expect((await person.get("getProfile")).status).toBe(401)
  expect(await countRows("session", "user_id", userId)).toBe(0)
  expect(await countRows("verification", "value", userId)).toBe(0)
  expect(await codeOf(await signIn(person))).toEqual([403, "ACCOUNT_SUSPENDED"])
  await mailbox.linkOf(email, "Your account has been suspended")
  expect(mailbox.emails.at(-1)?.text).toContain("because it was used against the rules")
  // Once is enough: neither another entry nor another reason.
  const repeated = await admin.post("suspendUser", { userId, reason: "other" })
  expect(repeated.body).toMatchObject({ suspendedFor: "abuse" })
  const opened = await admin.post("unsuspendUser", { userId })
  expect(opened.body).toMatchObject({ suspendedAt: null, suspendedFor: null })
  await mailbox.linkOf(email, "Your account is open again")
  expect((await signIn(person)).status).toBe(200)
  const [actor, detail] = [admin.id, null]
  expect(await audited(userId)).toEqual([
    { actor, action: "suspend", detail: "abuse" },
    { actor: null, action: "sign_in_refused", detail },
    { actor, action: "unsuspend", detail },
    { actor: userId, action: "sign_in", detail: "password" },
  ])
})

test("only the right password tells that an account is suspended", async () => {
  const { person, admin, userId } = await setUp()
  const innocent = await createPerson()
  await admin.post("suspendUser", { userId, reason: "security" })
  const wrong = (email: string) =>
    createBrowser().post("/api/auth/sign-in/email", { email, password: "not it at all" })
  const texts: string[] = []
  for (const email of [person.email, innocent.email, "nobody@example.com"]) {
    const answer = await wrong(email)
    texts.push(`${answer.status} ${await answer.text()}`)
  }
  expect(new Set(texts).size).toBe(1)
  expect(texts[0]).toMatch(/^401 .*INVALID_EMAIL_OR_PASSWORD/)
  const unproven = await signIn(person, {
    ENVIRONMENT: "preview",
    VERIFY_EMAIL: "true",
    KEEP_MAIL: "true",
  })
  expect(await codeOf(unproven)).toEqual([401, "INVALID_EMAIL_OR_PASSWORD"])
})

test("a member who is suspended while the password is checked gets neither a session nor an entry", async () => {
  const { database: DB, interrupt } = createInterruptedDatabase()
  const { person, userId } = await setUp()
  interrupt(/insert into "session"/, () =>
    env.DB.prepare("update user set suspended_at = 1 where id = ?").bind(userId).run(),
  )
  const answer = await signIn(person, { DB })
  expect(answer.status).toBe(401)
  expect(answer.headers.getSetCookie()).toEqual([])
  expect(await audited(userId)).not.toContainEqual(expect.objectContaining({ action: "sign_in" }))
  expect(await countRows("session", "user_id", userId)).toBe(1)
})

test("a version that knows nothing of suspensions opens no session past one", async () => {
  const { admin, userId } = await setUp()
  await admin.post("suspendUser", { userId, reason: "other" })
  const insert = env.DB.prepare(
    "insert into session (id, user_id, token, expires_at, created_at, updated_at) values ('s', ?1, 't', 9e12, ?2, ?2)",
  )
  // An earlier version may have read the clock half a minute earlier.
  const began = Date.now() - 30_000
  await expect(insert.bind(userId, began).run()).rejects.toThrow("the account is suspended")
  await admin.post("unsuspendUser", { userId })
  await insert.bind(userId, began).run()
})

test("a reset of a suspended account opens nothing, and its change of password neither", async () => {
  const mailbox = openMailbox()
  const { person, admin, userId, bound } = await setUp(mail)
  const { email } = person
  await admin.post("suspendUser", { userId, reason: "security" })
  const visitor = createBrowser(bound)
  // The caller does not learn that it is suspended.
  const response = await visitor.post("/api/auth/request-password-reset", { email })
  expect(response.status).toBe(200)
  const link = new URL(await mailbox.linkOf(email, "Reset your password"))
  const token = link.searchParams.get("token")
  const newPassword = "another password"
  expect((await visitor.post("/api/auth/reset-password", { token, newPassword })).status).toBe(200)
  const signedIn = await visitor.post("/api/auth/sign-in/email", { email, password: newPassword })
  expect(await codeOf(signedIn)).toEqual([403, "ACCOUNT_SUSPENDED"])
  expect(await countRows("session", "user_id", userId)).toBe(0)
})

test("an admin ends one session of a member, or all, with an entry and an email each", async () => {
  const mailbox = openMailbox()
  const { person, admin, userId } = await setUp(mail)
  const second = createBrowser()
  await second.post("/api/auth/sign-in/email", { email: person.email, password })
  const read = await admin.get(`readMember?userId=${userId}`)
  const sessions = read.body["sessions"]
  expect(sessions).toHaveLength(2)
  const sessionId = Array.isArray(sessions) ? String(sessions[0].id) : ""
  await admin.post("endSessions", { userId, sessionId })
  expect((await person.get("getProfile")).status).toBe(401)
  expect((await second.get("/api/v1/getProfile")).status).toBe(200)
  await mailbox.linkOf(person.email, "You have been signed out")
  // Another member's session is not affected.
  const stranger = await createPerson()
  const foreign = await admin.get(`readMember?userId=${stranger.id}`)
  const [theirs] = Array.isArray(foreign.body["sessions"]) ? foreign.body["sessions"] : []
  await admin.post("endSessions", { userId, sessionId: String(theirs.id) })
  expect((await stranger.get("getProfile")).status).toBe(200)
  await admin.post("endSessions", { userId })
  await admin.post("endSessions", { userId })
  expect((await second.get("/api/v1/getProfile")).status).toBe(401)
  expect((await signIn(person)).status).toBe(200)
  const ends = (await audited(userId)).filter(({ action }) => action === "end_sessions")
  expect(ends.map(({ actor, detail }) => [actor, detail])).toEqual([
    [admin.id, sessionId],
    [admin.id, "all"],
  ])
})

test("an admin sends a reset, four an hour, if mail and passwords are on", async () => {
  const mailbox = openMailbox()
  const { person, admin, userId, bound } = await setUp(mail)
  const { email } = person
  expect(await admin.post("sendReset", { userId })).toEqual({ status: 200, body: { sent: true } })
  const link = new URL(await mailbox.linkOf(email, "Reset your password"))
  const token = link.searchParams.get("token")
  const body = { token, newPassword: "another password" }
  expect((await createBrowser(bound).post("/api/auth/reset-password", body)).status).toBe(200)
  const answers = await repeat(4, async () => (await admin.post("sendReset", { userId })).status)
  expect(answers).toEqual([200, 200, 200, 429])
  const resets = (await audited(userId)).filter(({ action }) => action === "send_reset")
  expect(resets).toHaveLength(1 + answers.filter((status) => status === 200).length)
  expect(await admin.post("sendReset", { userId: "user_0" })).toMatchObject({ status: 404 })
  const without = await setUp()
  const refused = await without.admin.post("sendReset", { userId: without.userId })
  expect(refused.body).toMatchObject({ code: "RESET_PASSWORD_DISABLED" })
  const idp = { IDENTITY_PROVIDERS: JSON.stringify({ idp: { issuer: "https://id.example" } }) }
  const client = { IDP_CLIENT_ID: "a client" }
  const off = copyBrowser(admin.browser, bind({ ...mail, ...idp, ...client, PASSWORDS: "off" }))
  expect(await codeOf(await off.post("/api/v1/sendReset", { userId }))).toEqual([
    403,
    "PASSWORD_OFF",
  ])
})

test("an admin sends the email that verifies an address, as one of the four, and none once it is verified", async () => {
  const mailbox = openMailbox()
  const { person, admin, userId, bound } = await setUp(mail)
  const send = async (id = userId) => {
    const { status, body } = await admin.post("sendVerification", { userId: id })
    return [status, body["sent"] ?? body["code"]]
  }
  expect(await send()).toEqual([200, true])
  await mailbox.linkOf(person.email, "Verify your email address")
  for (let tries = 0; tries < 3; tries += 1) expect(await send()).toEqual([200, true])
  expect(await send()).toEqual([429, "TOO_MANY_REQUESTS"])
  const link = await mailbox.linkOf(person.email, "Verify your email address")
  await copyBrowser(person.browser, bound).open(link)
  expect(await send()).toEqual([200, false])
  const entries = (await audited(userId)).filter(({ action }) => action === "send_verification")
  expect(entries.map(({ actor }) => actor)).toEqual(Array(4).fill(admin.id))
  expect(await send("user_0")).toEqual([404, "NOT_FOUND"])
  expect(await send(admin.id)).toEqual([403, "FORBIDDEN"])
  const without = await setUp()
  const refused = await without.admin.post("sendVerification", { userId: without.userId })
  expect(refused.body).toMatchObject({ code: "VERIFICATION_EMAIL_NOT_ENABLED" })
})

test("once the operator has ended access to an account, nothing lets in again that was added before", async () => {
  const bound = bind({ LIMIT_EMAIL: undefined })
  const person = await createPasskeyPerson(bound)
  const { app } = await turnOn(person)
  const trusted = createBrowser(bound)
  await begin(trusted, person)
  await finish(trusted, { code: app.code(), trustBrowser: true })
  await later(person.id)
  const { access, end } = operatorStatements.signOut
  const read = () => env.DB.prepare(access(`'${person.email}'`)).first()
  expect(await read()).toMatchObject({ passwords: 1, passkeys: 1 })
  await env.DB.batch(end(`'${person.email}'`).map((sql) => env.DB.prepare(sql)))
  expect(await read()).toEqual({ sessions: 0, passwords: 0, passkeys: 0, providers: null })
  expect(await enter(createBrowser(bound), person.key)).toMatchObject({ code: "PASSKEY_REFUSED" })
  const rows = "select count(*) as n from trusted_browser where user_id = ?"
  expect(await env.DB.prepare(rows).bind(person.id).first("n")).toBe(0)
  // The operator may send it again.
  await env.DB.batch(end(`'${person.email}'`).map((sql) => env.DB.prepare(sql)))
  const entries =
    "select count(*) as n from audit_entry where subject_id = ? and detail = 'operator'"
  expect(await env.DB.prepare(entries).bind(person.id).first("n")).toBe(1)
})

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
  const browser = createBrowser(bound)
  const reset = { token: link.searchParams.get("token"), newPassword: "another password" }
  expect((await browser.post("/api/auth/reset-password", reset)).status).toBe(200)
  const credentials = { email: victim.email, password: "another password" }
  expect((await browser.post("/api/auth/sign-in/email", credentials)).status).toBe(200)
  const subjects = () =>
    mailbox.emails.filter(({ to }) => to === victim.email).map(({ subject }) => subject)
  expect(subjects()).toContain("Your account was given back to this address")
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
  const refusal = { status: 409, body: { code: "FORMER_ADDRESS_GONE" } }
  const foreign = { userId, formerEmail: owner.email }
  expect(await owner.post("recoverAccount", foreign)).toMatchObject(refusal)
  const verifying = bind({ ...mail, VERIFY_EMAIL: "true" })
  const squatter = { email: formerEmail, name: "Mallory", password: "a password of mallory" }
  await createBrowser(verifying).post("/api/auth/sign-up/email", squatter)
  const expire = env.DB.prepare("update former_address set until = until - ? where user_id = ?")
  await expire.bind(31 * 24 * 60 * 60 * 1000, userId).run()
  expect(await owner.post("recoverAccount", body)).toMatchObject(refusal)
  expect(await authenticatorsOf(userId)).toMatchObject({ email: thief })
  await expire.bind(-31 * 24 * 60 * 60 * 1000, userId).run()
  expect(await owner.post("recoverAccount", body)).toMatchObject({
    status: 200,
    body: { id: userId, email: formerEmail, emailVerified: true },
  })
  expect(await authenticatorsOf(userId)).toEqual({ n: 0, email: formerEmail, since: null })
  expect(await mailbox.linkOf(formerEmail, "Reset your password")).toContain("token=")
  const response = await createBrowser(bound).post("/api/auth/sign-in/email", squatter)
  expect(response.status).toBe(401)
})
