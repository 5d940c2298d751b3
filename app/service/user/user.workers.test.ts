import { env } from "cloudflare:workers"
import { expect, test } from "vitest"

import { limits, metrics } from "../../plan/plan.ts"
import { createBrowser } from "../../testing/browser.ts"
import { stopClock } from "../../testing/clock.ts"
import { createPerson } from "../../testing/person.ts"

test("GET /api/v1/whoami returns the signed-in user, or null", async () => {
  const person = await createPerson()
  expect(await person.get("whoami")).toEqual({
    status: 200,
    body: { user: { id: person.id, name: "Ada", role: "member" } },
  })
  const visitor = await createBrowser().get("/api/v1/whoami")
  expect(await visitor.json()).toEqual({ user: null })
})

test("GET /api/v1/getProfile returns the profile of the signed-in user", async () => {
  const person = await createPerson()
  expect(await person.get("getProfile")).toEqual({
    status: 200,
    body: {
      id: person.id,
      email: person.email,
      emailVerified: false,
      name: "Ada",
      image: null,
      role: "member",
      language: null,
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
    },
  })
})

test("GET /api/v1/getProfile requires a session, and a revoked one ends at once", async () => {
  const visitor = await createBrowser().get("/api/v1/getProfile")
  expect(visitor.status).toBe(401)
  expect(await visitor.json()).toEqual({
    defined: true,
    code: "UNAUTHORIZED",
    status: 401,
    message: "Sign in first",
  })
  const person = await createPerson()
  await env.DB.prepare("delete from session where user_id = ?").bind(person.id).run()
  expect((await person.get("getProfile")).status).toBe(401)
})

test("POST /api/v1/updateProfile changes name and image, and keeps fields that are not sent", async () => {
  const person = await createPerson()
  const image = "https://example.com/ada.png"
  await person.post("updateProfile", { image })
  const { status, body } = await person.post("updateProfile", { name: " Ada Lovelace " })
  expect(status).toBe(200)
  expect(body).toMatchObject({ name: "Ada Lovelace", image })
  expect((await person.post("updateProfile", { image: null })).body).toMatchObject({
    image: null,
  })
})

test.each([
  [{ role: "owner" }, "Does not take role"],
  [{ plan: "premium" }, "Does not take plan"],
  [{ name: "" }, "Must not be empty"],
  ...[
    "\u200b",
    "\u200d",
    "\u00ad",
    "\u2060",
    "\u{e0041}",
    "\u180e",
    "\u3164",
    "\u2800",
    "\ufe0f",
    "\u115f",
  ].map((name): [object, string] => [{ name }, "Must not be empty"]),
  [{ image: "javascript:alert(1)" }, "Must be an https URL"],
])("POST /api/v1/updateProfile rejects %j", async (input, message) => {
  const person = await createPerson()
  const { status, body } = await person.post("updateProfile", input)
  expect(status).toBe(400)
  expect(body).toMatchObject({
    code: "BAD_REQUEST",
    data: { issues: [{ message: expect.stringContaining(message) }] },
  })
  expect((await person.get("getProfile")).body).toMatchObject({ role: "member", name: "Ada" })
})

test("POST /api/v1/updateProfile rejects a form, which any page could send", async () => {
  const person = await createPerson()
  const response = await person.browser.send("POST", "/api/v1/updateProfile", {
    headers: { "content-type": "application/x-www-form-urlencoded" },
    body: "name=Mallory",
  })
  expect(response.status).toBe(415)
  const foreign = await person.browser.post(
    "/api/v1/updateProfile",
    { name: "Mallory" },
    { origin: "https://evil.example" },
  )
  expect(foreign.status).toBe(403)
})

test("GET /api/v1/getPlanAndUsage counts the rows created this month", async () => {
  using _ = stopClock()
  const person = await createPerson()
  const period = new Date().toISOString().slice(0, 7)
  for (const [index, metric] of metrics.entries()) {
    await env.DB.prepare("insert into usage (user_id, period, metric, count) values (?, ?, ?, ?)")
      .bind(person.id, period, metric, index + 1)
      .run()
  }
  const { body } = await person.get("getPlanAndUsage")
  expect(body).toEqual({
    plan: "free",
    planUntil: null,
    usage: metrics.map((metric, index) => ({
      metric,
      used: index + 1,
      limit: limits.free[metric],
    })),
    resetsAt: expect.stringMatching(/-01T00:00:00.000Z$/),
  })
})

test("GET /api/v1/getPlanAndUsage reports free once premium has ended", async () => {
  const person = await createPerson()
  const grant = (until: number | null) =>
    env.DB.prepare("update user set plan = 'premium', plan_until = ? where id = ?")
      .bind(until, person.id)
      .run()
  await grant(Date.now() + 60_000)
  expect((await person.get("getPlanAndUsage")).body).toMatchObject({
    plan: "premium",
    usage: metrics.map((metric) => ({ limit: limits.premium[metric] })),
  })
  await grant(Date.now() - 1)
  expect((await person.get("getPlanAndUsage")).body).toMatchObject({ plan: "free" })
  // Everywhere else too.
  const auth = async (response: Promise<Response>) => (await response).json()
  const free = { user: { plan: "free", planUntil: null } }
  expect(await auth(person.browser.get("/api/auth/get-session"))).toMatchObject(free)
  expect(await auth(person.browser.get("/api/auth/get-session?x=1"))).toMatchObject(free)
  const signedIn = person.browser.post("/api/auth/sign-in/email", person)
  expect(await auth(signedIn)).toMatchObject(free)
  const admin = await createPerson(undefined, "admin")
  const { body } = await admin.get("listUsers")
  expect(JSON.stringify(body)).not.toContain('"premium"')
})

test("two changes of a profile at once are both kept", async () => {
  const person = await createPerson()
  const image = "https://example.com/new.png"
  for (let round = 0; round < 5; round += 1) {
    await person.post("updateProfile", { name: "Before", image: null })
    await Promise.all([
      person.post("updateProfile", { name: "After" }),
      person.post("updateProfile", { image }),
    ])
    expect((await person.get("getProfile")).body).toMatchObject({ name: "After", image })
  }
})
