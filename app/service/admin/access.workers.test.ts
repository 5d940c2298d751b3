import { env } from "cloudflare:workers"
import { expect, test } from "vitest"

import { bind, createBrowser } from "../../testing/browser.ts"
import { mail } from "../../testing/mailbox.ts"
import { createPerson, password } from "../../testing/person.ts"

const firefox = "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:145.0) Gecko/20100101 Firefox/145.0"
const bound = bind({ LIMIT_EMAIL: undefined, LIMIT_ADDRESS: undefined })

const idp = {
  IDENTITY_PROVIDERS: JSON.stringify({ idp: { issuer: "https://idp.example" } }),
  IDP_CLIENT_ID: "client",
}

async function setUp(changes: NonNullable<Parameters<typeof bind>[0]> = {}) {
  const member = await createPerson(bound)
  const owner = await createPerson(bound, "owner")
  const elsewhere = createBrowser(bind(changes))
  await env.DB.prepare("update user set email_verified = 1 where id = ?").bind(owner.id).run()
  for (const [name, value] of owner.browser.cookies) elsewhere.cookies.set(name, value)
  // An environment that verifies addresses signs its cookies by another key.
  if (changes.VERIFY_EMAIL) {
    await elsewhere.post("/api/auth/sign-in/email", { email: owner.email, password })
  }
  const set = (change: string) =>
    env.DB.prepare(`update user set ${change} where id = ?`).bind(member.id).run()
  const read = async () => {
    const answer = await elsewhere.get(`/api/v1/getMemberAccess?userId=${member.id}`)
    return answer.json<Record<string, unknown>>()
  }
  return { member, owner, set, read }
}

test("an admin reads at a glance that a member can sign in, by what, where, and when they last did", async () => {
  const { member, owner, read } = await setUp()
  expect((await read())["lastSignIn"]).toMatchObject({ method: null, at: expect.any(String) })
  const browser = createBrowser(bound)
  const headers = { "user-agent": firefox }
  await browser.post("/api/auth/sign-in/email", { email: member.email, password }, headers)
  const device = { browser: "Firefox", system: "Windows" }
  const access = await read()
  expect(access).toMatchObject({
    profile: { id: member.id, email: member.email },
    verdict: { canSignIn: true, reasons: [] },
    methods: { password: true, secondFactor: null, passkeys: [] },
    sessions: [{ device }, {}],
    locks: [],
    lastSignIn: { method: "password", factor: null, device },
    events: [{ action: "sign_in", how: "you", method: "password", device }],
  })
  expect(JSON.stringify(access)).not.toMatch(/token|hash|ipAddress/)
  const looked = await owner.get(`listAuditEntries?subjectId=${member.email}&action=read_member`)
  expect(looked.body["items"]).toHaveLength(2)
  expect((await owner.get("getMemberAccess?userId=user_0")).status).toBe(404)
})

test.each([
  ["suspended", {}, "suspended_at = 1, suspended_for = 'abuse'"],
  ["deleted", {}, "delete_at = 9e12"],
  ["unverified", { VERIFY_EMAIL: "true", ...mail }, "email_verified = 0"],
  ["no_method", { PASSWORDS: "off", ...idp }, "name = 'Ada'"],
  ["no_factor", {}, "second_factor_since = 1"],
])("a member who cannot sign in is %s", async (reason, changes, change) => {
  const { set, read } = await setUp(changes)
  await set(change)
  expect((await read())["verdict"]).toEqual({ canSignIn: false, reasons: [reason] })
})

test("wrong passwords of unknown browsers lock them, and not the member's own browser", async () => {
  const { member, read } = await setUp()
  const guess = () =>
    createBrowser(bound).post("/api/auth/sign-in/email", {
      email: member.email,
      password: "a guess of a stranger",
    })
  for (let at = 0; at < 9; at += 1) await guess()
  expect(await read()).toMatchObject({ locks: [] })
  await guess()
  const { verdict, locks } = await read()
  expect(verdict).toEqual({ canSignIn: true, reasons: ["locked"] })
  expect(locks).toEqual([{ of: "password", until: expect.any(String) }])
  expect((await guess()).status).toBe(429)
})

test("the last sign-in is found however much has happened since", async () => {
  const { member, owner, read } = await setUp()
  await env.DB.batch([
    env.DB.prepare("delete from session where user_id = ?").bind(member.id),
    env.DB.prepare(
      "insert into audit_entry (id, actor_id, subject_id, action, detail, created_at) values (?1, ?1, ?1, 'sign_in', 'code totp', 1000)",
    ).bind(member.id),
    env.DB.prepare(
      `with recursive n (i) as (select 0 union all select i + 1 from n where i < 300)
       insert into audit_entry (id, subject_id, action, created_at)
       select ?1 || i, ?1, 'sign_in_refused', 2000 + i from n`,
    ).bind(member.id),
  ])
  const at = "1970-01-01T00:00:01.000Z"
  const last = { at, method: "code", factor: "totp", device: null }
  expect((await read())["lastSignIn"]).toEqual(last)
  const { body } = await owner.get(`listUsers?id=${member.id}`)
  expect(body["items"]).toMatchObject([{ lastSignInAt: at }])
})
