import { env } from "cloudflare:workers"
import { expect, test, vi } from "vitest"

import { createApp } from "../../../testing/authenticator-app.ts"
import { bind, createBrowser } from "../../../testing/browser.ts"
import { stopClock } from "../../../testing/clock.ts"
import { begin, createFactorPerson, finish, later, turnOn } from "../../../testing/factor-person.ts"
import { createInterruptedDatabase } from "../../../testing/interrupted-database.ts"
import { createPasskeyPerson, createProvenPerson } from "../../../testing/passkey-person.ts"
import { createPerson, password } from "../../../testing/person.ts"
import { shownSecret, stepOf } from "./totp.ts"

const bound = bind({ LIMIT_ADDRESS: undefined, LIMIT_EMAIL: undefined })

test("an app's codes are those of RFC 6238, of this half minute, the one before and the one after", async () => {
  using _ = stopClock()
  // Appendix B, with the last six of its eight digits.
  const vectors = [
    [59, "287082"],
    [1_111_111_109, "081804"],
    [1_111_111_111, "050471"],
    [1_234_567_890, "005924"],
    [2_000_000_000, "279037"],
    [20_000_000_000, "353130"],
  ] as const
  for (const [seconds, code] of vectors) {
    for (const [late, isTaken] of [
      [-60, false],
      [-30, true],
      [0, true],
      [30, true],
      [60, false],
    ] as const) {
      vi.setSystemTime((seconds + late) * 1000)
      const step = await stepOf("12345678901234567890", code)
      expect(step).toBe(isTaken ? Math.floor(seconds / 30) : undefined)
    }
  }
})

test("a member turns on a second factor, and each sign-in asks for a code from then on", async () => {
  const person = await createProvenPerson(bound)
  const elsewhere = createBrowser(bound)
  expect((await begin(elsewhere, person)).status).toBe(200)
  const { app, recoveryCodes } = await turnOn(person)
  expect(new Set(recoveryCodes).size).toBe(10)
  expect(recoveryCodes[0]).toMatch(/^[a-z2-7]{4}(-[a-z2-7]{4}){3}$/)
  // The session goes on that did it, and no other.
  expect((await person.get("getProfile")).status).toBe(200)
  expect((await elsewhere.get("/api/v1/getProfile")).status).toBe(401)

  const browser = createBrowser(bound)
  const halfway = await begin(browser, person)
  expect(halfway).toMatchObject({
    status: 403,
    body: { code: "SECOND_FACTOR_REQUIRED", data: { ways: ["totp", "recovery"] } },
  })
  expect((await browser.get("/api/v1/getProfile")).status).toBe(401)
  expect(
    await finish(browser, { code: app.code() === "000000" ? "000001" : "000000" }),
  ).toMatchObject({
    status: 400,
    body: { code: "INVALID_CODE" },
  })
  expect(await finish(browser, { code: app.code() })).toMatchObject({
    status: 200,
    body: { user: { id: person.id } },
  })
  expect((await browser.get("/api/v1/getProfile")).status).toBe(200)
  const session = await (await browser.get("/api/auth/get-session")).json<{ session: object }>()
  expect(session.session).toMatchObject({ factor: "totp" })
})

test("what the database keeps of a factor opens nothing: neither the secret nor a code", async () => {
  const { id, recoveryCodes, app } = await createFactorPerson(bound)
  const row = await env.DB.prepare("select * from second_factor where user_id = ?").bind(id).first()
  const codes = await env.DB.prepare("select hash from recovery_code where user_id = ?")
    .bind(id)
    .all()
  const stored = JSON.stringify([row, codes.results])
  for (const code of [...recoveryCodes, app.code()]) expect(stored).not.toContain(code)
  // In another member's row it is nothing.
  const factorPerson = await createFactorPerson(bound)
  await env.DB.prepare("update second_factor set secret = ?1, key_id = ?2 where user_id = ?3")
    .bind(row?.["secret"], row?.["key_id"], factorPerson.id)
    .run()
  const browser = createBrowser(bound)
  await begin(browser, factorPerson)
  expect((await finish(browser, { code: app.code() })).status).toBe(400)
})

test("a recovery code opens one session, with or without its dashes, and is gone", async () => {
  const person = await createFactorPerson(bound)
  const [first = "", second = ""] = person.recoveryCodes
  const browser = createBrowser(bound)
  await begin(browser, person)
  expect((await finish(browser, { recoveryCode: first })).status).toBe(200)
  const next = createBrowser(bound)
  await begin(next, person)
  expect((await finish(next, { recoveryCode: first })).status).toBe(400)
  const typed = ` ${second.replaceAll("-", " ").toUpperCase()}`
  expect((await finish(next, { recoveryCode: typed })).status).toBe(200)
  const { body } = await person.get("listWays")
  expect(body).toMatchObject({ secondFactor: { totp: true, recoveryCodes: 8 } })
  const renewed = await person.post("renewRecoveryCodes", {})
  expect(renewed.status).toBe(200)
  const late = createBrowser(bound)
  await begin(late, person)
  expect((await finish(late, { recoveryCode: person.recoveryCodes[2] })).status).toBe(400)
  expect((await finish(late, { recoveryCode: Object(renewed.body).recoveryCodes[0] })).status).toBe(
    200,
  )
})

test("a trusted browser is asked for the password alone, until its owner takes that back", async () => {
  const person = await createFactorPerson(bound)
  const browser = createBrowser(bound)
  await begin(browser, person)
  await finish(browser, { code: person.app.code(), trustBrowser: true })
  expect((await begin(browser, person)).status).toBe(200)
  const { session } = await (await browser.get("/api/auth/get-session")).json<{ session: object }>()
  expect(session).toMatchObject({ factor: "trusted", provenAt: null })
  // Trust skips the code, not the proof.
  expect((await browser.post("/api/v1/turnOffSecondFactor", {})).status).toBe(403)
  const listed = await person.get("listWays")
  const [{ id: browserId }] = Object(listed.body).trustedBrowsers
  expect(await person.post("forgetBrowsers", { browserId })).toMatchObject({
    body: { forgotten: 1 },
  })
  expect((await begin(browser, person)).status).toBe(403)
})

test("a step-up takes a code or a recovery code, and no password where a factor is on", async () => {
  const person = await createFactorPerson(bound)
  const old = env.DB.prepare("update session set proven_at = 1 where user_id = ?").bind(person.id)
  for (const factor of [{ code: person.app.code() }, { recoveryCode: person.recoveryCodes[0] }]) {
    await old.run()
    expect((await person.post("renewRecoveryCodes", {})).body).toMatchObject({
      code: "STEP_UP_REQUIRED",
      data: { ways: ["totp", "recovery"] },
    })
    expect((await person.browser.post("/api/auth/step-up", { password })).status).toBe(403)
    expect((await person.browser.post("/api/auth/step-up", factor)).status).toBe(200)
    expect((await person.browser.post("/api/auth/step-up", factor)).status).toBe(400)
    expect((await person.post("forgetBrowsers", {})).status).toBe(200)
  }
  expect((await person.post("renewRecoveryCodes", {})).status).toBe(200)
})

test("another app takes the place of the first, and turning it off asks for nothing any more", async () => {
  const person = await createFactorPerson(bound)
  const next = await turnOn(person)
  const browser = createBrowser(bound)
  await begin(browser, person)
  expect((await finish(browser, { code: person.app.code() })).status).toBe(400)
  expect((await finish(browser, { recoveryCode: person.recoveryCodes[0] })).status).toBe(400)
  expect((await finish(browser, { code: next.app.code() })).status).toBe(200)
  expect(await person.post("turnOffSecondFactor", {})).toMatchObject({ body: { off: true } })
  expect((await browser.get("/api/v1/getProfile")).status).toBe(401)
  expect((await begin(createBrowser(bound), person)).status).toBe(200)
  expect((await person.post("renewRecoveryCodes", {})).body).toMatchObject({
    code: "SECOND_FACTOR_OFF",
  })
})

test("changing the password and ending all other sessions keeps a session that has used the factor", async () => {
  const person = await createFactorPerson(bound)
  const changed = await person.browser.post("/api/auth/change-password", {
    currentPassword: password,
    newPassword: "another long password",
    revokeOtherSessions: true,
  })
  expect(changed.status).toBe(200)
  expect((await person.get("getProfile")).status).toBe(200)
  const session = await (await person.browser.get("/api/auth/get-session")).json()
  expect(session).toMatchObject({ session: { factor: "totp" } })
})

test("without FACTOR_SECRET, or when it is off, no member can turn a factor on, and those with one are asked for it", async () => {
  const person = await createFactorPerson(bound)
  for (const change of [{ FACTOR_SECRET: undefined }, { SECOND_FACTOR: "off" }]) {
    const bindings = { ...bound, ...change }
    const { post } = await createProvenPerson(bindings)
    expect((await post("beginTotp", {})).body).toMatchObject({ code: "SECOND_FACTOR_NOT_OFFERED" })
    const browser = createBrowser(bindings)
    expect((await begin(browser, person)).status).toBe(403)
    const recoveryCode = person.recoveryCodes.shift()
    expect((await finish(browser, { recoveryCode })).status).toBe(200)
  }
  const browser = createBrowser({ ...bound, SECOND_FACTOR: "off" })
  await begin(browser, person)
  await later(person.id)
  expect((await finish(browser, { code: person.app.code() })).status).toBe(200)
})

test("an app shows the name of the service and the address as they are, with blanks and signs", () => {
  const labels = { issuer: "My Shop + Söhne 100%", email: "ada+tag@example.com" }
  const { uri } = shownSecret("secret", labels)
  expect(uri).toContain("/My%20Shop%20%2B%20S%C3%B6hne%20100%25:ada%2Btag%40example.com?")
  expect(/&issuer=([^&]*)/.exec(uri)?.[1]).toBe("My%20Shop%20%2B%20S%C3%B6hne%20100%25")
})

test("a wrong first code turns nothing on, nor does what another session, or member, has begun", async () => {
  const [person, thief] = [await createProvenPerson(bound), await createProvenPerson(bound)]
  const { body } = await person.post("beginTotp", {})
  const app = createApp(String(body["uri"]))
  const enrolment = body["enrolment"]
  const browser = createBrowser(bound)
  await begin(browser, person)
  const response = await browser.post("/api/v1/confirmTotp", { enrolment, code: app.code() })
  expect(response.status).toBe(400)
  expect((await thief.post("confirmTotp", { enrolment, code: app.code() })).status).toBe(400)
  expect((await person.post("confirmTotp", { enrolment, code: app.code(7) })).status).toBe(400)
  expect((await person.get("listWays")).body).toMatchObject({ secondFactor: null })
  expect((await begin(createBrowser(bound), person)).status).toBe(200)
})

type FactorPerson = Awaited<ReturnType<typeof createFactorPerson>>

const ends: Record<string, [status: number, act: (person: FactorPerson) => Promise<unknown>]> = {
  "the owner ends all sessions": [403, ({ browser }) => browser.post("/api/auth/revoke-sessions")],
  "the owner ends all others": [
    403,
    ({ browser }) => browser.post("/api/auth/revoke-other-sessions"),
  ],
  "the owner ends one": [
    200,
    ({ browser }) => browser.post("/api/auth/revoke-session", { token: "x" }),
  ],
  "an admin ends all": [
    403,
    async ({ id: userId }) => (await createPerson(bound, "owner")).post("endSessions", { userId }),
  ],
  "an admin ends one": [
    200,
    async ({ id: userId }) =>
      (await createPerson(bound, "owner")).post("endSessions", { userId, sessionId: "x" }),
  ],
}

test.each(Object.entries(ends))(
  "whether a browser is trusted that is not there, once %s",
  async (_, [status, act]) => {
    const person = await createFactorPerson(bound)
    const lost = createBrowser(bound)
    await begin(lost, person)
    await finish(lost, { code: person.app.code(), trustBrowser: true })
    await later(person.id)
    expect((await begin(lost, person)).status).toBe(200)
    await act(person)
    expect((await begin(lost, person)).status).toBe(status)
  },
)

function visit(statement: RegExp) {
  const { database: DB, interrupt } = createInterruptedDatabase()
  return {
    bound: bind({ DB, REQUIRE_SECOND_FACTOR: "admins" }),
    /** Before the statement is run. */
    promote: (id: string) =>
      interrupt(statement, async () => {
        await env.DB.prepare("update user set role = 'admin' where id = ?").bind(id).run()
      }),
  }
}

const refused = { status: 409, body: { code: "SECOND_FACTOR_MANDATORY" } }

test("a member who becomes an admin while turning off a required factor keeps it", async () => {
  const { bound: raced, promote } = visit(/delete from "second_factor"/)
  const person = await createFactorPerson(raced)
  promote(person.id)
  expect(await person.post("turnOffSecondFactor", {})).toMatchObject(refused)
  const methods = await person.get("listWays")
  expect(methods.body).toMatchObject({ secondFactor: { totp: true, recoveryCodes: 10 } })
})

test("a member who becomes an admin while removing the only passkey keeps it", async () => {
  const { bound: raced, promote } = visit(/delete from "passkey"/)
  const person = await createPasskeyPerson(raced)
  const query = env.DB.prepare("select id from passkey where user_id = ?").bind(person.id)
  const passkeyId = await query.first("id")
  promote(person.id)
  expect(await person.post("removePasskey", { passkeyId })).toMatchObject(refused)
  expect(await query.first("id")).toBe(passkeyId)
})
