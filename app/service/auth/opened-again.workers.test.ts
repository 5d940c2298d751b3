import { env } from "cloudflare:workers"
import { expect, test } from "vitest"

import { bind, createBrowser } from "../../testing/browser.ts"
import { password } from "../../testing/person.ts"

/* What an account may have is counted for the account; what a deleted one leaves, for its address. */

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
