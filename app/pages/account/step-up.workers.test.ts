import { expect, test } from "vitest"

import { bind } from "../../testing/browser.ts"
import { openPageOwner } from "../../testing/page-owner.ts"
import { createReader } from "../../testing/page-reader.ts"
import { createPasskeyPerson } from "../../testing/passkey-person.ts"
import { createPerson, password } from "../../testing/person.ts"

async function openOwner() {
  const bound = bind({ PAGES: "true" })
  const { id } = await createPerson(bound)
  const owner = await openPageOwner(bound)
  const age = bound.DB.prepare(
    "update session set proven_at = proven_at - 600000 where user_id = ?",
  ).bind(owner.id)
  return { reader: owner.reader, member: `/admin/members/${id}`, age: () => age.run() }
}

const inside = { "sec-fetch-site": "same-origin" }

test("a page that asks for a step-up is shown after it, and a wrong password is told at its field", async () => {
  const { reader, member, age } = await openOwner()
  await age()
  const stepUp = await reader.open(member, inside)
  expect(stepUp.at).toMatch(/^\/account\/step-up\?return=/)
  const wrong = await reader.submit(stepUp, "password", { password: "wrong" })
  expect(wrong.html).toMatch(/id="password-password"[^>]*aria-invalid="true"/)
  const done = await reader.submit(wrong, "password", { password })
  expect(done.at).toBe(member)
  expect(done.text).toContain("You can do it now")
})

test("a form that asks for a step-up leads back to its page, where it is sent again", async () => {
  const { reader, member, age } = await openOwner()
  const page = await reader.open(member, inside)
  await age()
  const stepUp = await reader.submit(page, "grant")
  expect(stepUp.at).toMatch(/^\/account\/step-up\?return=/)
  const back = await reader.submit(stepUp, "password", { password })
  expect(back.at).toBe(member)
  const granted = await reader.submit(await reader.open(member, inside), "grant")
  expect(granted.at).toBe(member)
})

test("a step-up leads to no foreign page", async () => {
  const { reader } = await openOwner()
  const page = await reader.open("/account/step-up?return=https://evil.example/&ways=password")
  const done = await reader.submit(page, "password", { password })
  expect(done.at).toBe("/account")
})

test("who has nothing but a passkey, where passkeys are off, is told who helps, and nothing goes round in circles", async () => {
  const { email } = await createPasskeyPerson()
  const helps = "Those who run it can recover your account"
  for (const [required, page, path] of [
    ["everybody", "/account", "/account/step-up"],
    ["everybody", "/account/second-factor?app=yes", "/account/step-up"],
    ["none", "/account/second-factor?app=yes", "/account/step-up"],
  ]) {
    const bound = bind({ PAGES: "true", PASSKEYS: "off", REQUIRE_SECOND_FACTOR: required })
    const reader = createReader(bound)
    await reader.submit(await reader.open("/sign-in"), "sign-in", { email, password })
    const stepUp = await reader.open(page ?? "")
    expect([required, page, stepUp.status, stepUp.at.split("?")[0]]).toEqual([
      required,
      page,
      200,
      path,
    ])
    expect(stepUp.text).toContain(helps)
    const signedOut = await reader.submit(await reader.open("/sign-out"), "sign-out")
    expect(signedOut.at).toBe("/sign-in")
  }
})
