import { env } from "cloudflare:workers"
import { expect, test } from "vitest"

import { operatorStatements } from "../../../infra/operator-statements.ts"
import { bind, createBrowser } from "../../testing/browser.ts"
import { mail, openMailbox } from "../../testing/mailbox.ts"
import { createPerson, password, type Person } from "../../testing/person.ts"
import { auditOf, countRows } from "../../testing/rows.ts"

async function setUp() {
  return {
    member: await createPerson(),
    admin: await createPerson(bind(), "admin"),
    owner: await createPerson(bind(), "owner"),
  }
}

test("making a user admin is for admins and owners, takes effect at once, and is audited", async () => {
  const { member, admin } = await setUp()
  expect(await member.get("listUsers")).toEqual({
    status: 403,
    body: {
      defined: true,
      code: "FORBIDDEN",
      status: 403,
      message: "Requires the role admin or owner",
    },
  })
  const promoted = await admin.post("makeUserAdmin", { userId: member.id })
  expect(promoted).toMatchObject({ status: 200, body: { id: member.id, role: "admin" } })
  expect((await member.get("listUsers")).status).toBe(200)
  expect(await auditOf(member.id)).toEqual([
    { actor_id: admin.id, action: "change_role", detail: "admin" },
  ])
})

test("making a user admin does not demote an owner, and audits only real changes", async () => {
  const { admin, owner } = await setUp()
  const unchanged = await admin.post("makeUserAdmin", { userId: owner.id })
  expect(unchanged.body).toMatchObject({ role: "owner" })
  expect(await auditOf(owner.id)).toEqual([])
  expect((await admin.post("makeUserAdmin", { userId: "user_0" })).status).toBe(404)
})

test("changing a role is for owners alone", async () => {
  const { member, admin, owner } = await setUp()
  const input = { userId: member.id, role: "owner" }
  expect((await admin.post("changeRole", input)).status).toBe(403)
  expect((await owner.post("changeRole", input)).body).toMatchObject({ role: "owner" })
  expect((await owner.post("changeRole", { ...input, role: "member" })).body).toMatchObject({
    role: "member",
  })
  expect(await auditOf(member.id)).toHaveLength(2)
})

test("the last owner stays owner, even when two owners demote each other at once", async () => {
  await env.DB.prepare("update user set role = 'member'").run()
  const { owner } = await setUp()
  const alone = await owner.post("changeRole", { userId: owner.id, role: "member" })
  expect(alone).toMatchObject({ status: 409, body: { code: "LAST_OWNER" } })

  const second = await createPerson(bind(), "owner")
  await Promise.all([
    owner.post("changeRole", { userId: second.id, role: "member" }),
    second.post("changeRole", { userId: owner.id, role: "member" }),
  ])
  const owners = await env.DB.prepare("select id from user where role = 'owner'").all()
  expect(owners.results).toHaveLength(1)
})

test("the last owner's account cannot be deleted", async () => {
  await env.DB.prepare("update user set role = 'member'").run()
  const owner = await createPerson(bind(), "owner")
  const refused = await owner.browser.post("/api/auth/delete-user", { password })
  expect(refused.status).toBe(409)
  expect(await refused.json()).toMatchObject({ code: "LAST_OWNER" })
  await createPerson(bind(), "owner")
  expect((await owner.browser.post("/api/auth/delete-user", { password })).status).toBe(200)
})

test("two owners who delete their accounts at once, or demote and delete, leave one", async () => {
  const leave = (person: Person) => person.browser.post("/api/auth/delete-user", { password })
  for (const demotes of [false, true]) {
    for (let round = 0; round < 5; round += 1) {
      await env.DB.prepare("update user set role = 'member'").run()
      const [ona, two] = [await createPerson(bind(), "owner"), await createPerson(bind(), "owner")]
      const demote = { userId: ona.id, role: "member" }
      const first = demotes ? two.browser.post("/api/v1/changeRole", demote) : leave(ona)
      const statuses = (await Promise.all([first, leave(two)])).map(({ status }) => status)
      const { results } = await env.DB.prepare("select id from user where role = 'owner'").all()
      expect({ demotes, round, statuses, left: results.length }).toMatchObject({ left: 1 })
      expect(statuses.filter((status) => status === 200)).toHaveLength(1)
    }
  }
})

test("granting premium raises the limits until the plan ends, and is audited", async () => {
  const { member, admin } = await setUp()
  const until = "2999-01-01T00:00:00.000Z"
  const granted = await admin.post("grantPremium", { userId: member.id, until })
  expect(granted.body).toMatchObject({ plan: "premium", planUntil: until })
  expect((await member.get("getPlanAndUsage")).body).toMatchObject({ plan: "premium" })
  expect(await auditOf(member.id)).toEqual([
    { actor_id: admin.id, action: "grant_premium", detail: until },
  ])
  expect((await admin.post("grantPremium", { userId: "user_0", until: null })).status).toBe(404)
})

test("the audit log records who read whose data, and can be paged through", async () => {
  const { member, admin } = await setUp()
  await member.post("updateProfile", { name: "Confidential" })
  const read = await admin.get(`readMember?userId=${member.id}`)
  expect(JSON.stringify(read.body)).toContain("Confidential")
  expect(await auditOf(member.id)).toEqual([
    { actor_id: admin.id, action: "read_member", detail: null },
  ])
  expect((await admin.get("readMember?userId=user_0")).status).toBe(404)

  await admin.get("listUsers")
  const { body } = await admin.get("listAuditEntries?limit=2")
  expect(body).toMatchObject({
    items: [
      { actorId: admin.id, subjectId: null, action: "list_users" },
      { actorId: admin.id, subjectId: member.id, action: "read_member" },
    ],
  })
})

test("the list of users pages through everyone, newest first, without secrets", async () => {
  const { admin } = await setUp()
  const { body } = await admin.get("listUsers?limit=2")
  expect(body["items"]).toHaveLength(2)
  expect(body["nextCursor"]).toEqual(expect.any(String))
  const next = await admin.get(`listUsers?limit=2&cursor=${String(body["nextCursor"])}`)
  expect(JSON.stringify(next.body)).not.toMatch(/password|signInFailures|token/)
})

test("members read what happened to their account, and admins what happened to all", async () => {
  const { member, admin } = await setUp()
  const unlimited = createBrowser(bind({ LIMIT_EMAIL: undefined }))
  const signIn = (word: string) =>
    unlimited.post("/api/auth/sign-in/email", { email: member.email, password: word })
  await signIn(password)
  const changed = { currentPassword: password, newPassword: "another password" }
  await member.browser.post("/api/auth/change-password", changed)
  for (let count = 0; count < 12; count += 1) await signIn("not it at all")
  await admin.post("makeUserAdmin", { userId: member.id })

  const { body } = await member.get("listSecurityEvents?limit=100")
  const items = JSON.parse(JSON.stringify(body["items"])) as Record<string, unknown>[]
  expect(items.map(({ action, byYou }) => [action, byYou])).toEqual([
    ["change_role", false],
    ["sign_in_locked", false],
    ...Array.from({ length: 10 }, () => ["sign_in_refused", false]),
    ["change_password", true],
    ["sign_in", true],
  ])
  expect(JSON.stringify(items)).not.toContain(admin.id)

  const query = `subjectId=${member.id}&action=sign_in_refused&limit=4`
  const page = await admin.get(`listAuditEntries?${query}`)
  expect(page.body["items"]).toHaveLength(4)
  const next = `${query}&cursor=${String(page.body["nextCursor"])}`
  const rest = await admin.get(`listAuditEntries?${next}`)
  expect(rest.body["items"]).toHaveLength(4)
  expect((await admin.get(`listAuditEntries?actorId=${admin.id}`)).body["items"]).toMatchObject([
    ...Array.from({ length: 2 }, () => ({ action: "list_audit_entries", subjectId: member.id })),
    { action: "change_role", subjectId: member.id },
  ])
})

test("premium can be taken away, and is not granted until a time that has passed", async () => {
  const { member, admin } = await setUp()
  const past = await admin.post("grantPremium", {
    userId: member.id,
    until: "2020-01-01T00:00:00Z",
  })
  expect(past).toMatchObject({ status: 400, body: { code: "BAD_REQUEST" } })
  await admin.post("grantPremium", { userId: member.id, until: null })
  const revoked = await admin.post("revokePremium", { userId: member.id })
  expect(revoked).toMatchObject({ status: 200, body: { plan: "free" } })
  await admin.post("revokePremium", { userId: member.id })
  expect(await auditOf(member.id)).toMatchObject([
    { action: "grant_premium" },
    { action: "revoke_premium" },
  ])
  expect((await admin.post("revokePremium", { userId: "user_0" })).status).toBe(404)
})

test("the end of a plan is one time, however long its text is", async () => {
  const [admin, member] = [await createPerson(bind(), "admin"), await createPerson()]
  const until = `2999-01-01T00:00:00.${"0".repeat(1000)}Z`
  const granted = await admin.post("grantPremium", { userId: member.id, until })
  expect(granted).toMatchObject({ status: 200, body: { planUntil: "2999-01-01T00:00:00.000Z" } })
})

async function grant(email: string) {
  const statements = operatorStatements.owner.grant({ email: `'${email}'`, unverified: true })
  await env.DB.batch(statements.map((sql) => env.DB.prepare(sql)))
  return env.DB.prepare(operatorStatements.owner.standing(`'${email}'`)).first()
}

test("the operator makes an owner where none can act, and no other", async () => {
  await env.DB.exec("update user set role = 'member'")
  const [first, second, third] = [await createPerson(), await createPerson(), await createPerson()]
  await env.DB.prepare("update user set suspended_at = 1 where id = ?").bind(first.id).run()
  // A suspended owner cannot unsuspend anyone, and an admin cannot unsuspend an owner.
  expect(await grant(first.email)).toMatchObject({ owns: 1, owned: 0 })
  expect(await grant(second.email)).toMatchObject({ owns: 1, owned: 1 })
  expect(await grant(third.email)).toMatchObject({ owns: 0, owned: 1 })
  const entries = env.DB.prepare(
    "select subject_id from audit_entry where action = 'change_role' and detail = 'owner' order by rowid desc limit 2",
  )
  expect((await entries.all()).results).toEqual([
    { subject_id: second.id },
    { subject_id: first.id },
  ])
})

test("where addresses are verified, a role rises only with a verified address, and can always fall", async () => {
  openMailbox()
  const [member, admin, owner] = [
    await createPerson(),
    await createPerson(bind(), "admin"),
    await createPerson(bind(), "owner"),
  ]
  await env.DB.prepare("update user set email_verified = 1 where id in (?, ?)")
    .bind(admin.id, owner.id)
    .run()
  const verifies = bind({ VERIFY_EMAIL: "true", ...mail })
  const enter = async ({ email }: Person) => {
    const browser = createBrowser(verifies)
    await browser.post("/api/auth/sign-in/email", { email, password })
    return async (name: string, body: object) => {
      const answer = await browser.post(`/api/v1/${name}`, body)
      return [answer.status, (await answer.json<{ code?: string }>()).code]
    }
  }
  const [asAdmin, asOwner] = [await enter(admin), await enter(owner)]
  const refused = [409, "MEMBER_NOT_VERIFIED"]
  const userId = member.id
  expect(await asAdmin("makeUserAdmin", { userId })).toEqual(refused)
  expect(await asOwner("changeRole", { userId, role: "owner" })).toEqual(refused)
  expect(await countRows("audit_entry", "subject_id", userId)).toBe(0)
  await env.DB.prepare("update user set role = 'admin' where id = ?").bind(userId).run()
  expect(await asOwner("changeRole", { userId, role: "member" })).toEqual([200, undefined])
  await env.DB.prepare("update user set email_verified = 1 where id = ?").bind(userId).run()
  expect(await asAdmin("makeUserAdmin", { userId })).toEqual([200, undefined])
})
