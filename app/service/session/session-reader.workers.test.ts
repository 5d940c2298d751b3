import { env } from "cloudflare:workers"
import { expect, test, vi } from "vitest"

import { servicesOf } from "../../services.ts"
import { bind, copyBrowser, createBrowser } from "../../testing/browser.ts"
import { stopClock } from "../../testing/clock.ts"
import { createCountingDatabase } from "../../testing/counting-database.ts"
import { createFailingDatabase } from "../../testing/failing-database.ts"
import { createPerson, type Person } from "../../testing/person.ts"

const counting = createCountingDatabase(env.DB)
const bound = bind({ DB: counting.database })
const services = servicesOf(bound)
if (services === null) throw new Error("the tests' bindings are misconfigured")
const { auth, sessions } = services
const { getSession, listSessions } = auth.api
if (!getSession || !listSessions) throw new Error("the library has other names now")

const day = 24 * 60 * 60 * 1000
function cookieOf(person: Person) {
  const session = [...person.browser.cookies].find(([name]) => name.endsWith("token"))
  return (session ?? []).join("=")
}

test("the session reader reads a session like the library", async () => {
  const person = await createPerson(bound)
  const headers = new Headers({ cookie: `other=1; ${cookieOf(person)}; more=2` })
  const session = await sessions.read(headers)
  const library = await getSession({ headers })
  expect(library).not.toBeNull()
  expect(session).toEqual({ ...library, due: false })
  // Some clients send cookies decoded.
  const decoded = new Headers({ cookie: decodeURIComponent(cookieOf(person)) })
  expect(await sessions.read(decoded)).toEqual(session)
  expect(await getSession({ headers: decoded })).toEqual(library)
  const response = await person.browser.get("/api/auth/get-session")
  expect(await response.json()).toEqual(JSON.parse(JSON.stringify(library)))
})

test("the session reader leaves a cookie that is missing, forged or signed for another token to the library", async () => {
  const person = await createPerson(bound)
  const cookie = cookieOf(person)
  const [name = "", value = ""] = cookie.split("=", 2)
  const [token = "", signature = ""] = value.split(".")
  const stranger = await createPerson(bound)
  const [otherToken = ""] = (cookieOf(stranger).split("=", 2)[1] ?? "").split(".")
  const forgeries = [
    "",
    `${name}=`,
    `${name}=${token}`,
    `${name}=${token}.`,
    `${name}=${token}.${signature.slice(1)}`,
    `${name}=${otherToken}.${signature}`,
    `${name}=${token}%2E${signature}x`,
    `${name}=${token}.${"A".repeat(43)}%3D`,
    `x${cookie}`,
  ]
  for (const forged of forgeries) {
    const statements = await counting.during(async () => {
      expect([forged, await sessions.read(new Headers({ cookie: forged }))]).toEqual([
        forged,
        undefined,
      ])
      const library = await getSession({ headers: new Headers({ cookie: forged }) })
      expect(library).toBeNull()
    })
    expect(statements).toEqual([])
  }
})

test("the session reader recognizes a session that is due for renewal, expired or revoked", async () => {
  const { browser } = await createPerson(bound)
  const headers = new Headers({
    cookie: [...browser.cookies].map((pair) => pair.join("=")).join("; "),
  })
  expect(await sessions.read(headers)).toMatchObject({ due: false })
  {
    using _ = stopClock()
    vi.setSystemTime(Date.now() + 1.1 * day)
    expect(await sessions.read(headers)).toMatchObject({ due: true })
    vi.setSystemTime(Date.now() + 7 * day)
    expect(await sessions.read(headers)).toBeNull()
  }

  await browser.post("/api/auth/revoke-sessions")
  expect(await sessions.read(headers)).toBeNull()
  const visitor = createBrowser(bound)
  const answer = await visitor.send("GET", "/api/auth/get-session", {
    headers: { cookie: headers.get("cookie") ?? "" },
  })
  expect(await answer.json()).toBeNull()
  expect(answer.headers.getSetCookie().join()).toContain("session_token=; Max-Age=0")
})

test("the session reader lists sessions like the library, in one request to the database", async () => {
  const person = await createPerson(bound)
  await createBrowser(bound).post("/api/auth/sign-in/email", person)
  await createPerson(bound)
  const headers = new Headers({ cookie: cookieOf(person) })
  const library = await listSessions({ headers })
  expect(library).toHaveLength(2)
  const statements = await counting.during(async () => {
    expect(await sessions.list(headers)).toEqual(library)
  })
  expect(statements).toHaveLength(1)
  const response = await person.browser.get("/api/auth/list-sessions")
  const device = { browser: null, system: null }
  const listed: object[] = JSON.parse(JSON.stringify(library))
  expect(await response.json()).toEqual(listed.map((session) => Object.assign(session, { device })))
})

test("a list of sessions leaves expired ones out, and a cookie that changes to the library", async () => {
  const person = await createPerson(bound)
  const headers = new Headers({ cookie: cookieOf(person) })
  await createBrowser(bound).post("/api/auth/sign-in/email", person)
  const end = "update session set expires_at = 1 where user_id = ? and token <> ?"
  const token = sessions.tokenOf(headers)
  await env.DB.prepare(end).bind(person.id, token).run()
  expect(await sessions.list(headers)).toMatchObject([{ token }])
  expect(await sessions.list(new Headers())).toBeUndefined()
  {
    using _ = stopClock()
    vi.setSystemTime(Date.now() + 1.1 * day)
    expect(await sessions.list(headers)).toBeUndefined()
  }
  await env.DB.prepare("delete from session where user_id = ?").bind(person.id).run()
  expect(await sessions.list(headers)).toBeUndefined()
  expect((await person.browser.get("/api/auth/list-sessions")).status).toBe(401)
})

test("a session that cannot be renewed now is answered as it is, and renewed later", async () => {
  const person = await createPerson()
  await env.DB.prepare("update session set expires_at = ? where user_id = ?")
    .bind(Date.now() + 60_000, person.id)
    .run()
  const cut = copyBrowser(
    person.browser,
    bind({ DB: createFailingDatabase(env.DB, /^update "session"/) }),
  )
  const answer = await cut.get("/api/auth/get-session")
  expect([answer.status, await answer.json()]).toMatchObject([200, { user: { id: person.id } }])
  expect(answer.headers.getSetCookie()).toEqual([])
  const renewed = await person.browser.get("/api/auth/get-session")
  expect(renewed.headers.getSetCookie().join()).toContain("session_token=")
})
