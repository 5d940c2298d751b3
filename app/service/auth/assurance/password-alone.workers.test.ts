import { env } from "cloudflare:workers"
import { expect, test } from "vitest"

import { createApp } from "../../../testing/authenticator-app.ts"
import { createAuthenticator } from "../../../testing/authenticator.ts"
import { bind, copyBrowser, createBrowser } from "../../../testing/browser.ts"
import { begin } from "../../../testing/factor-person.ts"
import { add, createPasskeyPerson, enter, stepUp } from "../../../testing/passkey-person.ts"
import { password } from "../../../testing/person.ts"
import type { Env } from "../../configuration/env.ts"

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
  const post = async (path: string, body: object) => {
    const answer = await browser.post(`/api/${path}`, body)
    return { status: answer.status, body: await answer.json<Record<string, unknown>>() }
  }
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
  const [thief, other] = [createBrowser(bind()), createBrowser(bind())]
  await begin(thief, person)
  const asked = await thief.post("/api/v1/beginTotp", {})
  expect(await asked.json()).toMatchObject({ code: "STEP_UP_REQUIRED" })
  expect(await add(thief, await createAuthenticator())).toMatchObject({ code: "STEP_UP_REQUIRED" })
  // The session that has added it is proven by it.
  expect((await person.post("beginTotp", {})).status).toBe(200)
  await begin(other, person)
})

test("passkeys that are switched off open nothing to whoever knows the password", async () => {
  for (const changes of [admins, {}]) {
    const person = await createPasskeyPerson()
    await env.DB.prepare("update user set role = 'admin' where id = ?").bind(person.id).run()
    const bound = bind({ ...changes, PASSKEYS: "off" })
    const thief = createBrowser(bound)
    await begin(thief, person)
    expect((await thief.post("/api/v1/beginTotp", {})).status).toBe(403)
    expect((await thief.post("/api/auth/step-up", { password })).status).toBe(403)
    const known = copyBrowser(thief, bind())
    expect((await known.post("/api/v1/beginTotp", {})).status).toBe(403)
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
  const { browser, post, id, age } = await createAdmin({})
  await env.DB.prepare("delete from passkey where user_id = ?").bind(id).run()
  expect(await post("auth/step-up", { password })).toMatchObject({
    status: 403,
    body: { data: { ways: [] } },
  })
  await begin(
    browser,
    (await env.DB.prepare("select email, ? as password from user where id = ?")
      .bind(password, id)
      .first()) ?? { email: "", password },
  )
  await age()
  expect((await post("auth/step-up", { password })).status).toBe(200)
})
