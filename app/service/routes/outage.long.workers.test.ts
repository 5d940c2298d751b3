import { env } from "cloudflare:workers"
import { expect, test, vi } from "vitest"

import { router } from "../../router.ts"
import { bind, type Browser, copyBrowser, createBrowser, webUrl } from "../../testing/browser.ts"
import { createCountingDatabase } from "../../testing/counting-database.ts"
import { databaseErrors } from "../../testing/database-errors.ts"
import { createFailingDatabase } from "../../testing/failing-database.ts"
import { openMailbox } from "../../testing/mailbox.ts"
import { createProvenPerson } from "../../testing/passkey-person.ts"
import { createPerson, password } from "../../testing/person.ts"
import { visitProvider } from "../../testing/provider-visit.ts"
import { offeredPaths } from "./endpoints.ts"

const mail = {
  EMAIL_CODE: "on",
  MAIL_URL: "https://mail.example/send",
}

/** The same browser at a service whose database does not answer. */
function withoutDatabase(browser: Browser, refused = /./) {
  return atDatabase(browser, createFailingDatabase(env.DB, refused))
}

function atDatabase(browser: Browser, DB: D1Database) {
  return copyBrowser(browser, bind({ ...mail, DB }))
}

const bodies: Record<string, object> = {
  "/revoke-session": { token: "x" },
  "/set-password": { newPassword: "another long password" },
  "/change-password": { currentPassword: password, newPassword: "another long password" },
  "/unlink-account": { providerId: "idp" },
  "/delete-user": { password },
  "/step-up": { password },
  "/passkey/begin": { for: "add" },
  "/passkey/add": {
    name: "Key",
    passkey: {
      id: "aaaa",
      rawId: "aaaa",
      type: "public-key",
      response: { clientDataJSON: "aaaa", attestationObject: "aaaa" },
    },
  },
  "/link-social": { provider: "idp" },
  "/reset-password": { token: "x", newPassword: "another long password" },
}

/** Routes that ask the database nothing without a token of theirs, or answer by a page. */
const without = new Set([
  "/sign-in/passkey",
  "/sign-in/code",
  "/sign-in/second-factor",
  "/sign-in/:provider",
  "/callback/:id",
  "/verify-email",
  "/verify-email-with-password",
])

const auth = offeredPaths
  .filter(({ path }) => !without.has(path))
  .map(
    ({ path, methods: [method = "POST"] = [] }) =>
      [method, `/api/auth${path.replace(":token", "x")}`, path] as const,
  )

/** Settings come from the version, not from the database. */
const typed = Object.entries(router)
  .filter(([name]) => name !== "settings")
  .map(([name, procedure]) => {
    const { method = "POST" } = procedure["~orpc"].route
    return [method, `/api/v1/${name}`] as const
  })

test.each([
  ["fails", () => Promise.reject(new Error("D1_ERROR: Network connection lost."))],
  ["hangs", () => new Promise<never>(() => {})],
])(
  "A11: while the database %s, every route returns 503 and leaves the cookies",
  async (_, beforeSending) => {
    const { browser, email } = await createPerson()
    const { database } = createCountingDatabase(env.DB, beforeSending)
    const cut = atDatabase(browser, database)
    const before = new Map(cut.cookies)
    const page = `callbackURL=${encodeURIComponent("http://localhost:3000/x")}`
    const calls = [...auth, ...typed.map(([method, path]) => [method, path, path] as const)]
    const answers = await Promise.all(
      calls.map(async ([method, path, declared]) => {
        const body = bodies[declared] ?? { name: "Ada", email, password }
        const query = declared === path ? "id=x" : page
        const response = await (method === "GET"
          ? cut.get(`${path}?${query}`)
          : cut.post(path, body))
        const { status, headers } = response
        return {
          path,
          status,
          headers: Object.fromEntries(headers),
          cookies: headers.getSetCookie(),
        }
      }),
    )
    // A procedure that asks for its caller together with its answer checks its input first.
    const served = answers.filter(({ status }) => status !== 400)
    const headers = { "retry-after": "5", "access-control-allow-origin": webUrl }
    const outage = { status: 503, headers, cookies: [] }
    expect(served).toMatchObject(served.map(({ path }) => Object.assign({ path }, outage)))
    expect(served.length).toBeGreaterThan(auth.length + 20)
    expect(cut.cookies).toEqual(before)
  },
)

test("A11: a sign-out that the database did not hear of leaves the browser signed in", async () => {
  const { browser } = await createPerson()
  const cut = withoutDatabase(browser, /delete from "session"/)
  expect((await cut.post("/api/auth/sign-out")).status).toBe(503)
  expect(cut.cookies).toEqual(browser.cookies)
  expect(await (await browser.get("/api/auth/get-session")).json()).not.toBeNull()
  expect((await browser.post("/api/auth/sign-out")).status).toBe(200)
})

test("a health check of the schema answers 503 when the database does not", async () => {
  const answer = await withoutDatabase(createBrowser()).get("/api/health?schema=1")
  expect([answer.status, await answer.json()]).toMatchObject([503, { code: "UNAVAILABLE" }])
})

test("an emailed link works again when the database does", async () => {
  const mailbox = openMailbox()
  const { browser, email } = await createPerson(bind(mail))
  const link = await mailbox.linkOf(email, "Verify your email address")
  const cut = await withoutDatabase(browser).open(link)
  expect([cut.status, await cut.json()]).toMatchObject([503, { code: "UNAVAILABLE" }])
  expect((await browser.open(link)).headers.get("location")).toBe("http://localhost:3000")
})

test("a sign-in with a provider keeps its cookie for another try when the database does not answer", async () => {
  const refused = /insert into "session"/
  const visit = await visitProvider({ changes: { DB: createFailingDatabase(env.DB, refused) } })
  const query = visit.provider.authorize(await visit.start())
  const before = new Map(visit.browser.cookies)
  expect(await visit.finish(query)).toContain("error=unavailable")
  expect(visit.browser.cookies).toEqual(before)
})

test("a question of the background that fails at once leaves the answer of its request as it is", async () => {
  const { database: DB } = createCountingDatabase(env.DB, async (sql) => {
    if (sql.includes('"letter_due" is not null')) throw new Error("D1_ERROR: of no kind to retry")
  })
  const visit = await visitProvider({ changes: { ...mail, DB } })
  const person = await createProvenPerson(visit.bound)
  visit.provider.forge({ claims: { sub: person.id, email: person.email } })
  expect(await visit.finish(visit.provider.authorize(await visit.start()))).toBe(webUrl)
  expect(await visit.session()).toMatchObject({ user: { id: person.id } })
})

test("the log says why the database did not answer, also where the library says nothing", async () => {
  const spy = vi.spyOn(console, "error").mockImplementation(() => {})
  const { browser } = await createPerson()
  await withoutDatabase(browser).get("/api/auth/list-accounts")
  const lines = spy.mock.calls.map(([line]) => String(line))
  spy.mockRestore()
  expect(lines.join("\n")).toContain(
    '"event":"database.failed","reason":"D1_ERROR: Network connection lost."',
  )
})

test("the log keeps no whole page that came in place of D1's answer", async () => {
  const spy = vi.spyOn(console, "error").mockImplementation(() => {})
  const { browser } = await createPerson()
  const { database } = createCountingDatabase(env.DB, async () => {
    throw new Error(`D1_ERROR: Failed to parse body as JSON, got: <html>${"x".repeat(9000)}`)
  })
  await atDatabase(browser, database).get("/api/auth/get-session")
  const lines = spy.mock.calls.map(([line]) => String(line))
  spy.mockRestore()
  const failed = lines.find((line) => line.includes("database.failed")) ?? ""
  expect(failed).toContain("Failed to parse body as JSON, got: <html>xxx")
  expect(failed.length).toBeLessThan(500)
})

/** A database that fails the first statements which a pattern matches. */
function createUnsteadyDatabase(matches: RegExp, error: string, times: number) {
  const statements: string[] = []
  const { database } = createCountingDatabase(env.DB, async (sql) => {
    if (!matches.test(sql)) return
    statements.push(sql)
    if (statements.length <= times) throw new Error(`D1_ERROR: ${error}`)
  })
  return { database, sent: statements }
}

const lost = "Network connection lost."

test.each<[string, number, number, number]>([
  ...Object.entries(databaseErrors).map<[string, number, number, number]>(([text, advice]) =>
    advice === "retry" ? [text, 1, 200, 2] : [text, 1, 503, 1],
  ),
  [lost, 2, 200, 3],
  [lost, 3, 503, 3],
  ["an undocumented error", 1, 503, 1],
  ["Exceeded maximum DB size", 1, 503, 1],
])(
  "a read that fails with %j %i times: status %i, asked %i times",
  async (text, times, ...expected) => {
    const { browser } = await createPerson()
    const { database, sent } = createUnsteadyDatabase(/from "session"/, text, times)
    const answer = await atDatabase(browser, database).get("/api/auth/get-session")
    expect([answer.status, sent.length]).toEqual(expected)
  },
)

test("a write that fails is sent once, as it may have taken effect", async () => {
  const { email } = await createPerson()
  const { database, sent } = createUnsteadyDatabase(
    /insert into "session"/,
    "Network connection lost.",
    1,
  )
  const signIn = atDatabase(createBrowser(), database).post("/api/auth/sign-in/email", {
    email,
    password,
  })
  expect([(await signIn).status, sent.length]).toEqual([503, 1])
})
