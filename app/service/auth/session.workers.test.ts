import { env } from "cloudflare:workers"
import { expect, test } from "vitest"

import type { Plan } from "../../plan/plan.ts"
import { schema } from "../../schema.ts"
import { bind, bindProduction, copyBrowser, createBrowser } from "../../testing/browser.ts"
import { createDatabase } from "../database/database.ts"
import { roles, user } from "./auth.table.ts"

const password = "a good long password"

const signUp = { name: "Ada", email: "ada@example.com", password }

test("a user signs up, signs out, signs in and reads the session", async () => {
  const browser = createBrowser()

  const signedUp = await browser.post("/api/auth/sign-up/email", signUp)
  expect(signedUp.status).toBe(200)
  expect(await signedUp.json()).toMatchObject({
    user: { id: expect.stringMatching(/^user_[0-9a-z]{24}$/), role: "member" },
  })

  const signedOut = await browser.post("/api/auth/sign-out")
  expect(await signedOut.json()).toEqual({ success: true })
  expect(await (await browser.get("/api/auth/get-session")).json()).toBeNull()

  const signedIn = await browser.post("/api/auth/sign-in/email", {
    email: signUp.email,
    password,
  })
  expect(signedIn.status).toBe(200)

  const session = await browser.get("/api/auth/get-session")
  expect(await session.json()).toMatchObject({
    user: { email: "ada@example.com", name: "Ada", role: "member" },
  })
})

test("a password is stored as salt and derived key, never in plain text", async () => {
  const row = await env.DB.prepare("select password from account").first<{ password: string }>()
  expect(row?.password).toMatch(/^[0-9a-f]{32}:[0-9a-f]{128}$/)
})

test("roles cannot be chosen at sign-up", async () => {
  const browser = createBrowser()
  await browser.post("/api/auth/sign-up/email", {
    ...signUp,
    email: "eve@example.com",
    role: "owner",
  })
  const session = await browser.get("/api/auth/get-session")
  expect(await session.json()).toMatchObject({
    user: { email: "eve@example.com", role: "member" },
  })
})

test("roles are checked by the database too", async () => {
  await expect(env.DB.prepare("update user set role = 'god'").run()).rejects.toThrow("user.role is")
  const inserted = `insert into user (id, email, name, role, created_at, updated_at)
    values ('usr_god', 'god@example.com', 'God', 'god', 0, 0)`
  await expect(env.DB.prepare(inserted).run()).rejects.toThrow("user.role is")
})

test.each(roles)("the database takes the role %s", async (role) => {
  const inserted = `insert into user (id, email, name, role, created_at, updated_at)
    values ('usr_${role}', '${role}@example.com', 'A', '${role}', 0, 0)`
  expect((await env.DB.prepare(inserted).run()).meta.changes).toBe(1)
})

test("a value that is not in its list never reaches the database", async () => {
  const { plan }: { plan: Plan } = JSON.parse('{ "plan": "gold" }')
  const update = async () => createDatabase(env.DB, schema).update(user).set({ plan }).execute()
  await expect(update()).rejects.toThrow('plan is one of free, premium, not "gold"')
})

test("the session cookie is host-only and plain on http", async () => {
  const response = await createBrowser().post("/api/auth/sign-up/email", {
    ...signUp,
    email: "local@example.com",
  })
  expect(response.headers.getSetCookie().map((line) => line.replace(/=[^;]*/, ""))).toEqual([
    "accounts-local-host.session_token; Max-Age=604800; Path=/; HttpOnly; SameSite=Lax",
    "accounts-local-host.session_binding; Max-Age=2592000; Path=/; HttpOnly; SameSite=Lax",
    "accounts-local-host.signed_up; Max-Age=86400; Path=/; HttpOnly; SameSite=Lax",
  ])
})

test("the session cookie is secure and shared under the cookie domain in production", async () => {
  const browser = createBrowser(
    bindProduction({ VERIFY_EMAIL: "false" }),
    "https://app.example.com",
  )
  const response = await browser.post("/api/auth/sign-in/email", {
    email: signUp.email,
    password,
  })
  expect(response.headers.getSetCookie().map((line) => line.replace(/=[^;]*/, ""))).toContain(
    "__Secure-accounts-production.session_token; Max-Age=604800; Domain=example.com; Path=/; HttpOnly; Secure; SameSite=Lax",
  )
})

test("the session cookie is invalid under another secret", async () => {
  const browser = createBrowser()
  await browser.post("/api/auth/sign-in/email", { email: signUp.email, password })
  const other = copyBrowser(
    browser,
    bind({ AUTH_SECRET: "another-secret-of-at-least-32-characters" }),
  )
  expect(await (await other.get("/api/auth/get-session")).json()).toBeNull()
})
