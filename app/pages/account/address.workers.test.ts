import { env } from "cloudflare:workers"
import { expect, test } from "vitest"

import { bind } from "../../testing/browser.ts"
import { mail, openMailbox } from "../../testing/mailbox.ts"
import { openPageAccount } from "../../testing/page-owner.ts"
import { password } from "../../testing/person.ts"

async function openAccount() {
  const mailbox = openMailbox()
  const bound = bind({ PAGES: "true", ...mail, LIMIT_EMAIL: undefined })
  return { mailbox, ...(await openPageAccount(bound, { change: "email_verified = 1" })) }
}

test("the address is changed in two steps, and the code may have spaces", async () => {
  const { mailbox, reader, email } = await openAccount()
  const newEmail = `new-${email}`
  const page = await reader.open("/account/address")
  expect(page.text).toContain(email)
  const odd = await reader.submit(page, "ask", { newEmail: "nobody" })
  expect(odd).toMatchObject({ status: 400 })
  expect(odd.html).toMatch(/id="ask-newEmail"[^>]*aria-invalid="true"/)
  const codePage = await reader.submit(page, "ask", { newEmail })
  expect(codePage.text).toContain(newEmail)
  const code = await mailbox.codeOf(newEmail)
  const wrong = await reader.submit(codePage, "confirm", { code: "00000000" })
  expect(wrong.text).toContain("This is not the code")
  const short = await reader.submit(codePage, "confirm", { code: "1" })
  expect(short.text).toContain("Please enter all digits of the code")
  const spaced = `${code.slice(0, 4)} ${code.slice(4)}`
  const confirmed = await reader.submit(codePage, "confirm", { code: spaced })
  expect(confirmed.text).toContain("address changed")
  expect((await reader.open("/account")).text).toContain(newEmail)
})

test("a step-up stands before the code, and leads back", async () => {
  const { reader, email } = await openAccount()
  await env.DB.exec("update session set proven_at = 1")
  const page = await reader.open("/account/address")
  const stepUp = await reader.submit(page, "ask", { newEmail: `new-${email}` })
  expect(stepUp.at).toMatch(/^\/account\/step-up/)
  const proven = await reader.submit(stepUp, "password", { password })
  expect(proven.at).toMatch(/^\/account\/address/)
})

test("who has no password is offered to choose one, and then to change it", async () => {
  const { reader, email } = await openAccount()
  await env.DB.prepare(
    "update account set provider_id = 'idp', password = null where user_id = (select id from user where email = ?)",
  )
    .bind(email)
    .run()
  const page = await reader.open("/account/password")
  expect(page.text).toContain("Your account has no password")
  const set = await reader.submit(page, "set", { newPassword: "a first long password" })
  expect(set.text).toContain("password added")
  expect((await reader.open("/account/password")).html).toContain('name="currentPassword"')
})

test("a device has a name once its owner gives it one", async () => {
  const { reader } = await openAccount()
  const page = await reader.open("/account/devices")
  const renamed = await reader.submit(page, "name", { name: "Kitchen <tablet>" })
  expect(renamed.text).toContain("Saved.")
  expect((await reader.open("/account/devices")).html).toContain("Kitchen &lt;tablet&gt;")
})
