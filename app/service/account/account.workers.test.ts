import { env } from "cloudflare:workers"
import { expect, test, vi } from "vitest"

import { bind, type Browser, createBrowser, webUrl } from "../../testing/browser.ts"
import { stopClock } from "../../testing/clock.ts"
import { createCountingDatabase } from "../../testing/counting-database.ts"
import { mail, openMailbox } from "../../testing/mailbox.ts"
import { createPerson } from "../../testing/person.ts"

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

async function session(browser: Browser) {
  return (await browser.get("/api/auth/get-session")).json<{ session: { token: string } } | null>()
}

test("sessions are listed for their owner alone, and each can be revoked", async () => {
  const { account, browser } = await signUp()
  const { browser: phone } = await signIn(account)
  const { browser: stranger } = await signUp()

  const listed = await browser.get("/api/auth/list-sessions")
  const sessions = await listed.json<{ token: string }[]>()
  expect(sessions).toHaveLength(2)
  expect(await (await stranger.get("/api/auth/list-sessions")).json()).toHaveLength(1)

  const token = (await session(phone))?.session.token
  await stranger.post("/api/auth/revoke-session", { token })
  expect(await session(phone)).not.toBeNull()
  await browser.post("/api/auth/revoke-session", { token })
  expect(await session(phone)).toBeNull()
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

async function refusal(changes: Record<string, unknown>) {
  const body = { name: "Ada", email: "new@example.com", password, ...changes }
  const response = await createBrowser(bind()).post("/api/auth/sign-up/email", body)
  const { data } = await response.json<{ data?: { issues: { path: string[] }[] } }>()
  return [response.status, ...(data?.issues ?? []).map(({ path }) => path.join("."))].join(" ")
}

test("POST /api/auth/sign-up/email rejects fields that are too short, too long or malformed", async () => {
  expect(await refusal({ image: "data:text/html,x" })).toBe("400 image")
  expect(await refusal({ image: "http://example.com/a.png" })).toBe("400 image")
  // Characters, not what UTF-16 makes of them.
  expect(await refusal({ password: "💥".repeat(7) })).toBe("400 password")
  expect(await refusal({ password: "💥".repeat(128) })).toBe("200")
  // All at once, in the order of the form.
  expect(await refusal({ name: 7, email: "", password: "" })).toBe("400 name email password")
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

/** A database on which something else happens just before a statement is sent, once. */
function interrupted(statement: string) {
  let interrupt = () => Promise.resolve<unknown>(undefined)
  const { database } = createCountingDatabase(env.DB, async (sql) => {
    if (!sql.includes(statement)) return
    const action = interrupt
    interrupt = () => Promise.resolve()
    await action()
  })
  return { database, by: (action: () => Promise<unknown>) => (interrupt = action) }
}

test.each([
  ["/api/auth/sign-in/email", 'insert into "session"', 401, "INVALID_EMAIL_OR_PASSWORD"],
  ["/api/auth/change-password", 'update "account"', 401, "UNAUTHORIZED"],
])(
  "what an old password has begun does not outlive a reset that comes meanwhile: %s",
  async (path, statement, status, code) => {
    const { database, by } = interrupted(statement)
    const person = await createPerson(bind({ DB: database }))
    const reset = [
      "update account set password = 'chosen by the owner' where user_id = ?",
      "delete from session where user_id = ?",
    ].map((sql) => env.DB.prepare(sql).bind(person.id))
    by(() => env.DB.batch(reset))
    const body = { email: person.email, password, currentPassword: password }
    const changes = { newPassword: "chosen by a thief", revokeOtherSessions: true }
    const response = await person.browser.post(path, { ...body, ...changes })
    expect([response.status, await response.json()]).toMatchObject([status, { code }])
    expect(response.headers.getSetCookie()).toEqual([])
    const rows = await env.DB.prepare(
      `select password, (select count(*) from session where user_id = a.user_id) as sessions,
       (select count(*) from audit_entry where subject_id = a.user_id and action in ('sign_in', 'change_password')) as entries
       from account a where user_id = ?`,
    )
      .bind(person.id)
      .first()
    expect(rows).toEqual({ password: "chosen by the owner", sessions: 0, entries: 0 })
  },
)

test("a reset of an account that is deleted meanwhile is refused", async () => {
  const mailbox = openMailbox()
  const { database, by } = interrupted('insert into "account"')
  const bound = bind({ DB: database, ...mail })
  const { email, id, browser } = await createPerson(bound)
  await browser.post("/api/auth/request-password-reset", { email })
  const link = new URL(await mailbox.linkOf(email, "Reset your password"))
  by(() => env.DB.prepare("delete from user where id = ?").bind(id).run())
  const change = { token: link.searchParams.get("token"), newPassword: "another password" }
  expect(await createBrowser(bound).call("/api/auth/reset-password", change)).toMatchObject({
    status: 400,
    body: { code: "INVALID_TOKEN" },
  })
})

test("sign-in leads to the page it was given, and forgets the session with the browser on request", async () => {
  const person = await createPerson()
  const callbackURL = `${webUrl}/welcome`
  const credentials = { email: person.email.toUpperCase(), password }
  const browser = createBrowser()
  const response = await browser.post(
    "/api/auth/sign-in/email",
    { ...credentials, callbackURL, rememberMe: false },
    { "cf-connecting-ip": "203.0.113.7", "user-agent": "a browser" },
  )
  const answer = await response.json<{ token: string }>()
  expect(answer).toMatchObject({ redirect: true, url: callbackURL, user: { id: person.id } })
  expect(JSON.stringify(answer)).not.toContain("hash")
  const line = response.headers.getSetCookie().find((cookie) => cookie.includes("session_token"))
  expect(line).not.toMatch(/max-age|expires/i)
  const stored = await env.DB.prepare("select * from session where token = ?")
    .bind(answer.token)
    .first<{ expires_at: number; created_at: number }>()
  expect(stored).toMatchObject({ ip_address: "203.0.113.7", user_agent: "a browser" })
  expect((stored?.expires_at ?? 0) - (stored?.created_at ?? 0)).toBe(24 * 60 * 60 * 1000)
  const invalid = await browser.post("/api/auth/sign-in/email", { email: "ada", password })
  expect(await invalid.json()).toMatchObject({ code: "BAD_REQUEST" })
  // A member who only uses a provider has no password.
  await env.DB.prepare("update account set password = null where user_id = ?").bind(person.id).run()
  expect((await browser.post("/api/auth/sign-in/email", credentials)).status).toBe(401)
})
