import { env } from "cloudflare:workers"
import { expect, test } from "vitest"

import { operatorStatements } from "../../../infra/operator-statements.ts"
import { bind, copyBrowser, createBrowser } from "../../testing/browser.ts"
import { begin, createFactorPerson, finish } from "../../testing/factor-person.ts"
import { createInterruptedDatabase } from "../../testing/interrupted-database.ts"
import { createPasskeyPerson } from "../../testing/passkey-person.ts"
import { createPerson, password } from "../../testing/person.ts"
import { auditOf, countRows } from "../../testing/rows.ts"
import { roles } from "../platform/database/auth.table.ts"

/* Roles and the users on whom they may act, cell by cell. */

const matrix = {
  admin: { member: 200, admin: 403, owner: 403, self: 403 },
  owner: { member: 200, admin: 200, owner: 200, self: 403 },
} as const

/** Input of each admin action beside the user; undefined for a GET. */
const bodies: Record<string, object | undefined> = {
  grantPremium: { until: null },
  revokePremium: {},
  readMember: undefined,
  getMemberAccess: undefined,
  suspendUser: { reason: "abuse" },
  unsuspendUser: {},
  scheduleDeletion: { reason: "request" },
  cancelDeletion: {},
  endSessions: {},
  sendReset: {},
  sendVerification: {},
  resetSecondFactor: {},
  recoverAccount: {},
}

/** Emails are stored, so that the service sends some. */
const bound = bind({ ENVIRONMENT: "preview", KEEP_MAIL: "true" })

const cells = Object.entries(bodies).flatMap(([act, body]) =>
  (["admin", "owner"] as const).flatMap((actor) =>
    ([...roles, "self"] as const).map((subject) => ({
      act,
      body,
      actor,
      subject,
      // Only owners take a second factor off.
      status: act === "resetSecondFactor" && actor === "admin" ? 403 : matrix[actor][subject],
    })),
  ),
)

test.each(cells)(
  "$actor, $act on $subject: $status",
  async ({ act, body, actor, subject, status }) => {
    const acting = await createPerson(bound, actor)
    const target = subject === "self" ? acting : await createPerson(bound, subject)
    const premium = act === "revokePremium" ? "premium" : "free"
    const suspended = ["unsuspendUser", "cancelDeletion"].includes(act) ? 1 : null
    const deleted = act === "cancelDeletion" ? 9e12 : null
    const factor = act === "resetSecondFactor" ? 1 : null
    await env.DB.prepare(
      "update user set plan = ?, suspended_at = ?, delete_at = ?, second_factor_since = ? where id = ?",
    )
      .bind(premium, suspended, deleted, factor, target.id)
      .run()
    // They have shown it themselves.
    await env.DB.prepare("update session set factor = 'totp' where user_id = ? and ?")
      .bind(acting.id, Number(factor === 1 && subject === "self"))
      .run()
    const before = await stateOf(target.id)
    const answer =
      body === undefined
        ? await acting.get(`${act}?userId=${target.id}`)
        : await acting.post(act, { userId: target.id, ...body })
    const isChanged = JSON.stringify(await stateOf(target.id)) !== JSON.stringify(before)
    const code = status === 403 ? "FORBIDDEN" : undefined
    expect([answer.status, answer.body["code"], isChanged]).toEqual([status, code, status === 200])
  },
)

/** The plan, sessions, resets, the suspension, and what the audit log says of acts on the account. */
async function stateOf(userId: string) {
  const plan = env.DB.prepare(
    `select plan, suspended_at, delete_at, second_factor_since, (select count(*) from session where user_id = user.id) as sessions,
      (select count(*) from verification where value = user.id) as resets from user where id = ?`,
  ).bind(userId)
  const entries = env.DB.prepare(
    "select action, actor_id from audit_entry where subject_id = ? and actor_id <> subject_id",
  ).bind(userId)
  const results = await env.DB.batch([plan, entries])
  return results.map((result) => result.results)
}

test.each([
  ["makeUserAdmin", {}],
  ["changeRole", { role: "admin" }],
  ["grantPremium", { until: null }],
  ["revokePremium", {}],
  ["suspendUser", { reason: "abuse" }],
  ["scheduleDeletion", { reason: "other" }],
  ["endSessions", {}],
  ["resetSecondFactor", {}],
  ["readMember", undefined],
  ["getMemberAccess", undefined],
])("A39: an admin who is demoted during the request does not %s", async (name, input) => {
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
  expect(await auditOf(userId)).toEqual([])
  const row = await env.DB.prepare("select role, plan, delete_at from user where id = ?")
    .bind(userId)
    .first()
  expect(row).toEqual({ role: "member", plan: "free", delete_at: null })
})

test("A16: the end of sessions and the reading of the audit log leave entries", async () => {
  const [member, admin] = [await createPerson(), await createPerson(bind(), "admin")]
  const { browser, email } = member
  const { token } = await (
    await createBrowser().post("/api/auth/sign-in/email", { email, password })
  ).json<{ token: string }>()
  await browser.post("/api/auth/revoke-session", { token: "unknown" })
  await browser.post("/api/auth/revoke-session", { token })
  await browser.post("/api/auth/revoke-session", { token })
  await browser.post("/api/auth/revoke-other-sessions")
  await createBrowser().post("/api/auth/sign-in/email", { email, password })
  await browser.post("/api/auth/revoke-other-sessions")
  await admin.get(`listAuditEntries?subjectId=${member.id}`)
  await browser.post("/api/auth/sign-out")
  const session = createBrowser()
  await session.post("/api/auth/sign-in/email", { email, password })
  await session.post("/api/auth/revoke-sessions")
  const actions = (await auditOf(member.id)).map(({ actor_id, action }) => [action, actor_id])
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

test("an owner takes a second factor off: only the password opens the account then", async () => {
  const owner = await createPerson(bind(), "owner")
  const member = await createFactorPerson()
  const { id: userId } = member
  const trusted = createBrowser()
  await begin(trusted, member)
  await finish(trusted, { code: member.app.code(), trustBrowser: true })
  const halfway = createBrowser()
  await begin(halfway, member)

  expect(await owner.post("resetSecondFactor", { userId })).toMatchObject({
    status: 200,
    body: { id: userId },
  })
  for (const browser of [member.browser, trusted]) {
    expect(await (await browser.get("/api/auth/get-session")).json()).toBeNull()
  }
  const expired = await finish(halfway, { recoveryCode: member.recoveryCodes[0] })
  expect(expired).toMatchObject({ body: { code: "STEP_EXPIRED" } })
  expect(await begin(createBrowser(), member)).toMatchObject({
    status: 200,
    body: { user: { id: userId } },
  })
  const rows = env.DB.prepare(
    `select (select count(*) from second_factor where user_id = ?1) + (select count(*) from recovery_code where user_id = ?1)
      + (select count(*) from trusted_browser where user_id = ?1) as n`,
  )
  expect(await rows.bind(userId).first("n")).toBe(0)
  const entry = env.DB.prepare(
    "select action from audit_entry where actor_id = ? and subject_id = ?",
  )
  expect(await entry.bind(owner.id, userId).first("action")).toBe("reset_second_factor")
})

test.each(["none", "everybody"] as const)(
  "a lost passkey that is all an account has for a factor goes, where one is required of %s",
  async (whose) => {
    const owner = await createFactorPerson()
    await env.DB.prepare("update user set role = 'owner' where id = ?").bind(owner.id).run()
    const required = bind({ REQUIRE_SECOND_FACTOR: whose })
    const atRequired = copyBrowser(owner.browser, required)
    const { id: userId, ...member } = await createPasskeyPerson()
    expect((await atRequired.post("/api/v1/resetSecondFactor", { userId })).status).toBe(200)
    expect(await countRows("passkey", "user_id", userId)).toBe(0)
    const browser = createBrowser(required)
    expect((await begin(browser, member)).status).toBe(200)
    expect((await browser.post("/api/v1/beginTotp", {})).status).toBe(200)
  },
)

test("an admin finds a member by an address or how it begins, whatever its case", async () => {
  const [member, admin] = [await createPerson(), await createPerson(bind(), "admin")]
  const addresses = ["c", "a", "b"].map((part) => `find-me-${part}@example.com`)
  for (const [at, email] of addresses.entries()) {
    await env.DB.prepare(
      "insert into user (id, email, name, created_at, updated_at) values (?, ?, 'x', ?, 0)",
    )
      .bind(`user_found${at}`, email, at)
      .run()
  }
  const find = async (query: string) => {
    const { body } = await admin.get(`listUsers?${query}`)
    const items = JSON.parse(JSON.stringify(body["items"])) as { email: string }[]
    return { found: items.map(({ email }) => email), next: body["nextCursor"] }
  }
  expect(await find(`email=${member.email.toUpperCase()}`)).toEqual({
    found: [member.email],
    next: null,
  })
  const first = await find("email=%20Find-Me-&limit=2")
  expect(first.found).toEqual(addresses.toSorted().slice(0, 2))
  // A user who is deleted between two pages does not end the list.
  await env.DB.prepare("delete from user where email = ?").bind(first.found[1]).run()
  const next = `cursor=${String(first.next)}`
  expect(await find(`email=find-me-&limit=2&${next}`)).toEqual({
    found: addresses.toSorted().slice(2),
    next: null,
  })
  // A front end that keeps the cursor of another search.
  expect((await find(`email=find-you&${next}`)).found).toEqual([])
  expect((await find("email=find_me")).found).toEqual([])
  expect((await find("email=%25")).found).toEqual([])
  expect((await admin.get("listUsers?email=%20")).status).toBe(400)
  expect((await member.get("listUsers?email=find-me-")).status).toBe(403)
})

test("an admin finds a member by id, whatever address or cursor is sent with it", async () => {
  const [member, admin] = [await createPerson(), await createPerson(bind(), "admin")]
  const find = async (query: string) => (await admin.get(`listUsers?${query}`)).body
  const page = { items: [expect.objectContaining({ id: member.id })], nextCursor: null }
  expect(await find(`id=${member.id}`)).toEqual(page)
  expect(await find(`id=${member.id}&email=nobody&limit=1&cursor=MS5hYmM`)).toEqual(page)
  expect(await find("id=user_0")).toEqual({ items: [], nextCursor: null })
  expect((await member.get(`listUsers?id=${member.id}`)).status).toBe(403)
})

test("one search finds a member by name, last name, address, former address or id", async () => {
  const [member, admin] = [await createPerson(), await createPerson(bind(), "admin")]
  const name = "Gräfin Ada Quillfeather"
  await env.DB.batch([
    env.DB.prepare("update user set name = ? where id = ?").bind(name, member.id),
    env.DB.prepare(
      "insert into former_address (id, user_id, email, until) values (?, ?, ?, 9e12)",
    ).bind(member.id, member.id, `old-${member.email}`),
  ])
  const find = async (search: string) => {
    const { body } = await admin.get(`listUsers?search=${encodeURIComponent(search)}`)
    const items = JSON.parse(JSON.stringify(body["items"])) as { id: string }[]
    return items.map(({ id }) => id)
  }
  const ways = [
    "gräf",
    "quill",
    "QUILLFEATHER",
    name,
    member.email,
    `old-${member.email}`,
    member.id,
  ]
  for (const search of ways) expect([search, await find(search)]).toEqual([search, [member.id]])
  expect(await find("ada quill")).toEqual([])
  expect(await find("%")).toEqual([])
  expect((await admin.get("listUsers?search=%20")).status).toBe(400)
  expect((await member.get("listUsers?search=quill")).status).toBe(403)
  // As many as a page has, in the order of names.
  await env.DB.prepare(
    `with recursive n (i) as (select 0 union all select i + 1 from n where i < 9)
     insert into user (id, email, name, created_at, updated_at)
     select ?1 || i, ?1 || i || '@example.com', 'Zq' || (9 - i) || ' Zq', 0, 0 from n`,
  )
    .bind("user_zq")
    .run()
  const { body } = await admin.get("listUsers?search=zq&limit=3")
  expect(body).toMatchObject({ items: [{ name: "Zq0 Zq" }, {}, {}], nextCursor: null })
})

test("the audit log names who did it and to whom, and forgets no id of a deleted account", async () => {
  const [member, admin] = [await createPerson(), await createPerson(bind(), "admin")]
  await admin.post("grantPremium", { userId: member.id, until: null })
  const read = async (query: string) =>
    (await admin.get(`listAuditEntries?action=grant_premium&${query}`)).body["items"]
  const entry = { actorId: admin.id, subjectId: member.id }
  const actor = { email: admin.email, role: "admin" }
  for (const query of [
    `subjectId=${member.id}`,
    `subjectId=${member.email.toUpperCase()}`,
    `actorId=${admin.email}`,
  ]) {
    expect(await read(query)).toMatchObject([
      { ...entry, actor, subject: { email: member.email, role: "member" }, how: "admin" },
    ])
  }
  expect(await read("subjectId=nobody@example.com")).toEqual([])
  await member.browser.post("/api/auth/delete-user", { password })
  expect(await read(`subjectId=${member.id}`)).toMatchObject([{ ...entry, actor, subject: null }])
  const { results } = await env.DB.prepare(
    "select 1 from audit_entry where subject_id like '%@%'",
  ).all()
  expect(results).toEqual([])
})

test("a member with a passkey needs neither a password nor another factor, unless passkeys are off", async () => {
  await env.DB.exec("delete from user")
  await createPerson(undefined, "owner")
  await createPerson(undefined, "admin")
  await createFactorPerson()
  await createPasskeyPerson()
  const count = (passkeys: boolean) =>
    env.DB.prepare(operatorStatements.ways.count({ providers: ["'idp'"], passkeys })).first()
  const always = { accounts: 4, ownersWithPasswordAlone: 1, withProvider: 0, neither: 0 }
  const missing = { ownersWithoutFactor: 1, adminsWithoutFactor: 1 }
  expect(await count(true)).toEqual({
    ...always,
    ...missing,
    passwordAlone: 3,
    withPasskey: 1,
    membersWithoutFactor: 0,
  })
  expect(await count(false)).toEqual({
    ...always,
    ...missing,
    passwordAlone: 4,
    withPasskey: 0,
    membersWithoutFactor: 1,
  })
})
