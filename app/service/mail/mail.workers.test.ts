import { expect, test, vi } from "vitest"

import { bindProduction, createBrowser } from "../../testing/browser.ts"
import { createNetwork } from "../../testing/network.ts"

test.each([
  ["Accounts <accounts@example.com>", "Accounts <accounts@example.com>"],
  [undefined, "no-reply@app.example.com"],
])("with MAIL_FROM %s the sender of an e-mail is %s", async (MAIL_FROM, from) => {
  const sent: unknown[] = []
  createNetwork({
    "mail.example": async (request) => {
      sent.push(await request.json())
      return Response.json({})
    },
  })
  const browser = createBrowser(bindProduction({ MAIL_FROM }), "https://app.example.com")
  const email = `sender-${crypto.randomUUID()}@example.com`
  await browser.post("/api/auth/sign-up/email", { name: "Ada", email, password: "a good password" })
  await vi.waitFor(() => expect(sent).toMatchObject([{ from, to: email }]), { timeout: 30_000 })
})
