import { env } from "cloudflare:workers"
import { expect, test } from "vitest"

import { bind, createBrowser } from "../../testing/browser.ts"
import { password } from "../../testing/person.ts"
import { emailOf, idOf, newAddress, openMail } from "./address/testing/mover.ts"

/* What an account may have is counted for the account; what a deleted one leaves, for each of its addresses. */

const bound = bind({ LIMIT_EMAIL: undefined, LIMIT_ADDRESS: undefined })

test("an address deletes one account in a day, since each leaves traces", async () => {
  const email = `again-${crypto.randomUUID()}@example.com`
  const open = async () => {
    const browser = createBrowser(bound)
    await browser.post("/api/auth/sign-up/email", { name: "Ada", email, password })
    return browser
  }
  const leave = async (browser: Awaited<ReturnType<typeof open>>) =>
    browser.post("/api/auth/delete-user", { password })
  const first = await open()
  expect((await leave(first)).status).toBe(200)
  const second = await open()
  const refused = await leave(second)
  expect([refused.status, await refused.json()]).toMatchObject([429, { code: "TOO_MANY_REQUESTS" }])
  const seconds = Number(refused.headers.get("retry-after"))
  expect(seconds).toBeGreaterThan(23 * 60 * 60)
  expect((await second.get("/api/v1/getProfile")).status).toBe(200)
  await env.DB.prepare("update attempt set since = since - 86400001").run()
  expect((await leave(second)).status).toBe(200)
})

test("another address in between lets nobody delete one account after another", async () => {
  const mail = openMail({ LIMIT_ADDRESS: undefined })
  const email = newAddress("again")
  const open = async () => {
    const browser = createBrowser(mail.bound)
    await browser.post("/api/auth/sign-up/email", { name: "Ada", email, password })
    const id = await idOf(email)
    await env.DB.prepare("update user set email_verified = 1, unproven_since = null where id = ?")
      .bind(id)
      .run()
    const moveTo = async (newEmail: string) => {
      await browser.post("/api/v1/changeEmail", { newEmail })
      const code = await mail.mailbox.codeOf(newEmail)
      return browser.post("/api/v1/confirmEmail", { newEmail, code })
    }
    const leave = () => browser.post("/api/auth/delete-user", { password })
    return { id: String(id), moveTo, leave }
  }
  const first = await open()
  expect((await first.moveTo(newAddress())).status).toBe(200)
  expect((await first.leave()).status).toBe(200)
  const second = await open()
  expect((await second.leave()).status).toBe(429)
  const moved = await second.moveTo(newAddress())
  expect([moved.status, await moved.json()]).toMatchObject([429, { code: "TOO_MANY_ATTEMPTS" }])
  expect(await emailOf(second.id)).toBe(email)
  await env.DB.prepare("update attempt set since = since - 86400001").run()
  expect((await second.moveTo(newAddress())).status).toBe(200)
})
