import { env } from "cloudflare:workers"
import { expect, test } from "vitest"

import routes from "../../../../docs/routes.json"
import { createApp } from "../../../testing/authenticator-app.ts"
import { createAuthenticator } from "../../../testing/authenticator.ts"
import { bind, copyBrowser, createBrowser } from "../../../testing/browser.ts"
import { begin, createFactorPerson, finish, turnOn } from "../../../testing/factor-person.ts"
import { createFailingDatabase } from "../../../testing/failing-database.ts"
import {
  add,
  createPasskeyPerson,
  createProvenPerson,
  enter,
  stepUp,
} from "../../../testing/passkey-person.ts"
import { createPerson, type Person } from "../../../testing/person.ts"
import { readConfiguration } from "../../platform/configuration/configuration.ts"
import type { Env } from "../../platform/configuration/env.ts"
import type { Role } from "../../platform/database/auth.table.ts"

const everybody = bind({ REQUIRE_SECOND_FACTOR: "everybody" })
const missing = "SECOND_FACTOR_MISSING"

/** The same browser, where the environment asks for more. */
function at(bound: Env, { browser }: Pick<Person, "browser">) {
  const caller = copyBrowser(browser, bound)
  return {
    browser: caller,
    get: async (path: string) => {
      const response = await caller.get(`/api/v1/${path}`)
      return { status: response.status, body: await response.json<Record<string, unknown>>() }
    },
    post: (path: string, body: unknown) => caller.call(`/api/v1/${path}`, body),
  }
}

function setRole(id: string, role: Role) {
  return env.DB.prepare("update user set role = ? where id = ?").bind(role, id).run()
}

/** Returns the methods that a route names when it refuses for a missing factor, otherwise undefined. */
async function heldAt(bound: Env, person: Pick<Person, "browser">, route: string) {
  const [method = "", path = ""] = route.split(" ")
  const { browser } = at(bound, person)
  const answer = await browser.send(method, path.replace(/\{\w+\}/, "idp"), {
    ...(method === "POST" && {
      body: "{}",
      headers: { "content-type": "application/json" },
    }),
  })
  const body: unknown = await answer.json().catch(() => null)
  return Object(body)["code"] === missing ? Object(body)["data"]["ways"] : undefined
}

/** Creates a member with a passkey who is signed in by only the password. */
async function createHalfShown() {
  const person = await createPasskeyPerson()
  const browser = createBrowser()
  await begin(browser, person)
  return { ...person, browser }
}

/** Routes for members that work before a required factor is turned on or shown. */
const always = [
  "POST /api/auth/sign-out",
  "POST /api/auth/step-up",
  "POST /api/auth/step-up/begin",
  "POST /api/auth/passkey/begin",
]
const forEnrolment = [
  "POST /api/auth/passkey/add",
  "POST /api/v1/beginTotp",
  "POST /api/v1/confirmTotp",
  "GET /api/v1/listWays",
]

async function census() {
  const tables = ["user", "session", "account", "passkey", "second_factor", "audit_entry"]
  const rowsByTable = await env.DB.batch(
    tables.map((table) => env.DB.prepare(`select * from ${table}`)),
  )
  return rowsByTable.map(({ results }) => results)
}

test.each([
  ["has none", createProvenPerson, [], [...always, ...forEnrolment]],
  ["has a passkey", createHalfShown, ["passkey"], always],
])(
  "every route for members refuses a session that has shown no factor, whose owner %s",
  async (_title, create, ways, allowed) => {
    const person = await create()
    await setRole(person.id, "owner")
    const heldRoutes: string[] = []
    const answers: unknown[] = []
    const before = await census()
    for (const [route, { who }] of Object.entries(routes)) {
      if (who === "anybody" || allowed.includes(route)) continue
      const answer = await heldAt(everybody, person, route)
      heldRoutes.push(route)
      answers.push([route, answer])
    }
    expect(answers).toEqual(heldRoutes.map((route) => [route, ways]))
    expect(heldRoutes.length).toBeGreaterThan(40)
    expect(await census()).toEqual(before)
    for (const [route, { who }] of Object.entries(routes)) {
      const isOpen = who === "anybody" || allowed.includes(route)
      const isEnding = route === "POST /api/auth/sign-out"
      if (!isOpen || isEnding) continue
      expect([route, await heldAt(everybody, person, route)]).toEqual([route, undefined])
    }
  },
)

test("a member without a required factor is limited until they turn one on, and can read who they are", async () => {
  const person = await createPerson(everybody)
  const response = await person.browser.get("/api/auth/get-session")
  expect(await response.json()).toMatchObject({
    session: { factor: null },
    user: { id: person.id },
  })
  expect((await person.get("whoami")).body).toMatchObject({ user: { id: person.id } })
  expect(await person.get("getProfile")).toMatchObject({
    status: 403,
    body: { code: missing, data: { ways: [] } },
  })
  // A proven address comes first.
  expect((await person.post("beginTotp", {})).body).toMatchObject({ code: "EMAIL_NOT_VERIFIED" })
  await env.DB.prepare("update user set email_verified = 1, unproven_since = null where id = ?")
    .bind(person.id)
    .run()
  const { app } = await turnOn(person)
  expect((await person.get("getProfile")).status).toBe(200)

  const elsewhere = createBrowser(everybody)
  await begin(elsewhere, person)
  expect(await finish(elsewhere, { code: app.code() })).toMatchObject({ status: 200 })
  expect((await elsewhere.get("/api/v1/getProfile")).status).toBe(200)
  const provenPerson = await createProvenPerson(everybody)
  expect((await provenPerson.browser.post("/api/auth/sign-out")).status).toBe(200)
})

test("a passkey is a factor: a sign-in by it is held by nothing, one by the password until it is shown", async () => {
  const { key, ...person } = await createHalfShown()
  const direct = createBrowser(everybody)
  await enter(direct, key)
  expect((await direct.get("/api/v1/getProfile")).status).toBe(200)
  const caller = at(everybody, person)
  expect((await caller.get("getProfile")).body).toMatchObject({ data: { ways: ["passkey"] } })
  expect(await stepUp(caller.browser, key)).toMatchObject({ status: 200 })
  expect((await caller.get("getProfile")).status).toBe(200)
})

test("a thief who knows the password of an account with a passkey cannot add a factor", async () => {
  const person = await createPasskeyPerson()
  const thief = createBrowser(everybody)
  expect((await begin(thief, person)).status).toBe(200)
  const stolen = at(everybody, { browser: thief })
  expect((await stolen.post("beginTotp", {})).body).toMatchObject({ code: missing })
  expect(await add(stolen.browser, await createAuthenticator())).toMatchObject({ status: 403 })
  await stolen.browser.post("/api/auth/step-up", { password: person.password })
  // An enrolment from an environment without the requirement cannot be confirmed here.
  const elsewhere = at(bind(), { browser: thief })
  expect((await elsewhere.post("beginTotp", {})).body).toMatchObject({ code: "STEP_UP_REQUIRED" })
  const { uri, enrolment } = (await person.post("beginTotp", {})).body
  const code = createApp(String(uri)).code()
  expect((await stolen.post("confirmTotp", { enrolment, code })).body).toMatchObject({
    code: missing,
  })
  const rows = "select count(*) as n from second_factor where user_id = ?"
  expect(await env.DB.prepare(rows).bind(person.id).first()).toEqual({ n: 0 })
})

test.each(["none", "owners", "admins", "everybody"] as const)(
  "requireSecondFactor: %s holds whom it says, and a new role counts at once",
  async (whose) => {
    const bound = bind({ REQUIRE_SECOND_FACTOR: whose })
    const person = await createProvenPerson()
    const heldRoles: string[] = []
    for (const role of ["member", "admin", "owner"] as const) {
      await setRole(person.id, role)
      const { body } = await at(bound, person).get("getProfile")
      if (body["code"] === missing) heldRoles.push(role)
    }
    const whom = { none: 0, owners: 1, admins: 2, everybody: 3 }[whose]
    expect(heldRoles).toEqual(["member", "admin", "owner"].slice(3 - whom))
    const { body } = await at(bound, person).get("settings")
    expect(body["requireSecondFactor"]).toBe(whose)
  },
)

test("a trusted browser is enough for a member, and for an admin after the factor was used", async () => {
  const { app, recoveryCodes, ...person } = await createFactorPerson()
  const browser = createBrowser(everybody)
  await begin(browser, person)
  await finish(browser, { recoveryCode: recoveryCodes[0], trustBrowser: true })
  expect((await begin(browser, person)).status).toBe(200)
  const caller = at(everybody, { browser })
  expect((await caller.get("getProfile")).status).toBe(200)
  await setRole(person.id, "admin")
  expect((await caller.get("listUsers")).body).toMatchObject({
    code: missing,
    data: { ways: ["totp", "recovery"] },
  })
  await caller.browser.post("/api/auth/step-up", { code: app.code() })
  expect((await caller.get("listUsers")).status).toBe(200)
})

test("the only factor of who must have one stays, also for two requests at once; another app takes its place", async () => {
  const person = await createFactorPerson(everybody)
  const off = await person.post("turnOffSecondFactor", {})
  expect(off).toMatchObject({ status: 409, body: { code: "SECOND_FACTOR_MANDATORY" } })
  await turnOn(person)
  expect((await person.get("getProfile")).status).toBe(200)

  const { key, ...owner } = await createPasskeyPerson()
  const caller = at(everybody, owner)
  await stepUp(caller.browser, key)
  await add(caller.browser, await createAuthenticator())
  const { passkeys } = (await caller.get("listWays")).body
  const ids = Object(passkeys).map(({ id }: { id: string }) => id)
  expect(ids).toHaveLength(2)
  const removed = await Promise.all(
    ids.map((passkeyId: string) => caller.post("removePasskey", { passkeyId })),
  )
  const outcomes = removed.map(({ status, body }) => `${status} ${body["code"]}`)
  expect(outcomes.toSorted((a, b) => a.localeCompare(b))).toEqual([
    "200 undefined",
    "409 SECOND_FACTOR_MANDATORY",
  ])
})

test("while the database does not say what a session has shown, nothing is answered", async () => {
  const person = await createProvenPerson()
  const DB = createFailingDatabase(env.DB, /"session"."factor" from "session" inner join "user"/)
  const broken = at({ ...everybody, DB }, person)
  expect((await broken.get("getProfile")).status).toBeGreaterThanOrEqual(500)
  const listed = await broken.browser.get("/api/auth/list-sessions")
  expect(listed.status).toBeGreaterThanOrEqual(500)
  expect((await at(everybody, person).get("getProfile")).status).toBe(403)
})

test("a release's own member needs no factor; an environment that requires one which cannot be turned on does not start", async () => {
  const person = await createProvenPerson()
  await env.DB.prepare("update user set email = ? where id = ?")
    .bind(`smoke-1-${person.id.slice(-8).toLowerCase()}@accounts.invalid`, person.id)
    .run()
  expect((await at(everybody, person).get("getProfile")).status).toBe(200)
  await setRole(person.id, "admin")
  expect((await at(everybody, person).get("getProfile")).status).toBe(403)
  for (const change of [{ FACTOR_SECRET: undefined }, { SECOND_FACTOR: "off" }]) {
    const reading = readConfiguration({ ...everybody, ...change })
    expect(reading).toEqual({
      problems: [expect.stringContaining("REQUIRE_SECOND_FACTOR: no member can turn one on")],
    })
  }
})
