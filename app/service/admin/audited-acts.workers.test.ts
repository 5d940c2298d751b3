import { env } from "cloudflare:workers"
import { expect, test } from "vitest"

import { bind, createBrowser } from "../../testing/browser.ts"
import { createInterruptedDatabase } from "../../testing/interrupted-database.ts"
import { createPerson, password } from "../../testing/person.ts"

async function audited(subjectId: string) {
  const { results } = await env.DB.prepare(
    "select actor_id, action from audit_entry where subject_id = ? order by rowid",
  )
    .bind(subjectId)
    .all()
  return results
}

test.each([
  ["makeUserAdmin", {}],
  ["changeRole", { role: "admin" }],
  ["grantPremium", { until: null }],
  ["revokePremium", {}],
  ["suspendUser", { reason: "abuse" }],
  ["endSessions", {}],
  ["resetSecondFactor", {}],
  ["readMember", undefined],
  ["getMemberAccess", undefined],
])("A39: whoever is demoted meanwhile does not %s", async (name, input) => {
  const { database: DB, interrupt } = createInterruptedDatabase()
  const caller = await createPerson(bind({ DB }), "owner")
  const member = await createPerson()
  interrupt(/insert into "audit_entry"/, () =>
    env.DB.prepare("update user set role = 'member' where id = ?").bind(caller.id).run(),
  )
  const userId = member.id
  const answer =
    input === undefined
      ? await caller.get(`${name}?userId=${userId}`)
      : await caller.post(name, { userId, ...input })
  expect(answer).toMatchObject({ status: 403, body: { code: "FORBIDDEN" } })
  expect(await audited(userId)).toEqual([])
  const row = await env.DB.prepare("select role, plan from user where id = ?").bind(userId).first()
  expect(row).toEqual({ role: "member", plan: "free" })
})

test("A16: the end of sessions and the reading of the audit log leave entries", async () => {
  const [member, admin] = [await createPerson(), await createPerson(bind(), "admin")]
  const { browser, email } = member
  const { token } = await (
    await createBrowser().post("/api/auth/sign-in/email", { email, password })
  ).json<{ token: string }>()
  await browser.post("/api/auth/revoke-session", { token: "of nobody" })
  await browser.post("/api/auth/revoke-session", { token })
  await browser.post("/api/auth/revoke-session", { token })
  await browser.post("/api/auth/revoke-other-sessions")
  await createBrowser().post("/api/auth/sign-in/email", { email, password })
  await browser.post("/api/auth/revoke-other-sessions")
  await admin.get(`listAuditEntries?subjectId=${member.id}`)
  await browser.post("/api/auth/sign-out")
  const again = createBrowser()
  await again.post("/api/auth/sign-in/email", { email, password })
  await again.post("/api/auth/revoke-sessions")
  const actions = (await audited(member.id)).map(({ actor_id, action }) => [action, actor_id])
  expect(actions).toEqual([
    ["sign_in", member.id],
    ["revoke_sessions", member.id],
    ["sign_in", member.id],
    ["revoke_sessions", member.id],
    ["list_audit_entries", admin.id],
    ["sign_out", member.id],
    ["sign_in", member.id],
    ["revoke_sessions", member.id],
  ])
})
