import { expect, test, vi } from "vitest"

import { bind, createBrowser } from "../../testing/browser.ts"
import { mail, openMailbox } from "../../testing/mailbox.ts"
import { createNetwork } from "../../testing/network.ts"
import { openPageAccount } from "../../testing/page-owner.ts"
import { createReader } from "../../testing/page-reader.ts"
import { password } from "../../testing/person.ts"

async function openAccount(changes: object = {}) {
  const bound = bind({ PAGES: "true", ...changes })
  return { bound, ...(await openPageAccount(bound, { name: "Ada" })) }
}

test("a sign-up that needs no email leads to the account, whose name can be changed", async () => {
  const { reader, page, email } = await openAccount()
  expect(page).toMatchObject({ at: "/account", status: 200 })
  expect(page.text).toContain(email)
  const saved = await reader.submit(page, "save", { name: "Ada L." })
  expect(saved.text).toMatch(/Signed in as Ada L\.[^]*Saved\./)
  const refused = await reader.submit(saved, "save", { name: "a".repeat(101) })
  expect(refused).toMatchObject({ status: 400 })
  expect(refused.html).toMatch(/id="save-name"[^>]*aria-invalid="true"/)
  expect(refused.text).toContain("up to 100 characters")
})

test("an address that is not verified has a button that sends its email, whose link says where to open it", async () => {
  const mailbox = openMailbox()
  const { bound, reader, page, email } = await openAccount(mail)
  const resent = await reader.submit(page, "again")
  expect(resent.text).toContain("an email is on its way")
  await mailbox.arrived(2)
  const link = await mailbox.linkOf(email, "Verify your email address")
  const codesAlone = { PASSWORDS: "off", EMAIL_CODE: "on" }
  const elsewhere = await createReader({ ...bound, ...codesAlone }).open(link)
  expect(elsewhere.text).toContain(
    "One more step This link verifies an account that you are not signed in to",
  )
  expect(elsewhere.html).toContain('class="button" href="/sign-in')
  expect((await reader.open(link)).at).toBe("/verify")
  expect((await reader.open("/account")).html).not.toContain('value="again"')
})

test("the profile has the language of the member's emails, which follow it", async () => {
  const mailbox = openMailbox()
  const { bound, reader, page, email } = await openAccount(mail)
  const chosen = async () => {
    const { html } = await reader.open("/account")
    return /value="(\w+)" selected/.exec(html)?.[1]
  }
  // The language of the page is stored at the sign-up.
  expect(await chosen()).toBe("en")
  await vi.waitFor(() => expect(mailbox.emails).toHaveLength(1), { timeout: 20_000 })
  const subjectOfReset = async () => {
    const before = mailbox.emails.length
    await createBrowser(bound).post("/api/auth/request-password-reset", { email })
    await vi.waitFor(() => expect(mailbox.emails.length).toBe(before + 1), { timeout: 20_000 })
    return mailbox.emails.at(-1)?.subject
  }
  const saved = await reader.submit(page, "save", { language: "de" })
  expect(saved.text).toContain("Saved.")
  expect(await chosen()).toBe("de")
  expect(await subjectOfReset()).toBe("Wähle ein neues Passwort")
  // Changing only the name keeps the language.
  await reader.submit(saved, "save", { name: "Ada L." })
  expect(await chosen()).toBe("de")
  const refused = await reader.submit(saved, "save", { language: "fr", name: "Grace" })
  expect(refused.text).not.toContain("Grace")
  expect(await chosen()).toBe("de")
  await reader.submit(saved, "save", { language: "browser" })
  expect(await chosen()).toBe("browser")
  expect(await subjectOfReset()).toBe("Reset your password")
})

test("a changed password signs the other devices out, and each is listed and ended by itself", async () => {
  const { bound, reader, email } = await openAccount()
  const phone = createReader(bound)
  await phone.submit(await phone.open("/sign-in"), "sign-in", { email, password })
  const devices = await reader.open("/account/devices")
  expect(devices.html.match(/<li>/g)?.length).toBeGreaterThan(2)
  const afterwards = await reader.submit(devices, "end")
  expect(afterwards.text).toContain("devices signed out")
  const signedOut = await phone.open("/account/plan")
  expect(signedOut.at).toMatch(/^\/sign-in\?return=.*plan/)

  const back = await phone.submit(signedOut, "sign-in", { email, password })
  expect(back).toMatchObject({ at: "/account/plan", status: 200 })
  const form = await reader.open("/account/password")
  const wrong = await reader.submit(form, "change", { currentPassword: "x", newPassword: password })
  expect(wrong.html).toMatch(/id="change-currentPassword"[^>]*aria-invalid="true"/)
  const change = { currentPassword: password, newPassword: "a newer password" }
  expect((await reader.submit(form, "change", change)).text).toContain("password changed")
  const oldPassword = await phone.submit(await phone.open("/account"), "sign-in", {
    email,
    password,
  })
  expect(oldPassword.text).toContain("Wrong address or password")
  expect((await reader.open("/account/security")).text).toContain("password changed")
})

test("a form that is sent once the session has ended leads to the sign-in, and then back to it", async () => {
  const { bound, reader, email, page } = await openAccount()
  await bound.DB.prepare("delete from session").run()
  const signIn = await reader.submit(page, "save", { name: "Late" })
  expect(signIn.at).toBe("/sign-in?return=http%3A%2F%2Flocalhost%3A8787%2Faccount")
  expect(signIn.text).toContain("Your session has ended")
  const back = await reader.submit(signIn, "sign-in", { email, password })
  expect(back.at).toBe("/account")
  expect(back.text).toContain("Signed in as Ada")
})

test("the data are one file, and an account is deleted by its password and a tick alone", async () => {
  const { reader, email } = await openAccount()
  const file = await reader.open("/account/data.json")
  expect(file.headers.get("content-disposition")).toContain("attachment")
  expect(await file.answer.json()).toMatchObject({ profile: { email }, sessions: [{}] })
  const form = await reader.open("/account/data")
  const unsure = await reader.submit(form, "delete", { password })
  expect(unsure.text).toContain("Please tick the box")
  const wrong = await reader.submit(form, "delete", { password: "wrong", sure: "yes" })
  expect(wrong.text).toContain("This is not your password")
  const goodbye = await reader.submit(form, "delete", { password, sure: "yes" })
  expect(goodbye.text).toContain("Your account has been deleted")
  const refused = await reader.submit(goodbye, "sign-in", { email, password })
  expect(refused.text).toContain("Wrong address or password")
})

test("a member who signs out stays signed out when the browser goes back", async () => {
  const { reader } = await openAccount()
  const asks = await reader.open("/sign-out")
  expect(asks.headers.get("cache-control")).toBe("no-store")
  expect((await reader.submit(asks, "sign-out")).text).toContain("You are signed out")
  expect((await reader.open("/account")).at).toMatch(/^\/sign-in/)
  const front = await reader.open("/sign-out?return=http%3A%2F%2Flocalhost%3A3000%2Fbye")
  expect(front.at).toBe("http://localhost:3000/bye")
})

test("sign-in methods are listed, and the only one stays", async () => {
  const { bound, email } = await openAccount()
  const providers = {
    IDENTITY_PROVIDERS: JSON.stringify({ idp: { issuer: "https://idp.example" } }),
    IDP_CLIENT_ID: "client",
    IDP_CLIENT_SECRET: "secret at the provider",
  }
  const reader = createReader({ ...bound, ...providers })
  await reader.submit(await reader.open("/sign-in"), "sign-in", { email, password })
  using _ = createNetwork({})
  const ways = await reader.open("/account/ways")
  expect(ways.text).toContain("Add Idp")
  expect(ways.html).not.toContain('value="remove"')
  expect(ways.text).toContain("Add another one first. Security")
  const added = await reader.submit(ways, "add")
  expect(added).toMatchObject({ at: "/account/ways", status: 200 })
  expect(added.text).toContain("The provider cannot be reached")
})
