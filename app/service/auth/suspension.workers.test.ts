import { env } from "cloudflare:workers"
import { expect, test } from "vitest"

import { bind } from "../../testing/browser.ts"
import { createInterruptedDatabase } from "../../testing/interrupted-database.ts"
import { createPerson, password } from "../../testing/person.ts"
import { visitProvider } from "../../testing/provider-visit.ts"

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
  const known = await createPerson(bound)
  await env.DB.prepare("update user set email_verified = 1 where id = ?").bind(known.id).run()
  provider.forge({ claims: { sub: known.email, email: known.email } })
  await finish(provider.authorize(await start()))
  const unproven = await createPerson(bound)
  for (const { id, email } of [known, unproven]) {
    const before = await ways(id)
    await suspend(id)
    provider.forge({ claims: { sub: email, email } })
    const page = await finish(provider.authorize(await start()))
    expect(page).toMatch(/\?error=account_suspended&reason=security$/)
    expect([await session(), await ways(id)]).toEqual([null, before])
  }
})

test("who is suspended while the provider answers gets no session, and no entry says so", async () => {
  const { database: DB, interrupt } = createInterruptedDatabase()
  const { provider, start, finish, session } = await visitProvider({ changes: { DB } })
  const { id, email } = await createPerson()
  await env.DB.prepare("update user set email_verified = 1 where id = ?").bind(id).run()
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
  const sessions = env.DB.prepare("select count(*) as n from session where user_id = ?")
  expect(await sessions.bind(person.id).first("n")).toBe(0)
})

test("of two owners who suspend each other at once one is left, who can let the other in", async () => {
  const [one, two] = [await createPerson(bind(), "owner"), await createPerson(bind(), "owner")]
  const reason = "abuse"
  const answers = await Promise.all([
    one.post("suspendUser", { userId: two.id, reason }),
    two.post("suspendUser", { userId: one.id, reason }),
  ])
  expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 401])
  const [left, out] = answers[0].status === 200 ? [one, two] : [two, one]
  expect((await left.post("unsuspendUser", { userId: out.id })).status).toBe(200)
})

test("a suspended owner is none that is left: the last one who can act stays", async () => {
  await env.DB.prepare("update user set role = 'member'").run()
  const [last, out] = [await createPerson(bind(), "owner"), await createPerson(bind(), "owner")]
  await last.post("suspendUser", { userId: out.id, reason: "other" })
  const demoted = await last.post("changeRole", { userId: last.id, role: "member" })
  expect(demoted).toMatchObject({ status: 409, body: { code: "LAST_OWNER" } })
  const gone = await last.browser.post("/api/auth/delete-user", { password })
  expect(gone.status).toBe(409)
})
