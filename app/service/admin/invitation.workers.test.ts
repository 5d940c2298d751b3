import { env } from "cloudflare:workers"
import { expect, test } from "vitest"

import { bind, copyBrowser, createBrowser } from "../../testing/browser.ts"
import { createInterruptedDatabase } from "../../testing/interrupted-database.ts"
import { mail } from "../../testing/mailbox.ts"
import { createPerson, password } from "../../testing/person.ts"
import { visitProvider } from "../../testing/provider-visit.ts"
import { repeat } from "../../testing/repeat.ts"

/** A service that takes invitations, and an admin who sends them. */
async function visit(changes: Parameters<typeof bind>[0] = {}) {
  const visited = await visitProvider({ changes: { ...mail, SIGN_UP: "invited", ...changes } })
  const { mailbox } = visited
  const admin = await createPerson(bind(), "admin")
  const at = copyBrowser(admin.browser, visited.bound)
  const call = (name: string, body: object) => at.call(`/api/v1/${name}`, body)
  const list = async () => (await at.get("/api/v1/listInvitations")).json<{ items: object[] }>()
  const tokenOf = async (email: string) => {
    const link = new URL(await mailbox.linkOf(email, "You have been invited"))
    expect(link.pathname).toBe("/sign-up")
    return link.searchParams.get("invitation")
  }
  const signUp = async (
    email: string,
    invitation?: string | null,
    browser = createBrowser(visited.bound),
  ) => {
    const account = {
      name: "Grace",
      email,
      password,
      ...(invitation !== undefined && { invitation }),
    }
    return { ...(await browser.call("/api/auth/sign-up/email", account)), browser }
  }
  return { ...visited, admin, call, list, tokenOf, signUp }
}

function address() {
  return `guest-${crypto.randomUUID()}@example.com`
}

const required = { status: 403, body: { code: "INVITATION_REQUIRED" } }

test("an invited person signs up with the token of the email, verified and signed in; no one else does", async () => {
  const { call, list, tokenOf, signUp, admin } = await visit()
  const email = address()
  const { body } = await call("inviteUser", { email: ` ${email.toUpperCase()} ` })
  expect(body).toMatchObject({ email, invitedBy: admin.id })
  expect(body).not.toHaveProperty("hash")
  expect((await list()).items).toContainEqual(body)
  const token = await tokenOf(email)
  // The same for every address: known, invited or neither, and whatever the token.
  const refusals = [
    await signUp(email),
    await signUp(email, "unknown"),
    await signUp(address(), token),
    await signUp(address()),
    await signUp(admin.email, token),
  ]
  for (const { status, body: refusal } of refusals) {
    expect({ status, said: refusal }).toEqual({ status, said: refusals[0]?.body })
    expect({ status, body: refusal }).toMatchObject(required)
  }
  const signedUp = await signUp(email, token)
  expect(signedUp).toMatchObject({ status: 200, body: { user: { email, emailVerified: true } } })
  const session = await signedUp.browser.get("/api/auth/get-session")
  expect(await session.json()).toMatchObject({ user: { email, role: "member" } })
  expect(await signUp(email, token)).toMatchObject(required)
  expect((await list()).items).not.toContainEqual(body)
  const refused = await call("inviteUser", { email })
  expect(refused).toMatchObject({ status: 422 })
  const { results } = await env.DB.prepare(
    "select actor_id, subject_id, action from audit_entry where detail = ? or subject_id = (select id from user where email = ?) order by rowid",
  )
    .bind(String(body["id"]), email)
    .all()
  expect(results.map(({ action, actor_id }) => [action, actor_id])).toEqual([
    ["invite", admin.id],
    ["sign_up", null],
  ])
})

test("of two sign-ups with one invitation at the same time one is refused", async () => {
  const { call, tokenOf, signUp } = await visit()
  const email = address()
  await call("inviteUser", { email })
  const token = await tokenOf(email)
  const answers = await Promise.all([signUp(email, token), signUp(email, token)])
  expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 403])
})

test("an invitation is good for seven days, until another one, or until it is revoked", async () => {
  const { call, tokenOf, signUp, mailbox } = await visit()
  const [late, repeated, revoked] = [address(), address(), address()]
  for (const email of [late, repeated, revoked]) await call("inviteUser", { email })
  await env.DB.prepare("update invitation set expires_at = ? where email = ?")
    .bind(Date.now() - 1, late)
    .run()
  expect(await signUp(late, await tokenOf(late))).toMatchObject(required)
  const first = await tokenOf(repeated)
  mailbox.emails.length = 0
  const { body } = await call("inviteUser", { email: repeated })
  expect(await signUp(repeated, first)).toMatchObject(required)
  expect((await signUp(repeated, await tokenOf(repeated))).status).toBe(200)
  mailbox.emails.length = 0
  const { body: last } = await call("inviteUser", { email: revoked })
  const token = await tokenOf(revoked)
  const removed = await call("revokeInvitation", { invitationId: last["id"] })
  expect(removed).toMatchObject({ status: 200, body: { email: revoked } })
  expect(await signUp(revoked, token)).toMatchObject(required)
  expect(await call("revokeInvitation", { invitationId: last["id"] })).toMatchObject({
    status: 404,
  })
  // The one that was used, too.
  expect(await call("revokeInvitation", { invitationId: body["id"] })).toMatchObject({
    status: 404,
  })
})

test("what a stranger has set up under the address goes when its owner comes with the invitation", async () => {
  const { bound, call, tokenOf, signUp } = await visit()
  const email = address()
  const verifies = { VERIFY_EMAIL: "true" }
  const stranger = { name: "Eve", email, password: "a stranger's password" }
  await createBrowser({ ...bound, ...verifies, SIGN_UP: "open" }).post(
    "/api/auth/sign-up/email",
    stranger,
  )
  await call("inviteUser", { email })
  expect((await signUp(email, await tokenOf(email))).status).toBe(200)
  const browser = createBrowser({ ...bound, ...verifies })
  const response = await browser.post("/api/auth/sign-in/email", stranger)
  expect(response.status).toBe(401)
})

test("a provider opens the account of an invited address, and no other; once", async () => {
  const { provider, start, finish, session, call, list } = await visit()
  const [email, stranger] = [address(), address()]
  const enter = async (sub: string, claimed: string) => {
    provider.forge({ claims: { sub, email: claimed } })
    return finish(provider.authorize(await start()))
  }
  const { body } = await call("inviteUser", { email })
  expect(await enter(stranger, stranger)).toMatch(/\?error=invitation_required$/)
  expect(await session()).toBeNull()
  expect(await enter(email, email)).toBe("http://localhost:3000")
  expect(await session()).toMatchObject({ user: { email } })
  expect((await list()).items).not.toContainEqual(body)
  await env.DB.prepare("delete from user where email = ?").bind(email).run()
  expect(await enter(email, email)).toMatch(/\?error=invitation_required$/)
})

test.each([
  ["is demoted", "update user set role = 'member' where id = ?"],
  ["is suspended", "update user set suspended_at = 1 where id = ?"],
  ["has left", "delete from user where id = ?"],
])("an invitation opens nothing once the admin who sent it %s", async (_, end) => {
  const { admin, call, tokenOf, signUp, provider, start, finish } = await visit()
  const email = address()
  await call("inviteUser", { email })
  await env.DB.prepare(end).bind(admin.id).run()
  expect(await signUp(email, await tokenOf(email))).toMatchObject(required)
  provider.forge({ claims: { sub: email, email } })
  const landed = await finish(provider.authorize(await start()))
  expect(landed).toMatch(/\?error=invitation_required$/)
})

test("an address receives four invitations an hour, and none if sign-up is closed or mail is off", async () => {
  const { call, bound, admin } = await visit()
  const email = address()
  const answers = await repeat(5, async () => (await call("inviteUser", { email })).status)
  expect(answers).toEqual([200, 200, 200, 200, 429])
  const elsewhere = async (changes: Parameters<typeof bind>[0]) => {
    const atVariant = copyBrowser(admin.browser, { ...bound, ...changes })
    const answer = await atVariant.post("/api/v1/inviteUser", { email: address() })
    return (await answer.json<{ code: string }>()).code
  }
  expect(await elsewhere({ SIGN_UP: "closed" })).toBe("SIGN_UP_CLOSED")
  expect(await elsewhere({ MAIL_URL: "" })).toBe("VERIFICATION_EMAIL_NOT_ENABLED")
  expect(await call("inviteUser", { email: "smoke-1@accounts.invalid" })).toMatchObject({
    body: { code: "RESERVED_ADDRESS" },
  })
})

test("A39: an admin who is demoted during the request neither invites nor revokes", async () => {
  const { database: DB, interrupt } = createInterruptedDatabase()
  const { bound, call, list } = await visit()
  const { body } = await call("inviteUser", { email: address() })
  for (const [name, input] of [
    ["inviteUser", { email: address() }],
    ["revokeInvitation", { invitationId: body["id"] }],
  ] as const) {
    const late = await createPerson(bind(), "admin")
    const browser = copyBrowser(late.browser, { ...bound, DB })
    interrupt(/insert into "audit_entry"/, () =>
      env.DB.prepare("update user set role = 'member' where id = ?").bind(late.id).run(),
    )
    const before = await list()
    expect((await browser.post(`/api/v1/${name}`, input)).status).toBe(403)
    expect(await list()).toEqual(before)
  }
})
