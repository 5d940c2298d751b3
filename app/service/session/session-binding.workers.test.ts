import { env } from "cloudflare:workers"
import { expect, test } from "vitest"

import { bindProduction, type Browser, createBrowser } from "../../testing/browser.ts"
import { mail } from "../../testing/mailbox.ts"
import { password } from "../../testing/person.ts"
import { visitProvider } from "../../testing/provider-visit.ts"

/* A sibling below the cookie domain plants its own session in the browser of a reader who has one. */

const webUrl = "https://app.example.com"
const production = { VERIFY_EMAIL: "false", LIMIT_EMAIL: undefined, LIMIT_ADDRESS: undefined }
const bound = bindProduction(production)

function cookieOf({ cookies }: Browser, kind: string) {
  return [...cookies].find(([name]) => name.endsWith(kind)) ?? ["", ""]
}

/** Creates a member with a verified address and a fresh step-up. */
async function join(from: Browser = createBrowser(bound, webUrl)) {
  const email = `bound-${crypto.randomUUID()}@example.com`
  const signedUp = await from.post("/api/auth/sign-up/email", { name: "Ada", email, password })
  const { user } = await signedUp.json<{ user: { id: string } }>()
  await env.DB.prepare("update user set email_verified = 1 where id = ?").bind(user.id).run()
  const post = (path: string, body: object = {}) => from.call(`/api/${path}`, body)
  return { email, id: user.id, browser: from, post, lines: signedUp.headers.getSetCookie() }
}

const assertion = { id: "aaaa", rawId: "aaaa", type: "public-key" }
const attestation = {
  ...assertion,
  response: { clientDataJSON: "aaaa", attestationObject: "aaaa" },
}

/** Everything that puts an authenticator into an account. */
const adding: [string, object][] = [
  ["auth/set-password", { newPassword: "another password" }],
  ["auth/change-password", { currentPassword: password, newPassword: "another password" }],
  ["auth/passkey/begin", { for: "add" }],
  ["auth/passkey/add", { passkey: attestation, name: "Key" }],
  ["auth/link-social", { provider: "idp" }],
  ["v1/beginTotp", {}],
  ["v1/confirmTotp", { enrolment: "x", code: "000000" }],
  ["v1/changeEmail", { newEmail: "reader@example.com" }],
  ["v1/confirmEmail", { newEmail: "reader@example.com", code: "00000000" }],
]

test("a session that a sibling has planted takes no authenticator of the reader, however newly it was proven", async () => {
  const [reader, mallory] = [await join(), await join()]
  const [name, value] = cookieOf(mallory.browser, "session_token")
  expect(name).toBe("__Secure-accounts-production.session_token")
  reader.browser.cookies.set(name, value)
  const planted = await (await reader.browser.get("/api/auth/get-session")).json()
  expect(planted).toMatchObject({ user: { id: mallory.id } })
  for (const [path, body] of adding) {
    expect([path, await reader.post(path, body)]).toMatchObject([
      path,
      { status: 403, body: { code: "STEP_UP_REQUIRED", data: { ways: ["password", "sign-in"] } } },
    ])
  }
  // Their owner's own browser is asked for none of it.
  expect(await mallory.post("v1/beginTotp")).toMatchObject({ status: 200 })
  // The reader's password does not step up Mallory's session.
  await env.DB.prepare("update account set password = 'other' where user_id = ?")
    .bind(mallory.id)
    .run()
  expect((await reader.post("auth/step-up", { password })).status).not.toBe(200)
  expect(await reader.post("v1/beginTotp")).toMatchObject({ status: 403 })
})

test("a step-up binds the session of a version before, and that session alone", async () => {
  const member = await join()
  const [name, value] = cookieOf(member.browser, "session_binding")
  expect(name).toBe("__Host-accounts-production.session_binding")
  for (const forged of ["", "x", value.slice(1), `${value}A`, value.toLowerCase()]) {
    member.browser.cookies.set(name, forged)
    expect([forged, (await member.post("v1/beginTotp")).status]).toEqual([forged, 403])
  }
  member.browser.cookies.delete(name)
  expect((await member.post("v1/beginTotp")).body).toMatchObject({ code: "STEP_UP_REQUIRED" })
  expect((await member.post("auth/step-up", { password: "wrong" })).status).toBe(400)
  expect(member.browser.cookies.has(name)).toBe(false)
  expect((await member.post("auth/step-up", { password })).status).toBe(200)
  expect(member.browser.cookies.get(name)).toBe(value)
  expect((await member.post("v1/beginTotp")).status).toBe(200)
  // Another session of the same account has another one.
  await member.post("auth/sign-in/email", { email: member.email, password })
  expect(member.browser.cookies.get(name)).not.toBe(value)
  member.browser.cookies.set(name, value)
  expect((await member.post("v1/beginTotp")).status).toBe(403)
})

test("to renew a session, or to read it, binds it to no browser", async () => {
  const member = await join()
  const [name] = cookieOf(member.browser, "session_binding")
  member.browser.cookies.delete(name)
  const soon = Date.now() + 2 * 24 * 60 * 60 * 1000
  await env.DB.prepare("update session set expires_at = ? where user_id = ?")
    .bind(soon, member.id)
    .run()
  const renewed = await member.browser.get("/api/auth/get-session")
  expect(renewed.headers.getSetCookie().join()).toContain("session_token=")
  await member.post("auth/update-user", { name: "Ona" })
  await member.browser.get("/api/auth/list-sessions")
  expect(member.browser.cookies.has(name)).toBe(false)
  expect((await member.post("v1/beginTotp")).status).toBe(403)
})

test("the binding is the host's alone, lasts as the session may, and ends with it", async () => {
  const member = await join()
  const lineOf = (lines: string[]) => lines.find((line) => line.includes("session_binding")) ?? ""
  expect(lineOf(member.lines)).toMatch(
    /^__Host-accounts-production\.session_binding=[\w-]{43}; Max-Age=2592000; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
  )
  const [, token] = cookieOf(member.browser, "session_token")
  expect(lineOf(member.lines)).not.toContain(token.split(".")[0])
  const brief = { email: member.email, password, rememberMe: false }
  const signedIn = await member.browser.post("/api/auth/sign-in/email", brief)
  expect(lineOf(signedIn.headers.getSetCookie())).toMatch(/^[^;]+; Path=\/; HttpOnly; Secure; /)
  const stepped = await member.browser.post("/api/auth/step-up", { password })
  expect(lineOf(stepped.headers.getSetCookie())).not.toContain("Max-Age")
  const out = await member.browser.post("/api/auth/sign-out")
  expect(lineOf(out.headers.getSetCookie())).toContain("session_binding=; Max-Age=0")
  await member.browser.post("/api/auth/sign-in/email", brief)
  const response = await member.browser.post("/api/auth/delete-user", { password })
  expect(response.status).toBe(200)
  expect(lineOf(response.headers.getSetCookie())).toContain("session_binding=; Max-Age=0")
})

test("over http the cookie has no prefix, and means the same", async () => {
  const local = createBrowser()
  const member = await join(local)
  const [name] = cookieOf(local, "session_binding")
  expect(name).toBe("accounts-local-host.session_binding")
  expect((await member.post("v1/beginTotp")).status).toBe(200)
  local.cookies.delete(name)
  expect((await member.post("v1/beginTotp")).status).toBe(403)
})

test("no provider's answer adds an identity to a session that is no longer bound or stepped up", async () => {
  const { bound: visited, provider } = await visitProvider({ changes: mail })
  const member = await join(createBrowser(visited))
  const from = member.browser
  const identities = env.DB.prepare("select count(*) from account where user_id = ?").bind(
    member.id,
  )
  const finish = async (between: () => Promise<void> | void) => {
    const started = await member.post("auth/link-social", { provider: "idp" })
    const query = new URLSearchParams(provider.authorize(String(started.body["url"])))
    await between()
    const answer = await from.open(`/api/auth/callback/idp?${query.toString()}`)
    return new URL(answer.headers.get("location") ?? "").searchParams.get("error")
  }
  const [name, value] = cookieOf(from, "session_binding")
  provider.forge({ claims: { sub: member.email, email: member.email } })
  expect(await finish(() => void from.cookies.delete(name))).toBe("step_up_required")
  from.cookies.set(name, value)
  const age = "update session set proven_at = proven_at - 3600000 where user_id = ?"
  const grow = async () => void (await env.DB.prepare(age).bind(member.id).run())
  expect(await finish(grow)).toBe("step_up_required")
  await member.post("auth/step-up", { password })
  const addPasskey = `insert into passkey (id, user_id, credential_id, public_key, algorithm, name, created_at)
    values (?1, ?1, ?1, 'k', -7, 'n', 1)`
  const enrol = async () => void (await env.DB.prepare(addPasskey).bind(member.id).run())
  expect(await finish(enrol)).toBe("step_up_required")
  await env.DB.prepare("delete from passkey").run()
  await member.post("auth/step-up", { password })
  const end = async () =>
    void (await env.DB.prepare("delete from session where user_id = ?").bind(member.id).run())
  expect(await finish(end)).toBe("state_mismatch")
  expect(await identities.first("count(*)")).toBe(1)
  await member.post("auth/sign-in/email", { email: member.email, password })
  expect(await finish(() => {})).toBeNull()
  expect(await identities.first("count(*)")).toBe(2)
})
