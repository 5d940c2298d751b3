import type { Database } from "@accounts-stack/d1-migrations/d1"
import { afterAll, beforeAll, expect, test } from "vitest"

import { copyCheckout, type Checkout } from "./testing/checkout.ts"
import { ada, databaseAt, mary } from "./testing/owner-fixtures.ts"
import { sendRequest } from "./testing/send-request.ts"
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

function run(...flags: string[]) {
  return checkout.run("account", "ways", "-s", "local", "--state", checkout.state, ...flags)
}

async function signUp(body: typeof ada) {
  const headers = { origin: prepared.url }
  const answer = await sendRequest(`${prepared.url}/api/auth/sign-up/email`, { headers, body })
  expect(answer).toMatchObject({ status: 200 })
}

function identity(provider: string, { email }: typeof ada) {
  return `INSERT INTO account (id, user_id, provider_id, account_id, created_at, updated_at)
    SELECT 'account_' || '${provider}' || id, id, '${provider}', id, 0, 0 FROM user
    WHERE email = '${email.replace("'", "''")}';`
}

function key({ email }: typeof ada) {
  return `INSERT INTO passkey (id, user_id, credential_id, public_key, algorithm, name, created_at)
    SELECT 'key', id, 'key', 'k', -7, 'n', 0 FROM user WHERE email = '${email}';`
}

test("account ways counts the members whom a stack would lock out without passwords or until they turn on a factor, without pending sign-ups and smoke tests", async () => {
  await database.change("DELETE FROM user")
  const bob = { name: "Bob", email: "bob@example.com", password: "correct horse battery" }
  const eve = { ...bob, email: "eve@example.com" }
  const dan = { ...bob, email: "dan@example.com" }
  for (const person of [ada, mary, bob, eve, dan]) await signUp(person)
  await database.change(
    [
      `UPDATE user SET role = 'owner' WHERE email = '${ada.email}'`,
      `UPDATE user SET unproven_since = 1 WHERE email = '${dan.email}'`,
      "INSERT INTO user (id, email, name, created_at, updated_at) VALUES ('s', 'smoke-1-abcdefgh@accounts.invalid', 'S', 0, 0)",
      identity("idp", mary) + identity("gone", bob) + identity("gone", eve),
      `DELETE FROM account WHERE provider_id = 'credential' AND user_id IN (SELECT id FROM user WHERE email = '${eve.email}')`,
    ].join(";\n"),
  )
  await database.change(
    `${key(bob)}
    UPDATE user SET second_factor_since = 1 WHERE email = '${mary.email.replace("'", "''")}';
    UPDATE user SET role = 'admin' WHERE email = '${eve.email}'`,
  )
  const { code, stdout } = await run("--json")
  const counted = {
    stack: "local",
    providers: ["idp"],
    emailCode: true,
    accounts: 4,
    // The owner; who came by a provider that is gone has a passkey by now.
    passwordAlone: 1,
    ownersWithPasswordAlone: 1,
    withProvider: 1,
    withPasskey: 1,
    neither: 1,
    ownersWithoutFactor: 1,
    adminsWithoutFactor: 1,
    membersWithoutFactor: 0,
  }
  expect({ code, stdout: JSON.parse(stdout) }).toEqual({ code: 0, stdout: counted })
  expect(await run()).toMatchObject({
    code: 0,
    stderr: expect.stringContaining("1 with a password alone (owners: 1)"),
  })
})
