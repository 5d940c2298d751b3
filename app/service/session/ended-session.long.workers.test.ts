import { env } from "cloudflare:workers"
import { afterAll, expect, test } from "vitest"

import routes from "../../../docs/routes.json"
import { createApp } from "../../testing/authenticator-app.ts"
import { bind, createBrowser } from "../../testing/browser.ts"
import { createInterruptedDatabase } from "../../testing/interrupted-database.ts"
import { createNetwork } from "../../testing/network.ts"
import { nouns } from "../../testing/nouns.ts"
import { createPaymentProvider } from "../../testing/payment-provider.ts"
import { createPerson, type Person } from "../../testing/person.ts"

/* A session that ends while a request is under way writes nothing any more. */

const payments = createPaymentProvider()
const network = createNetwork({ [payments.host]: payments.remote })
afterAll(() => network[Symbol.dispose]())
const bound = bind({ ...payments.bindings, ENVIRONMENT: "preview", KEEP_MAIL: "true" })

/** They write nothing of the caller's: a token is read with its session, and a payment is the provider's word. */
const without = new Set(["createToken", "verifyPayment", "beginTotp"])

const operations = Object.entries(routes).flatMap(([route, { who }]) => {
  const [, name = ""] = /^POST \/api\/v1\/(\w+)/.exec(route) ?? []
  return name === "" || who === "anybody" || without.has(name) ? [] : [name]
})

type Caller = Pick<Person, "get" | "post">

/** Calls every operation that writes, the way its users do. */
async function callAll(person: Caller, target: Person) {
  const userId = target.id
  await person.post("updateProfile", { name: "another" })
  const { body: keys } = await person.get("listWays")
  const passkeyId: unknown = Object(keys["passkeys"])[0]?.id
  await person.post("renamePasskey", { passkeyId, name: "another" })
  await person.post("removePasskey", { passkeyId })
  await person.post("forgetBrowsers", {})
  const setup = await person.post("beginTotp", {})
  const { enrolment, uri } = setup.body
  const app = typeof uri === "string" ? createApp(uri) : undefined
  await person.post("confirmTotp", { enrolment: enrolment ?? "", code: app?.code() ?? "000000" })
  await person.post("renewRecoveryCodes", {})
  await person.post("turnOffSecondFactor", {})
  const newEmail = `moved-${target.email}`
  await person.post("changeEmail", { newEmail })
  await person.post("confirmEmail", { newEmail, code: "00000000" })
  await person.post("renameSession", { sessionId: "session_0", name: "another" })
  await person.post("grantPremium", { userId, until: null })
  await person.post("revokePremium", { userId })
  await person.post("makeUserAdmin", { userId })
  await person.post("changeRole", { userId, role: "member" })
  await person.post("endSessions", { userId })
  await person.post("sendReset", { userId })
  await person.post("sendVerification", { userId })
  await person.post("recoverAccount", { userId })
  await person.post("resetSecondFactor", { userId })
  await person.post("suspendUser", { userId, reason: "other" })
  await person.post("unsuspendUser", { userId })
  await person.post("scheduleDeletion", { userId, reason: "other" })
  await person.post("cancelDeletion", { userId })
  const { body } = await person.post("inviteUser", { email: `guest-${target.email}` })
  await person.post("revokeInvitation", { invitationId: body["id"] })
  const { send } = createBrowser(bound, null)
  for (const { visit } of nouns) {
    await visit({ person, payments, send, measure: (_name, action) => action() })
  }
}

/** All rows that belong to somebody. */
async function census() {
  const { results } = await env.DB.prepare(
    "select name from sqlite_schema where type = 'table' and sql like '%user_id%' and name <> 'session'",
  ).all<{ name: string }>()
  const tables = ["user", "audit_entry", ...results.map(({ name }) => name)]
  const rowsByTable = await env.DB.batch(
    tables.map((table) => env.DB.prepare(`select * from ${table}`)),
  )
  return rowsByTable.map((rows, index) => [tables[index], rows.results])
}

class Seen extends Error {}

test.each(operations)("%s writes nothing once the session has ended", async (name) => {
  const [person, target] = [await createPerson(bound, "owner"), await createPerson(bound)]
  await env.DB.prepare(
    `insert into passkey (id, user_id, credential_id, public_key, algorithm, name, created_at)
     values (?1, ?2, ?1, 'k', -7, 'n', 1)`,
  )
    .bind(crypto.randomUUID(), person.id)
    .run()
  await env.DB.prepare("update user set email_verified = 1 where id = ?").bind(person.id).run()
  // The account has a passkey, so nothing less proves the session for the acts that ask for a step-up.
  await env.DB.prepare("update session set factor = 'passkey', proven_at = ? where user_id = ?")
    .bind(Date.now(), person.id)
    .run()
  const trusted = "insert into trusted_browser values (?1, ?1, 'Firefox', 1, 99999999999999)"
  await env.DB.prepare(trusted).bind(person.id).run()
  const { database, interrupt, isDone } = createInterruptedDatabase()
  const late = createBrowser({ ...bound, DB: database })
  const failures: unknown[] = []
  const post: Caller["post"] = async (path, body) => {
    if (path !== name) return person.post(path, body)
    for (const [cookie, value] of person.browser.cookies) late.cookies.set(cookie, value)
    const before = await census()
    interrupt(/(?:insert into|update|delete from) "/, () =>
      env.DB.prepare("delete from session where user_id = ?").bind(person.id).run(),
    )
    const answer = await late.post(`/api/v1/${path}`, body)
    expect(await census()).toEqual(before)
    failures.push(isDone(), answer.status, await answer.json())
    throw new Seen()
  }
  await expect(callAll({ get: person.get, post }, target)).rejects.toThrow(Seen)
  expect(failures).toMatchObject([true, 401, { code: "UNAUTHORIZED" }])
})
