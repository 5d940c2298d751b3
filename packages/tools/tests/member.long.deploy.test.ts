import { createHash } from "node:crypto"

import type { Database } from "@accounts-stack/d1-migrations/d1"
import { literal } from "@accounts-stack/d1-migrations/files"
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest"

import { operatorStatements } from "../../../infra/operator-statements.ts"
import { messageOf } from "../base/failure.ts"
import { startFaultProxy } from "../deploy/testing/fault-proxy.ts"
import { resetFactor, signOut } from "../operate/member.ts"
import { copyCheckout, type Checkout } from "./testing/checkout.ts"
import { ada, databaseAt, mary } from "./testing/owner-fixtures.ts"
import { cookieHeader, sendRequest } from "./testing/send-request.ts"
import { openPrepared, type PreparedEnvironment } from "./testing/vitest/prepared-environment.ts"

let checkout: Checkout
let prepared: PreparedEnvironment
let database: Database

beforeAll(async () => {
  checkout = copyCheckout()
  prepared = await openPrepared(checkout)
  database = databaseAt(prepared.cloudflare, prepared.databaseId)
})

afterAll(async () => {
  await prepared?.[Symbol.asyncDispose]()
  await checkout?.[Symbol.asyncDispose]()
})

beforeEach(() => database.change("DELETE FROM user; DELETE FROM audit_entry"))

function post(path: string, body: object) {
  return sendRequest(`${prepared.url}/api/auth${path}`, { headers: { origin: prepared.url }, body })
}

async function enter(user: typeof ada) {
  return cookieHeader(await post("/sign-in/email", user))
}

async function signUp(user: typeof ada) {
  expect(await post("/sign-up/email", user)).toMatchObject({ status: 200 })
}

async function memberOf(cookie: string) {
  const { json } = await sendRequest(`${prepared.url}/api/auth/get-session`, {
    headers: { cookie },
  })
  return json
}

function place() {
  return ["-s", "local", "--state", checkout.state]
}

function run(email: string, ...flags: string[]) {
  return checkout.run("member", "sign-out", email, ...place(), ...flags)
}

function entries() {
  return database.ask(
    `SELECT actor_id, email, action, detail FROM audit_entry JOIN user ON user.id = subject_id
      WHERE action = 'revoke_sessions'`,
  )
}

const entry = { actor_id: null, email: mary.email, action: "revoke_sessions", detail: "operator" }

test("a member whose account was stolen has no session, password or reset link left; others keep theirs", async () => {
  await signUp(ada)
  await signUp(mary)
  const sessions = [await enter(mary), await enter(mary)]
  const otherSession = await enter(ada)
  await post("/request-password-reset", { email: mary.email })
  await database.change(
    `INSERT INTO account (id, user_id, provider_id, account_id, created_at, updated_at)
      SELECT 'account_x', id, 'idp', 'subject', 0, 0 FROM user WHERE email = '${mary.email.replace("'", "''")}'`,
  )

  const { code, stdout } = await run("Mary.O'Hara@Example.com", "--json")
  expect({ code, stdout: JSON.parse(stdout) }).toEqual({
    code: 0,
    stdout: { stack: "local", email: mary.email, providers: ["idp"] },
  })
  for (const cookie of sessions) expect(await memberOf(cookie)).toBeNull()
  expect(await post("/sign-in/email", mary)).toMatchObject({ status: 401 })
  expect(await database.ask("SELECT id FROM verification")).toEqual([])
  expect(await memberOf(otherSession)).toMatchObject({ user: { email: ada.email } })
  expect(cookieHeader(await post("/sign-in/email", ada))).not.toBe("")
  expect(await entries()).toEqual([entry])

  // Nothing is left to end, so nothing is written.
  expect(await run(mary.email)).toMatchObject({
    code: 0,
    stderr: expect.stringContaining("What lets in again: a password reset, and idp."),
  })
  expect(await entries()).toEqual([entry])

  const identifier = createHash("sha256").update("reset-password:token").digest("base64url")
  await database.change(
    `INSERT INTO verification (id, identifier, value, expires_at, created_at, updated_at)
      SELECT 'v', '${identifier}', id, 9e12, 0, 0 FROM user WHERE name = 'Mary'`,
  )
  const newPassword = "another horse battery"
  expect(await post("/reset-password", { token: "token", newPassword })).toMatchObject({
    status: 200,
  })
  expect(await enter({ ...mary, password: newPassword })).not.toBe("")
})

/** Adds an authenticator app whose secret is unknown: no code is right. */
async function loseApp() {
  const id = `(SELECT id FROM user WHERE name = 'Mary')`
  await database.change(
    `INSERT INTO second_factor (user_id, secret, key_id, last_step, confirmed_at, created_at)
      VALUES (${id}, 'sealed', 'key', 0, 1, 1);
    INSERT INTO recovery_code (hash, user_id) VALUES ('hash', ${id});
    UPDATE user SET second_factor_since = 1 WHERE id = ${id}`,
  )
}

test("a member who has lost the app gets in by the password again, and what is repeated changes nothing", async () => {
  await signUp(mary)
  await loseApp()
  expect(await post("/sign-in/email", mary)).toMatchObject({
    status: 403,
    json: { code: "SECOND_FACTOR_REQUIRED" },
  })
  const reset = (...flags: string[]) =>
    checkout.run("member", "reset-factor", mary.email, ...place(), ...flags)
  const first = await reset("--json")
  expect(JSON.parse(first.stdout)).toEqual({ stack: "local", email: mary.email, had: true })
  expect(await enter(mary)).not.toBe("")
  const secondReset = await reset()
  expect(secondReset).toMatchObject({
    code: 0,
    stderr: expect.stringContaining("has no second factor in local. Nothing was changed."),
  })
  const written = await database.ask(
    "SELECT actor_id, detail FROM audit_entry WHERE action = 'reset_second_factor'",
  )
  expect(written).toEqual([{ actor_id: null, detail: "operator" }])
  const factorRows = "SELECT user_id FROM second_factor UNION SELECT user_id FROM recovery_code"
  expect(await database.ask(factorRows)).toEqual([])
})

test.each([
  ["drop after", "true"],
  ["drop before", "still asks for a second factor: .* Run this again"],
] as const)(
  "after a lost answer (%s) a second factor that is still there is no success",
  async (fault, outcome) => {
    await signUp(mary)
    await loseApp()
    await using proxy = await startFaultProxy(prepared.cloudflare.api)
    proxy.inject({ method: "POST", path: /\/query$/, body: /DELETE FROM/, fault, times: 4 })
    const through = databaseAt(prepared.cloudflare, prepared.databaseId, proxy.url)
    const outcomeText = await resetFactor(through, mary.email).catch(messageOf)
    expect(String(outcomeText)).toMatch(new RegExp(outcome))
  },
)

test("an address without an account is named, and text that is no address is refused", async () => {
  expect(await run("absent@example.com")).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("There is no user absent@example.com."),
  })
  expect(await run("absent")).toMatchObject({ code: 2 })
})

test.each([
  ["drop after", "null", [entry]],
  ["500 after", "null", [entry]],
  ["drop before", "can be signed in: .* Run this again", []],
] as const)(
  "after a lost answer (%s) what is read back decides; a change that never arrived is no success",
  async (fault, outcome, written) => {
    await signUp(mary)
    await using proxy = await startFaultProxy(prepared.cloudflare.api)
    proxy.inject({ method: "POST", path: /\/query$/, body: /DELETE FROM/, fault, times: 4 })
    const through = databaseAt(prepared.cloudflare, prepared.databaseId, proxy.url)
    const outcomeText = await signOut(through, mary.email).catch(messageOf)
    expect(String(outcomeText)).toMatch(new RegExp(outcome))
    expect(await entries()).toEqual(written)
    const sessions = await database.ask("SELECT id FROM session")
    expect(sessions).toHaveLength(1 - written.length)
  },
)

test("no statement reads through the users, sessions or accounts", async () => {
  const { signOut: ending, secondFactor } = operatorStatements
  const email = literal(mary.email)
  for (const statement of [...ending.end(email), ...secondFactor.takeOff(email)]) {
    const plan = await database.ask(`EXPLAIN QUERY PLAN ${statement}`)
    expect(JSON.stringify(plan)).not.toMatch(/\bSCAN\b(?! CONSTANT)/)
  }
})
