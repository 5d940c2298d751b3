import { env } from "cloudflare:workers"
import { expect, test, vi } from "vitest"

import { bind, createBrowser } from "../testing/browser.ts"
import { stopClock } from "../testing/clock.ts"

const password = "a good long password"
let people = 0

async function signUp() {
  const account = { name: "Ada", email: `person-${(people += 1)}@example.com`, password }
  const browser = createBrowser()
  await browser.post("/api/auth/sign-up/email", account)
  return { account, browser }
}

async function signIn(account: { email: string; password: string }) {
  const browser = createBrowser()
  const response = await browser.post("/api/auth/sign-in/email", account)
  return { browser, response }
}

async function session(browser: ReturnType<typeof createBrowser>) {
  return (await browser.get("/api/auth/get-session")).json<{ session: { token: string } } | null>()
}

test("sessions are listed for their owner alone, and each can be revoked", async () => {
  const { account, browser } = await signUp()
  const { browser: other } = await signIn(account)
  const { browser: stranger } = await signUp()

  const listed = await browser.get("/api/auth/list-sessions")
  const sessions = await listed.json<{ token: string }[]>()
  expect(sessions).toHaveLength(2)
  expect(await (await stranger.get("/api/auth/list-sessions")).json()).toHaveLength(1)

  const token = (await session(other))?.session.token
  await stranger.post("/api/auth/revoke-session", { token })
  expect(await session(other)).not.toBeNull()
  await browser.post("/api/auth/revoke-session", { token })
  expect(await session(other)).toBeNull()
  expect(await session(browser)).not.toBeNull()
})

test("sessions can all be revoked, with or without the current one", async () => {
  const { account, browser } = await signUp()
  const { browser: second } = await signIn(account)
  const { browser: third } = await signIn(account)
  await second.post("/api/auth/revoke-other-sessions")
  expect([await session(browser), await session(third)]).toEqual([null, null])
  expect(await session(second)).not.toBeNull()
  await second.post("/api/auth/revoke-sessions")
  expect(await session(second)).toBeNull()
})

test("sessions are listed only for a signed-in user", async () => {
  expect((await createBrowser().get("/api/auth/list-sessions")).status).toBe(401)
})

test("a session is renewed once a day, row and cookie together, and ends after a week without use", async () => {
  using _ = stopClock()
  const { account, browser } = await signUp()
  const expiry = () =>
    env.DB.prepare("select expires_at from session join user on user.id = user_id where email = ?")
      .bind(account.email)
      .first<number>("expires_at")
  const day = 24 * 60 * 60 * 1000
  const first = await expiry()

  vi.setSystemTime(Date.now() + day / 2)
  expect((await browser.get("/api/auth/get-session")).headers.getSetCookie()).toEqual([])
  expect(await expiry()).toBe(first)

  vi.setSystemTime(Date.now() + day)
  const refreshed = await browser.get("/api/auth/get-session")
  expect(refreshed.headers.getSetCookie()).toEqual([
    expect.stringMatching(/session_token=.*Max-Age=604800/),
  ])
  expect(await expiry()).toBe(Date.now() + 7 * day)

  vi.setSystemTime(Date.now() + 7 * day + 1000)
  expect(await session(browser)).toBeNull()
})

test("POST /api/auth/change-password requires the current password, and revokes other sessions on request", async () => {
  const { account, browser } = await signUp()
  const { browser: other } = await signIn(account)
  const wrong = { currentPassword: "not it at all", newPassword: "another password" }
  const refused = await browser.post("/api/auth/change-password", wrong)
  expect(refused.status).toBe(400)
  expect(await refused.json()).toMatchObject({ code: "INVALID_PASSWORD" })

  const right = { currentPassword: password, newPassword: "another password" }
  const changed = await browser.post("/api/auth/change-password", {
    ...right,
    revokeOtherSessions: true,
  })
  expect(changed.status).toBe(200)
  expect(await session(browser)).not.toBeNull()
  expect(await session(other)).toBeNull()
  expect((await signIn(account)).response.status).toBe(401)
  expect((await signIn({ ...account, password: "another password" })).response.status).toBe(200)
})

test("POST /api/auth/delete-user requires the password and deletes the account with all its data", async () => {
  const { account, browser } = await signUp()
  const refused = await browser.post("/api/auth/delete-user", { password: "not it at all" })
  expect(refused.status).toBe(400)
  const deleted = await browser.post("/api/auth/delete-user", { password })
  expect(deleted.status).toBe(200)
  expect(await session(browser)).toBeNull()
  expect((await signIn(account)).response.status).toBe(401)
  const left = await env.DB.prepare(
    "select count(*) as n from account where user_id not in (select id from user)",
  ).first("n")
  expect(left).toBe(0)
})

async function refusal(changes: Record<string, unknown>) {
  const body = { name: "Ada", email: "new@example.com", password, ...changes }
  const response = await createBrowser(bind()).post("/api/auth/sign-up/email", body)
  const { code } = await response.json<{ code: string }>()
  return `${response.status} ${code}`
}

test("POST /api/auth/sign-up/email rejects fields that are too short, too long or malformed", async () => {
  expect(await refusal({ name: "" })).toBe("400 INVALID_NAME")
  expect(await refusal({ name: "x".repeat(101) })).toBe("400 INVALID_NAME")
  expect(await refusal({ email: "nonsense" })).toBe("400 VALIDATION_ERROR")
  expect(await refusal({ image: "data:text/html,x" })).toBe("400 INVALID_IMAGE")
  expect(await refusal({ password: "short" })).toBe("400 PASSWORD_TOO_SHORT")
  expect(await refusal({ password: "x".repeat(129) })).toBe("400 PASSWORD_TOO_LONG")
})

test("POST /api/auth/sign-up/email registers an address once, whatever its case, even in parallel", async () => {
  const body = { name: "Ada", email: "Parallel@Example.com", password }
  const responses = await Promise.all(
    ["Parallel@Example.com", "parallel@example.com", "PARALLEL@EXAMPLE.COM"].map((email) =>
      createBrowser().post("/api/auth/sign-up/email", { ...body, email }),
    ),
  )
  const statuses = responses.map(({ status }) => String(status))
  expect(statuses.toSorted()).toEqual(["200", "422", "422"])
})
