import { createHash } from "node:crypto"

import type { Database } from "@accounts-stack/d1-migrations/d1"
import { literal } from "@accounts-stack/d1-migrations/files"
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest"

import { operatorStatements } from "../../../app/service/admin/operator-statements.ts"
import { messageOf } from "../base/failure.ts"
import { signOut } from "../cli/member/sign-out-member.ts"
import { startFaultProxy } from "../provider/testing/fault-proxy.ts"
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

function run(email: string, ...flags: string[]) {
  const place = ["-s", "local", "--state", checkout.state]
  return checkout.run("member", "sign-out", email, ...place, ...flags)
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
  const others = await enter(ada)
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
  expect(await memberOf(others)).toMatchObject({ user: { email: ada.email } })
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

test("an address that nobody has is named, and what is none is refused", async () => {
  expect(await run("nobody@example.com")).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("There is no user nobody@example.com."),
  })
  expect(await run("nobody")).toMatchObject({ code: 2 })
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
    const said = await signOut(through, mary.email).catch(messageOf)
    expect(String(said)).toMatch(new RegExp(outcome))
    expect(await entries()).toEqual(written)
    const sessions = await database.ask("SELECT id FROM session")
    expect(sessions).toHaveLength(1 - written.length)
  },
)

test("no statement reads through the users, sessions or accounts", async () => {
  for (const statement of operatorStatements.signOut.end(literal(mary.email))) {
    const plan = await database.ask(`EXPLAIN QUERY PLAN ${statement}`)
    expect(JSON.stringify(plan)).not.toMatch(/\bSCAN\b(?! CONSTANT)/)
  }
})
