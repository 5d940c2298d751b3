import { expect, test } from "vitest"

import { bindProduction } from "../../testing/browser.ts"
import { openMailbox } from "../../testing/mailbox.ts"
import { openPageAccount } from "../../testing/page-owner.ts"
import { createReader } from "../../testing/page-reader.ts"
import { password } from "../../testing/person.ts"

const home = "https://app.example.com/inside"
const search = `?return=${encodeURIComponent(home)}`

const bound = bindProduction({ PAGES: "true", LIMIT_EMAIL: undefined })

/** The URLs of a browser that show a secret. */
function seen(history: string[], secret: string) {
  return history.filter((at) => at.includes(secret))
}

test("an invitation's token is in no history and no referrer, and opens the account", async () => {
  const mailbox = openMailbox()
  const email = `guest-${crypto.randomUUID()}@example.com`
  const admin = await openPageAccount(bound, { change: "role = 'admin'" })
  const { reader } = admin
  await reader.open(await mailbox.linkOf(admin.email, "Verify your email address"))
  await reader.submit(await reader.open("/sign-in"), "sign-in", { email: admin.email, password })
  await reader.browser.post("/api/v1/inviteUser", { email }, { origin: bound.AUTH_URL ?? "" })
  const link = await mailbox.linkOf(email, "You have been invited")

  const guest = createReader({ ...bound, SIGN_UP: "invited" })
  const page = await guest.open(link)
  expect(page.at).toBe("/sign-up")
  const token = new URL(link).searchParams.get("invitation") ?? ""
  expect(seen(guest.history, token)).toEqual([link])
  expect(page.html).not.toContain(token)
  expect(page.headers.get("referrer-policy")).toBe("same-origin")
  const stranger = { name: "Eve", email: `other-${email}`, password }
  const refused = await guest.submit(page, "sign-up", stranger)
  expect(refused.status).toBe(400)
  const done = await guest.submit(page, "sign-up", { name: "Ada", email, password })
  expect(done.at).toBe("/account")
  expect([...guest.browser.cookies.keys()].some((name) => name.endsWith("invitation"))).toBe(false)
})

test("a reset that began at a front end leads back to it, in the browser that asked alone", async () => {
  const mailbox = openMailbox()
  const { reader, email } = await openPageAccount(bound)
  await reader.open(await mailbox.linkOf(email, "Verify your email address"))
  const forgotten = await reader.open(`/forgotten${search}`)
  await reader.submit(forgotten, "send", { email })
  const link = await mailbox.linkOf(email, "Reset your password")
  expect(link).not.toContain("inside")

  expect((await createReader(bound).open(link)).at).toBe("/reset-password")
  const newPassword = "a newer long password"
  const reset = await reader.submit(await reader.open(link), "reset", { newPassword })
  expect(reset.text).toContain("Your password has been changed")
  const back = await reader.submit(reset, "sign-in", { email, password: newPassword })
  expect(back.at).toBe(home)
  const token = new URL(link).searchParams.get("token") ?? ""
  expect(seen(reader.history, token)).toEqual([link])
})

test.each(["https://evil.example/", "https://app.example.com.evil.example/", "//evil.example"])(
  "a sibling host that sets the browser's kept page to %s does not redirect there",
  async (hostile) => {
    const mailbox = openMailbox()
    const reader = createReader(bound)
    const email = `ada-${crypto.randomUUID()}@example.com`
    const form = await reader.open(`/sign-up${search}`)
    await reader.submit(form, "sign-up", { name: "Ada", email, password })
    const name =
      [...reader.browser.cookies.keys()].find((cookie) => cookie.endsWith("return_page")) ?? ""
    expect(name).not.toBe("")
    reader.browser.cookies.set(name, encodeURIComponent(hostile))
    const verified = await reader.open(await mailbox.linkOf(email, "Verify your email address"))
    expect(verified.html).not.toContain("evil")
  },
)
