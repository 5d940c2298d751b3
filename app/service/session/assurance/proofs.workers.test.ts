import { env } from "cloudflare:workers"
import { expect, test } from "vitest"

import { createApp } from "../../../testing/authenticator-app.ts"
import { createAuthenticator } from "../../../testing/authenticator.ts"
import { bind, copyBrowser, createBrowser, webUrl } from "../../../testing/browser.ts"
import { begin } from "../../../testing/factor-person.ts"
import { mail } from "../../../testing/mailbox.ts"
import {
  add,
  createPasskeyPerson,
  createProvenPerson,
  enter,
  stepUp,
} from "../../../testing/passkey-person.ts"
import { password } from "../../../testing/person.ts"
import { visitProvider } from "../../../testing/provider-visit.ts"
import { repeat } from "../../../testing/repeat.ts"
import type { Env } from "../../platform/configuration/env.ts"

async function visit() {
  const visited = await visitProvider({ changes: mail })
  const post = (path: string, body: object = {}, from = visited.browser) =>
    from.call(`/api/${path}`, body, { origin: webUrl })
  /** Returns from a provider that asked for nothing. */
  const arrive = async (email: string) => {
    visited.provider.forge({ claims: { sub: email, email } })
    return visited.finish(visited.provider.authorize(await visited.start()))
  }
  return { ...visited, post, arrive }
}

test("a provider that asks for nothing proves nothing; an emailed code does, once, in the session that requested it", async () => {
  const { mailbox, post, arrive } = await visit()
  const email = `silent-${crypto.randomUUID()}@example.com`
  expect(await arrive(email)).toBe(webUrl)
  const required = { status: 403, body: { code: "STEP_UP_REQUIRED" } }
  expect(await post("v1/changeEmail", { newEmail: "thief@example.com" })).toMatchObject({
    ...required,
    body: { data: { ways: ["sign-in", "email"] } },
  })
  expect(await post("auth/passkey/begin", { for: "add" })).toMatchObject(required)
  expect(await post("auth/step-up/begin")).toMatchObject({ status: 200 })
  const emailCode = await mailbox.codeOf(email)
  await arrive(email)
  // Another session of the same account.
  const elsewhere = await post("auth/step-up", { emailCode })
  expect(elsewhere).toMatchObject({ body: { code: "INVALID_CODE" } })
  await post("auth/step-up/begin")
  const codes = () => mailbox.emails.flatMap(({ text }) => /^\d{8}$/m.exec(text)?.[0] ?? [])
  await mailbox.arrived(2)
  expect(await post("auth/step-up", { emailCode: codes().at(-1) })).toMatchObject({ status: 200 })
  expect(await post("auth/step-up", { emailCode: codes().at(-1) })).toMatchObject({
    body: { code: "INVALID_CODE" },
  })
  expect(await post("auth/passkey/begin", { for: "add" })).toMatchObject({ status: 200 })
})

test("the mailbox is no proof where there is more: a password, a passkey, or a session that has shown one", async () => {
  const { bound, post, mailbox, arrive, browser } = await visit()
  const person = await createProvenPerson(bound)
  const ask = () => post("auth/step-up/begin", {}, person.browser)
  expect(await ask()).toMatchObject({ body: { data: { ways: ["password", "sign-in"] } } })
  // A linked provider that asks for nothing does not replace the password.
  await arrive(person.email)
  expect(await post("v1/changeEmail", { newEmail: "thief@example.com" })).toMatchObject({
    body: { data: { ways: ["password", "sign-in"] } },
  })
  expect(await post("auth/step-up", { password })).toMatchObject({ status: 200 })
  await env.DB.prepare("delete from account where user_id = ? and provider_id = 'credential'")
    .bind(person.id)
    .run()
  expect(await ask()).toMatchObject({ status: 200 })
  const emailCode = await mailbox.codeOf(person.email)
  expect(await add(person.browser, await createAuthenticator())).toMatchObject({ status: 200 })
  expect(await ask()).toMatchObject({ body: { data: { ways: ["passkey"] } } })
  expect(await post("auth/step-up", { emailCode }, person.browser)).toMatchObject({ status: 403 })
  expect(await post("auth/step-up", { emailCode })).toMatchObject({ status: 403 })
  expect(browser.cookies.size).toBeGreaterThan(0)
})

test("ten codes in a day and five tries of each session are all that there are", async () => {
  const { post, arrive, mailbox } = await visit()
  const email = `many-${crypto.randomUUID()}@example.com`
  await arrive(email)
  const statuses = await repeat(11, async () => (await post("auth/step-up/begin")).status)
  expect(statuses).toEqual([...Array.from({ length: 10 }, () => 200), 429])
  await mailbox.arrived(10)
  const codes = await repeat(
    6,
    async () => (await post("auth/step-up", { emailCode: "00000000" })).body["code"],
  )
  expect(codes).toEqual([...Array.from({ length: 5 }, () => "INVALID_CODE"), "TOO_MANY_ATTEMPTS"])
})

/* A thief has the cookie of a session, or its open browser, and the password: what an account with a passkey is protected from. */

const admins = { REQUIRE_SECOND_FACTOR: "admins" } as const

/** An admin whose only factor is a passkey, an hour after the sign-in by it. */
async function createAdmin(changes: Partial<Env> = admins) {
  const person = await createPasskeyPerson()
  await env.DB.prepare("update user set role = 'owner' where id = ?").bind(person.id).run()
  const browser = createBrowser(bind(changes))
  await enter(browser, person.key)
  const age = () =>
    env.DB.prepare("update session set proven_at = proven_at - 3600000 where user_id = ?")
      .bind(person.id)
      .run()
  await age()
  const post = (path: string, body: object) => browser.call(`/api/${path}`, body)
  return { ...person, browser, post, age }
}

test.each([admins, {}])(
  "the password steps up no account that has a passkey: %o",
  async (changes) => {
    const { browser, post, key } = await createAdmin(changes)
    const required = {
      status: 403,
      body: { code: "STEP_UP_REQUIRED", data: { ways: ["passkey"] } },
    }
    expect(await post("auth/step-up", { password })).toMatchObject(required)
    const refused = [
      await post("v1/suspendUser", { userId: "user_x", reason: "abuse" }),
      await post("v1/beginTotp", {}),
      await post("v1/changeEmail", { newEmail: "thief@example.com" }),
      await post("auth/link-social", { provider: "idp" }),
      await post("auth/passkey/begin", { for: "add" }),
      await post("auth/unlink-account", { providerId: "credential" }),
      await post("auth/delete-user", { password }),
      await post("auth/change-password", {
        currentPassword: password,
        newPassword: "another password",
        revokeOtherSessions: true,
      }),
    ]
    for (const answer of refused) expect(answer).toMatchObject(required)
    expect(await stepUp(browser, key)).toMatchObject({ status: 200 })
    expect((await post("v1/beginTotp", {})).status).toBe(200)
  },
)

test("a change of the password makes no proof of a passkey newer", async () => {
  const { browser, post, age, key } = await createAdmin()
  await stepUp(browser, key)
  await env.DB.prepare("update session set proven_at = proven_at - 540000").run()
  const change = { currentPassword: password, newPassword: password, revokeOtherSessions: true }
  expect((await post("auth/change-password", change)).status).toBe(200)
  await env.DB.prepare("update session set proven_at = proven_at - 120000").run()
  expect((await post("v1/beginTotp", {})).body).toMatchObject({ code: "STEP_UP_REQUIRED" })
  await age()
})

test("a sign-in with the password is no proof where a passkey is, also one from before the passkey", async () => {
  const person = await createPasskeyPerson()
  const [thief, stranger] = [createBrowser(bind()), createBrowser(bind())]
  await begin(thief, person)
  const response = await thief.post("/api/v1/beginTotp", {})
  expect(await response.json()).toMatchObject({ code: "STEP_UP_REQUIRED" })
  expect(await add(thief, await createAuthenticator())).toMatchObject({ code: "STEP_UP_REQUIRED" })
  // The session that has added it is proven by it.
  expect((await person.post("beginTotp", {})).status).toBe(200)
  await begin(stranger, person)
})

test("passkeys that are turned off give nothing to a thief who knows the password", async () => {
  for (const changes of [admins, {}]) {
    const person = await createPasskeyPerson()
    await env.DB.prepare("update user set role = 'admin' where id = ?").bind(person.id).run()
    const bound = bind({ ...changes, PASSKEYS: "off" })
    const thief = createBrowser(bound)
    await begin(thief, person)
    expect((await thief.post("/api/v1/beginTotp", {})).status).toBe(403)
    expect((await thief.post("/api/auth/step-up", { password })).status).toBe(403)
    const copy = copyBrowser(thief, bind())
    expect((await copy.post("/api/v1/beginTotp", {})).status).toBe(403)
    const enrolment = await person.post("beginTotp", {})
    const code = createApp(String(enrolment.body["uri"])).code()
    const confirmed = await thief.post("/api/v1/confirmTotp", {
      enrolment: enrolment.body["enrolment"],
      code,
    })
    expect(confirmed.status).toBe(403)
    const listed = await thief.get("/api/v1/listUsers")
    expect(listed.status).toBe("REQUIRE_SECOND_FACTOR" in changes ? 403 : 200)
  }
})

test("a session that has shown a factor is proven again by a factor alone, until the account has none", async () => {
  const { browser, post, id, email, age } = await createAdmin({})
  await env.DB.prepare("delete from passkey where user_id = ?").bind(id).run()
  expect(await post("auth/step-up", { password })).toMatchObject({
    status: 403,
    body: { data: { ways: [] } },
  })
  await begin(browser, { email, password })
  await age()
  expect((await post("auth/step-up", { password })).status).toBe(200)
})
