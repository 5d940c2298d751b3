import { env } from "cloudflare:workers"
import { expect, test } from "vitest"

import { createAuthenticator } from "../../../testing/authenticator.ts"
import { webUrl } from "../../../testing/browser.ts"
import { createMailbox, mail } from "../../../testing/mailbox.ts"
import { add, createProvenPerson } from "../../../testing/passkey-person.ts"
import { password } from "../../../testing/person.ts"
import { visitProvider } from "../../../testing/provider-visit.ts"

async function visit() {
  const mailbox = createMailbox()
  const all = await visitProvider({
    changes: mail,
    remotes: { "mail.example": mailbox.remote },
  })
  const post = async (path: string, body: object = {}, from = all.browser) => {
    const answer = await from.post(`/api/${path}`, body, { origin: webUrl })
    return { status: answer.status, body: await answer.json<Record<string, unknown>>() }
  }
  /** Comes back from a provider that asks nobody. */
  const enter = async (email: string) => {
    all.provider.forge({ claims: { sub: email, email } })
    return all.finish(all.provider.authorize(await all.start()))
  }
  return { ...all, mailbox, post, enter }
}

test("a provider that asks nobody proves nothing; a code by e-mail does, once, in the session that asked", async () => {
  const { mailbox, post, enter } = await visit()
  const email = `silent-${crypto.randomUUID()}@example.com`
  expect(await enter(email)).toBe(webUrl)
  const required = { status: 403, body: { code: "STEP_UP_REQUIRED" } }
  expect(await post("v1/changeEmail", { newEmail: "thief@example.com" })).toMatchObject({
    ...required,
    body: { data: { ways: ["sign-in", "email"] } },
  })
  expect(await post("auth/passkey/begin", { for: "add" })).toMatchObject(required)
  expect(await post("auth/step-up/begin")).toMatchObject({ status: 200 })
  const emailCode = await mailbox.codeOf(email)
  await enter(email)
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
  const { bound, post, mailbox, enter, browser } = await visit()
  const person = await createProvenPerson(bound)
  const begin = () => post("auth/step-up/begin", {}, person.browser)
  expect(await begin()).toMatchObject({ body: { data: { ways: ["password", "sign-in"] } } })
  // A linked provider that asks nobody does not spare the password.
  await enter(person.email)
  expect(await post("v1/changeEmail", { newEmail: "thief@example.com" })).toMatchObject({
    body: { data: { ways: ["password", "sign-in"] } },
  })
  expect(await post("auth/step-up", { password })).toMatchObject({ status: 200 })
  await env.DB.prepare("delete from account where user_id = ? and provider_id = 'credential'")
    .bind(person.id)
    .run()
  expect(await begin()).toMatchObject({ status: 200 })
  const emailCode = await mailbox.codeOf(person.email)
  expect(await add(person.browser, await createAuthenticator())).toMatchObject({ status: 200 })
  expect(await begin()).toMatchObject({ body: { data: { ways: ["passkey"] } } })
  expect(await post("auth/step-up", { emailCode }, person.browser)).toMatchObject({ status: 403 })
  expect(await post("auth/step-up", { emailCode })).toMatchObject({ status: 403 })
  expect(browser.cookies.size).toBeGreaterThan(0)
})

test("ten codes in a day and five tries of each session are all that there are", async () => {
  const { post, enter, mailbox } = await visit()
  const email = `many-${crypto.randomUUID()}@example.com`
  await enter(email)
  const asked: number[] = []
  for (let time = 0; time < 11; time += 1) asked.push((await post("auth/step-up/begin")).status)
  expect(asked).toEqual([...Array.from({ length: 10 }, () => 200), 429])
  await mailbox.arrived(10)
  const codes: unknown[] = []
  for (let time = 0; time < 6; time += 1) {
    codes.push((await post("auth/step-up", { emailCode: "00000000" })).body["code"])
  }
  expect(codes).toEqual([...Array.from({ length: 5 }, () => "INVALID_CODE"), "TOO_MANY_ATTEMPTS"])
})
