import { env } from "cloudflare:workers"
import { expect, test } from "vitest"

import { copyBrowser, createBrowser, webUrl } from "../../../testing/browser.ts"
import { createMailbox, mail } from "../../../testing/mailbox.ts"
import { createPerson, password } from "../../../testing/person.ts"
import { google, visit as visitPreset } from "../../../testing/preset-visit.ts"
import { visitProvider } from "../../../testing/provider-visit.ts"
import { createSmokeAddress, smokeKey } from "../../../testing/smoke-account.ts"

const refused = { code: "PASSWORD_OFF" }

/** The same environment before and after passwords are switched off. */
async function visit() {
  const before = await visitProvider({ changes: mail })
  return { ...before, off: { ...before.bound, PASSWORDS: "off" } }
}

test("where passwords are off, every route that serves them refuses, for any address", async () => {
  const { bound, off, mailbox } = await visit()
  const person = await createPerson(bound)
  const { email } = person
  await person.browser.post("/api/auth/request-password-reset", { email })
  const reset = new URL(await mailbox.linkOf(email, "Reset your password"))
  const token = reset.searchParams.get("token")
  const visitor = createBrowser(off)
  const whole = { name: "Ada", email, password, newPassword: password, currentPassword: password }
  const paths = [
    "sign-up/email",
    "sign-in/email",
    "change-password",
    "request-password-reset",
    "reset-password",
    "verify-email-with-password",
  ]
  for (const path of paths) {
    for (const address of [email, "nobody@example.com"]) {
      const body = { ...whole, email: address, token }
      if (path.startsWith("verify")) Reflect.deleteProperty(body, "password")
      const answer = await visitor.post(`/api/auth/${path}`, body)
      expect({ path, status: answer.status, body: await answer.json() }).toMatchObject({
        path,
        status: 403,
        body: refused,
      })
    }
  }
  // Nothing has changed: the earlier reset works when passwords are on again.
  const response = await createBrowser(bound).post("/api/auth/reset-password", {
    token,
    newPassword: "another password",
  })
  expect(response.status).toBe(200)
})

test("where passwords are off, the link of an older email leads to its page, with the reason", async () => {
  const { bound, off, mailbox } = await visit()
  const { email, browser } = await createPerson(bound)
  const verify = await mailbox.linkOf(email, "Verify your email address")
  await browser.post("/api/auth/request-password-reset", {
    email,
    redirectTo: "http://localhost:3000/new-password",
  })
  const reset = await mailbox.linkOf(email, "Reset your password")
  const visitor = createBrowser(off)
  const pages = [await visitor.open(verify), await visitor.open(reset)]
  expect(pages.map(({ status, headers }) => ({ status, to: headers.get("location") }))).toEqual([
    { status: 302, to: "http://localhost:3000?error=UNAUTHORIZED" },
    { status: 302, to: "http://localhost:3000/new-password?error=PASSWORD_OFF" },
  ])
  const elsewhere = await visitor.open(
    "/api/auth/verify-email?token=x&callbackURL=https://evil.example/",
  )
  expect(elsewhere.status).toBe(400)
  const row = env.DB.prepare("select email_verified from user where email = ?").bind(email)
  expect(await row.first("email_verified")).toBe(0)
})

test("where passwords are off, the address of a provider's account is verified where its member is signed in", async () => {
  const mailbox = createMailbox()
  const remotes = { ...google.remotes, "mail.example": mailbox.remote }
  const changes = { ...mail, PASSWORDS: "off" }
  using set = visitPreset({ ...google, remotes }, google.declared, changes)
  const email = `nia-${crypto.randomUUID()}@example.com`
  // Google has verified the address once, and is no authority for it.
  const signIn = (address: string) => set.signIn({ sub: address, email: address, hd: undefined })
  expect(await signIn(email)).toMatchObject({ location: webUrl, user: { emailVerified: false } })
  const { browser } = set
  await browser.post("/api/auth/send-verification-email", { email }, { origin: webUrl })
  const link = await mailbox.linkOf(email, "Verify your email address")
  const opened = async () => (await browser.open(link)).headers.get("location")
  const isVerified = () =>
    env.DB.prepare("select email_verified from user where email = ?")
      .bind(email)
      .first("email_verified")
  const cookies = new Map(browser.cookies)
  browser.cookies.clear()
  expect(await opened()).toBe(`${webUrl}?error=UNAUTHORIZED`)
  const sign = await signIn(`eve-${crypto.randomUUID()}@example.com`)
  expect(sign).toMatchObject({ location: webUrl })
  expect(await opened()).toBe(`${webUrl}?error=UNAUTHORIZED`)
  expect(await isVerified()).toBe(0)
  // A sibling domain may plant the cookie of a session, and not the one that binds it.
  for (const [name, value] of cookies) {
    if (!name.endsWith("session_binding")) browser.cookies.set(name, value)
  }
  expect(await opened()).toBe(`${webUrl}?error=UNAUTHORIZED`)
  expect(await isVerified()).toBe(0)
  for (const [name, value] of cookies) browser.cookies.set(name, value)
  expect(await opened()).toBe(webUrl)
  expect(await isVerified()).toBe(1)
  const ways = await browser.get("/api/auth/list-accounts")
  expect(await ways.json()).toMatchObject([{ providerId: set.id }])
})

test("where passwords are off, a provider signs in, and who has a password too may leave without it", async () => {
  const { bound, off, provider, start, finish, browser } = await visit()
  const { email } = await createPerson(bound)
  provider.forge({ claims: { sub: email, email, auth_time: Math.ceil(Date.now() / 1000) } })
  await finish(provider.authorize(await start("idp", { prompt: "login" })))
  const atOff = copyBrowser(browser, off)
  const session = await atOff.get("/api/auth/get-session")
  expect(await session.json()).toMatchObject({ user: { email } })
  expect(await atOff.call("/api/auth/delete-user", { password: "not it" })).toMatchObject({
    status: 200,
    body: { success: true },
  })
})

test("where passwords are off, they are no sign-in method: the last provider cannot be removed, the password can", async () => {
  const { bound, off, provider, start, finish, browser } = await visit()
  const { email } = await createPerson(bound)
  provider.forge({ claims: { sub: email, email, auth_time: Math.ceil(Date.now() / 1000) } })
  await finish(provider.authorize(await start("idp", { prompt: "login" })))
  // The provider's proof has removed the earlier password.
  const { results } = await env.DB.prepare(
    "select user_id from account where provider_id = 'idp' and account_id = ?",
  )
    .bind(email)
    .all<{ user_id: string }>()
  const userId = results[0]?.user_id ?? ""
  await env.DB.prepare(
    "insert into account (id, user_id, provider_id, account_id, password, created_at, updated_at) values (?, ?, 'credential', ?, 'x', 1, 1)",
  )
    .bind(`account_${crypto.randomUUID()}`, userId, userId)
    .run()
  const atOff = copyBrowser(browser, off)
  const unlink = (providerId: string) => atOff.post("/api/auth/unlink-account", { providerId })
  const last = await unlink("idp")
  expect([last.status, await last.json()]).toMatchObject([
    400,
    { code: "FAILED_TO_UNLINK_LAST_ACCOUNT" },
  ])
  expect((await unlink("credential")).status).toBe(200)
})

test("a release proves its sign-in where sign-up is closed and passwords are off, and no other caller can use its address", async () => {
  const { off } = await visit()
  const bound = { ...off, SIGN_UP: "closed", SMOKE_KEY: smokeKey }
  const { email, headers } = createSmokeAddress(900)
  const body = { name: "Smoke", email, password }
  const visitor = createBrowser(bound)
  const signUp = async (codes: Record<string, string>, address = email) =>
    (await visitor.post("/api/auth/sign-up/email", { ...body, email: address }, codes)).status
  expect(await signUp({})).toBe(403)
  expect(await signUp({ "accounts-smoke-code": "00" })).toBe(403)
  expect(await signUp(headers)).toBe(200)
  expect((await visitor.post("/api/auth/sign-in/email", body)).status).toBe(200)
  expect(await signUp(headers, `x-${email}.example.com`)).toBe(403)
  // No other route of passwords knows the exemption.
  const response = await visitor.post("/api/auth/request-password-reset", { email }, headers)
  expect(await response.json()).toMatchObject(refused)
  const deleted = await visitor.post("/api/auth/delete-user", { password })
  expect(deleted.status).toBe(200)
})
