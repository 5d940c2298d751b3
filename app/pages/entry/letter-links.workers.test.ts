import { env } from "cloudflare:workers"
import { expect, test } from "vitest"

import { bindProduction } from "../../testing/browser.ts"
import { createMailbox } from "../../testing/mailbox.ts"
import { createNetwork } from "../../testing/network.ts"
import { createReader } from "../../testing/page-reader.ts"

const password = "a good long password"
const home = "https://app.example.com/inside"
const search = `?return=${encodeURIComponent(home)}`

function setUp(changes = {}) {
  const mailbox = createMailbox()
  const network = createNetwork({ "mail.example": mailbox.remote })
  const bound = bindProduction({ PAGES: "true", LIMIT_EMAIL: undefined, ...changes })
  const email = `letter-${crypto.randomUUID()}@example.com`
  return { mailbox, network, bound, email, reader: createReader(bound) }
}

/** The URLs of a browser that show a secret. */
function seen(history: string[], secret: string) {
  return history.filter((at) => at.includes(secret))
}

test("an invitation's token is in no history and no referrer, and opens the account", async () => {
  const { mailbox, network, bound, email, reader } = setUp()
  using _ = network
  const first = `admin-${email}`
  const form = await reader.open("/sign-up")
  await reader.submit(form, "sign-up", { name: "Ann", email: first, password })
  await reader.open(await mailbox.linkOf(first, "Verify your email address"))
  await env.DB.prepare("update user set role = 'admin' where email = ?").bind(first).run()
  await reader.submit(await reader.open("/sign-in"), "sign-in", { email: first, password })
  const body = { email }
  const origin = { origin: bound.AUTH_URL ?? "" }
  await reader.browser.post("/api/v1/inviteUser", body, origin)
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
  const { mailbox, network, bound, email, reader } = setUp()
  using _ = network
  const form = await reader.open("/sign-up")
  await reader.submit(form, "sign-up", { name: "Ada", email, password })
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
  "a sibling host that sets the browser's kept page to %s leads nobody there",
  async (hostile) => {
    const { mailbox, network, email, reader } = setUp()
    using _ = network
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
