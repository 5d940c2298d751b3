import { env } from "cloudflare:workers"
import { expect, test } from "vitest"

import { bind, copyBrowser, createBrowser } from "../../testing/browser.ts"
import { begin, createFactorPerson, finish as finishSignIn } from "../../testing/factor-person.ts"
import { createInterruptedDatabase } from "../../testing/interrupted-database.ts"
import { mail, openMailbox } from "../../testing/mailbox.ts"
import { createProvenPerson } from "../../testing/passkey-person.ts"
import { createPerson, password } from "../../testing/person.ts"
import { visitProvider } from "../../testing/provider-visit.ts"
import { countRows } from "../../testing/rows.ts"

/** Creates a member with sessions, a trusted browser, a pending sign-in and a reset. */
async function createBusyPerson() {
  const person = await createFactorPerson()
  const trusted = createBrowser()
  await begin(trusted, person)
  await finishSignIn(trusted, { recoveryCode: person.recoveryCodes[0], trustBrowser: true })
  const halfway = createBrowser()
  await begin(halfway, person)
  await env.DB.prepare(
    "insert into verification (id, identifier, value, expires_at, created_at, updated_at) values (?1, ?1, ?2, 9e15, 1, 1)",
  )
    .bind(`reset-${person.id}`, person.id)
    .run()
  return { ...person, halfway }
}

async function leftOf(userId: string) {
  const count = (table: string, column: string) =>
    env.DB.prepare(`select count(*) as n from ${table} where ${column} = ?`).bind(userId)
  const results = await env.DB.batch<{ n: number }>([
    count("session", "user_id"),
    count("trusted_browser", "user_id"),
    count("verification", "value"),
  ])
  const [sessions, browsers, verifications] = results.map(({ results: [row] }) => row?.n)
  return { sessions, browsers, verifications }
}

type Busy = Awaited<ReturnType<typeof createBusyPerson>>
const nothing = { sessions: 0, browsers: 0, verifications: 0 }

const acts: [string, (busy: Busy) => Promise<{ status: number }>, object][] = [
  ["revoke-sessions", ({ browser }) => browser.post("/api/auth/revoke-sessions"), nothing],
  [
    "revoke-other-sessions",
    ({ browser }) => browser.post("/api/auth/revoke-other-sessions"),
    { ...nothing, sessions: 1 },
  ],
  [
    "change-password",
    ({ browser }) =>
      browser.post("/api/auth/change-password", {
        currentPassword: password,
        newPassword: "another password",
        revokeOtherSessions: true,
      }),
    { ...nothing, sessions: 1 },
  ],
  ...(["endSessions", "resetSecondFactor"] as const).map(
    (act): [string, (busy: Busy) => Promise<{ status: number }>, object] => [
      act,
      async ({ id: userId }) => (await createPerson(bind(), "owner")).post(act, { userId }),
      nothing,
    ],
  ),
  [
    "suspendUser",
    async ({ id: userId }) =>
      (await createPerson(bind(), "owner")).post("suspendUser", { userId, reason: "abuse" }),
    nothing,
  ],
]

test.each(acts)(
  "%s ends sessions, trusted browsers, pending sign-ins and codes",
  async (_act, act, expected) => {
    const busy = await createBusyPerson()
    expect((await act(busy)).status).toBe(200)
    expect(await leftOf(busy.id)).toEqual(expected)
    const finishSign = await finishSignIn(busy.halfway, { recoveryCode: busy.recoveryCodes[1] })
    expect(finishSign).toMatchObject({ body: { code: "STEP_EXPIRED" } })
  },
)

test("an admin ends a sign-in that is under way, also where no session is", async () => {
  const busy = await createBusyPerson()
  await env.DB.prepare("delete from session where user_id = ?").bind(busy.id).run()
  const owner = await createPerson(bind(), "owner")
  expect((await owner.post("endSessions", { userId: busy.id })).status).toBe(200)
  expect(await leftOf(busy.id)).toEqual(nothing)
})

async function suspend(userId: string) {
  const admin = await createPerson(bind(), "owner")
  const answer = await admin.post("suspendUser", { userId, reason: "security" })
  expect(answer.status).toBe(200)
}

function ways(userId: string) {
  const query = env.DB.prepare("select provider_id from account where user_id = ? order by rowid")
  return query.bind(userId).raw()
}

test("a provider opens no suspended account, by its identity or its address, and takes nothing out of it", async () => {
  const { bound, provider, start, finish, session } = await visitProvider()
  const person = await createProvenPerson(bound)
  provider.forge({ claims: { sub: person.email, email: person.email } })
  await finish(provider.authorize(await start()))
  const unproven = await createPerson(bound)
  for (const { id, email } of [person, unproven]) {
    const before = await ways(id)
    await suspend(id)
    provider.forge({ claims: { sub: email, email } })
    const page = await finish(provider.authorize(await start()))
    expect(page).toMatch(/\?error=account_suspended&reason=security$/)
    expect([await session(), await ways(id)]).toEqual([null, before])
  }
})

test("a member who is suspended during the provider's response gets neither a session nor an entry", async () => {
  const { database: DB, interrupt } = createInterruptedDatabase()
  const { provider, start, finish, session } = await visitProvider({ changes: { DB } })
  const { id, email } = await createProvenPerson()
  provider.forge({ claims: { sub: email, email } })
  interrupt(/insert into "session"/, () => suspend(id))
  expect(await finish(provider.authorize(await start()))).toMatch(/error=account_suspended/)
  expect(await session()).toBeNull()
  const entries = env.DB.prepare(
    "select count(*) as n from audit_entry where subject_id = ? and action = 'sign_in'",
  )
  expect(await entries.bind(id).first("n")).toBe(0)
})

test("a change of the password that comes with the suspension keeps no session", async () => {
  const { database: DB, interrupt } = createInterruptedDatabase()
  const person = await createPerson(bind({ DB }))
  interrupt(/insert into "session"/, () => suspend(person.id))
  const answer = await person.browser.post("/api/auth/change-password", {
    currentPassword: password,
    newPassword: "another password",
    revokeOtherSessions: true,
  })
  expect(answer.status).toBe(401)
  expect(await countRows("session", "user_id", person.id)).toBe(0)
})

test.each(["suspendUser", "scheduleDeletion"])(
  "if two owners call %s on each other in parallel, one remains and can let the other in",
  async (act) => {
    const [first, two] = [await createPerson(bind(), "owner"), await createPerson(bind(), "owner")]
    const reason = "abuse"
    const answers = await Promise.all([
      first.post(act, { userId: two.id, reason }),
      two.post(act, { userId: first.id, reason }),
    ])
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 401])
    const [remaining, out] = answers[0].status === 200 ? [first, two] : [two, first]
    expect((await remaining.post("unsuspendUser", { userId: out.id })).status).toBe(200)
  },
)

test("a suspended owner is none that is left: the last one who can act stays", async () => {
  await env.DB.prepare("update user set role = 'member'").run()
  const [last, out] = [await createPerson(bind(), "owner"), await createPerson(bind(), "owner")]
  await last.post("suspendUser", { userId: out.id, reason: "other" })
  const demoted = await last.post("changeRole", { userId: last.id, role: "member" })
  expect(demoted).toMatchObject({ status: 409, body: { code: "LAST_OWNER" } })
  const response = await last.browser.post("/api/auth/delete-user", { password })
  expect(response.status).toBe(409)
})

const newPassword = "another long password"
const attackers = "the password of mallory"

/** A member, whose requests may be interrupted right before a statement reaches the database. */
async function setUp() {
  const mailbox = openMailbox()
  const { database, interrupt, fail } = createInterruptedDatabase()
  const bound = bind(mail)
  const person = await createPerson(bound)
  const { email, browser } = person
  /** The same browser, whose Worker has the database that is interrupted. */
  const interrupted = copyBrowser(browser, { ...bound, DB: database })
  return {
    bound,
    person,
    mailbox,
    interrupted,
    interrupt,
    fail,
    resetToken: async () => {
      await createBrowser(bound).post("/api/auth/request-password-reset", { email })
      const link = await mailbox.linkOf(email, "Reset your password")
      return new URL(link).searchParams.get("token") ?? ""
    },
    reset: async (token: string, text = newPassword) =>
      (await createBrowser(bound).post("/api/auth/reset-password", { token, newPassword: text }))
        .status,
    isSignedIn: async (who = interrupted) =>
      (await (await who.get("/api/auth/get-session")).json()) !== null,
    actions: async () => {
      const { results } = await env.DB.prepare(
        "select action from audit_entry where subject_id = ? order by rowid",
      )
        .bind(person.id)
        .all<{ action: string }>()
      return results.map(({ action }) => action)
    },
  }
}

test("a session that has ended changes no password, and opens no other session, however early it asked", async () => {
  const set = await setUp()
  set.interrupt(/update "account"/, () =>
    env.DB.prepare("delete from session where user_id = ?").bind(set.person.id).run(),
  )
  const change = { currentPassword: password, newPassword, revokeOtherSessions: true }
  expect((await set.interrupted.post("/api/auth/change-password", change)).status).toBe(401)
  expect(await set.isSignedIn()).toBe(false)
  const { results } = await env.DB.prepare("select id from session where user_id = ?")
    .bind(set.person.id)
    .all()
  expect([results, await set.actions()]).toEqual([[], []])
})

test("A6: a reset link is good again after a reset that the database failed", async () => {
  const set = await setUp()
  const token = await set.resetToken()
  set.fail(/insert into "account"/)
  const failed = await set.interrupted.post("/api/auth/reset-password", { token, newPassword })
  expect(failed.status).toBeGreaterThanOrEqual(500)
  expect(await set.isSignedIn()).toBe(true)
  expect(await set.reset(token)).toBe(200)
  expect(await set.reset(token)).toBe(400)
  expect(await set.actions()).toEqual(["reset_password"])
})

test("a reset token that is redeemed twice at once sets one password", async () => {
  const set = await setUp()
  const token = await set.resetToken()
  const statuses: number[] = []
  set.interrupt(/insert into "account"/, async () => statuses.push(await set.reset(token)))
  const late = { token, newPassword: attackers }
  const second = await set.interrupted.post("/api/auth/reset-password", late)
  expect([statuses, second.status]).toEqual([[200], 400])
  expect(await set.actions()).toEqual(["reset_password"])
})

test.each(["delete-user", "unlink-account"])(
  "A43: a stolen session does not %s once a reset has ended it, however early it asked",
  async (path) => {
    const set = await setUp()
    const token = await set.resetToken()
    const identity = `insert into account (id, user_id, provider_id, account_id, issuer, created_at, updated_at)
      values (?1, ?2, 'idp', ?1, 'https://idp.example', 1, 1)`
    await env.DB.prepare(identity).bind(crypto.randomUUID(), set.person.id).run()
    // A reset with a verified address keeps the other sign-in methods.
    const proven = env.DB.prepare("update user set email_verified = 1 where id = ?")
    await proven.bind(set.person.id).run()
    const statuses: number[] = []
    set.interrupt(/insert into "audit_entry"/, async () => statuses.push(await set.reset(token)))
    const late = await set.interrupted.post(`/api/auth/${path}`, { password, providerId: "idp" })
    expect([statuses, late.status]).toEqual([[200], 401])
    const { results } = await env.DB.prepare("select provider_id from account where user_id = ?")
      .bind(set.person.id)
      .all()
    expect(results).toHaveLength(2)
    expect(await set.actions()).toEqual(["reset_password"])
  },
)
