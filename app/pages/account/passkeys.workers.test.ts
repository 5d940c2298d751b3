import { gzipSync } from "node:zlib"

import { env } from "cloudflare:workers"
import { expect, test } from "vitest"

import { type Authenticator, createAuthenticator } from "../../testing/authenticator.ts"
import { bind } from "../../testing/browser.ts"
import { openPageAccount } from "../../testing/page-owner.ts"
import { createReader } from "../../testing/page-reader.ts"
import { pageScript } from "../page-script.ts"

const proven = "email_verified = 1, unproven_since = null"
const bound = bind({ PAGES: "true", LIMIT_EMAIL: undefined, LIMIT_ADDRESS: undefined })

type Reader = ReturnType<typeof createReader>

/** Begins a passkey request like the script of the pages. */
async function ask({ browser }: Reader, purpose: string) {
  const headers = { origin: "http://localhost:8787", "content-type": "application/json" }
  const body = JSON.stringify({ for: purpose })
  const answer = await browser.send("POST", "/api/auth/passkey/begin", { headers, body })
  return answer.json<{ get: never; create: never }>()
}

async function answerOf(reader: Reader, key: Authenticator, purpose: string) {
  const { id, response } = await key.get((await ask(reader, purpose)).get)
  return { id, ...response }
}

async function add(reader: Reader, key: Authenticator) {
  const { id, response } = key.create((await ask(reader, "add")).create)
  const { transports, ...attestation } = response
  const page = await reader.open("/account/passkeys")
  const filled = { name: "Telephone", id, ...attestation, transports: transports.join(",") }
  return reader.submit(page, "add", filled)
}

test("a passkey is added, named, signs in and is removed by the pages", async () => {
  const { reader, set } = await openPageAccount(bound)
  expect((await reader.open("/account/passkeys")).text).toContain("Verify the address")
  await set(proven)
  const key = await createAuthenticator()
  const added = await add(reader, key)
  expect(added).toMatchObject({ at: "/account/passkeys" })
  const renamed = await reader.submit(added, "rename", { name: "Old one" })
  expect(renamed.text).toContain("Old one")

  const phone = createReader(bound)
  const page = await phone.open("/sign-in")
  const inside = await phone.submit(page, "passkey", await answerOf(phone, key, "sign-in"))
  expect(inside.at).toBe("/account")
  const third = createReader(bound)
  const signIn = await third.open("/sign-in")
  const wrong = await third.submit(signIn, "passkey", await answerOf(third, key, "step-up"))
  expect(wrong.text).toContain("This passkey does not work here")

  const removed = await phone.confirm(await phone.open("/account/passkeys"), "remove")
  expect(removed.text).toContain("Removed here")
})

test("the only sign-in method, and the only factor that an account must have, are not offered to be removed", async () => {
  const { reader, email } = await openPageAccount(bound, { change: proven })
  await add(reader, await createAuthenticator())
  const change = (set: string) =>
    env.DB.prepare(set.replace("ADA", "(select id from user where email = ?)")).bind(email).run()
  const strict = createReader({ ...bound, REQUIRE_SECOND_FACTOR: "everybody" })
  for (const [name, value] of reader.browser.cookies) strict.browser.cookies.set(name, value)
  await change("update session set factor = 'passkey' where user_id = ADA")
  const required = await strict.open("/account/passkeys")
  expect(required.text).toContain("Put another one in its place. Use another app")
  expect(required.html).not.toContain('value="remove"')
  await change("update user set second_factor_since = 1 where id = ADA")
  const on = await strict.open("/account/second-factor")
  expect(on.text).toContain("so it stays on")
  expect(on.html).not.toContain('value="off"')
  await change("delete from account where user_id = ADA")
  const last = await reader.open("/account/passkeys")
  expect(last.text).toContain("Add another one first. Sign-in methods")
  expect(last.html).not.toContain('value="remove"')
})

test("a step-up by passkey leads back to where it was asked for", async () => {
  const { reader, email } = await openPageAccount(bound, { change: proven })
  const key = await createAuthenticator()
  await add(reader, key)
  const page = await reader.open("/account/passkeys")
  await env.DB.prepare(
    "update session set proven_at = 1 where user_id = (select id from user where email = ?)",
  )
    .bind(email)
    .run()
  const stepUp = await reader.submit(page, "remove")
  expect(stepUp.at).toMatch(/^\/account\/step-up\?.*passkey/)
  const back = await reader.submit(stepUp, "passkey", await answerOf(reader, key, "step-up"))
  expect(back.at).toBe("/account/passkeys")
})

test("without scripts a sentence stands where the form is hidden", async () => {
  const { html } = await createReader(bound).open("/sign-in")
  expect(html).toMatch(/<form[^>]* hidden[^>]* data-passkey="sign-in"/)
  expect(html).toContain('</form><p class="soft">Passkeys need JavaScript')
  expect(html).toContain('autocomplete="username webauthn"')
})

test("the script is one small file, which browsers keep, and a page asks for no passkey where they are off", async () => {
  const reader = createReader(bound)
  const script = await reader.open(pageScript.path)
  expect(gzipSync(script.html).byteLength).toBeLessThan(1.6 * 1024)
  expect(script.headers.get("content-type")).toBe("text/javascript; charset=utf-8")
  expect(script.headers.get("cache-control")).toContain("immutable")
  const outdated = await reader.open("/pages-aaaaaaaaaaaa.js")
  expect(outdated.headers.get("cache-control")).toBe("no-store")
  const off = createReader(bind({ PAGES: "true", PASSKEYS: "off" }))
  const page = await off.open("/sign-in")
  expect(page.html).not.toMatch(/passkey|webauthn/)
  expect(page.html).toContain('autocomplete="username"')
  expect(page.headers.get("content-security-policy")).not.toContain("connect-src")
})
