import { expect, test, vi } from "vitest"

import { bindProduction, createBrowser } from "../../testing/browser.ts"
import { createEveryRoute, visitEveryRoute } from "../../testing/every-route.ts"
import { createNetwork } from "../../testing/network.ts"

test.each([
  ["Accounts <accounts@example.com>", "Accounts <accounts@example.com>"],
  [undefined, "no-reply@app.example.com"],
])("with MAIL_FROM %s the sender of an e-mail is %s", async (MAIL_FROM, from) => {
  const sent: unknown[] = []
  using _ = createNetwork({
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

/** Letters go to addresses whose owners may never have asked: nobody else's words may be in them. */
test("no letter of any route says what somebody has typed: a name, an address, a browser's own name", async () => {
  const route = await createEveryRoute({ LIMIT_EMAIL: undefined, LIMIT_ADDRESS: undefined })
  using _ = route.network()
  await visitEveryRoute(route, async (_name, action) => action())
  const browser = createBrowser(route.bound)
  const typed = `visit evil.example "'><m-arker>`
  const account = { name: typed, password: "a good long password" }
  const headers = { "user-agent": typed }
  await browser.post("/api/auth/sign-up/email", { ...account, email: "typed@example.com" }, headers)
  await browser.post("/api/auth/sign-in/code/begin", { email: "typed@example.com" }, headers)
  await browser.post("/api/auth/request-password-reset", { email: "typed@example.com" }, headers)
  await route.mailbox.codeOf("typed@example.com")

  const letters = route.mailbox.emails.map(({ subject, text }) =>
    `${subject}\n${text}`.replaceAll(/https?:\/\/\S+/g, ""),
  )
  expect(letters.length).toBeGreaterThan(10)
  expect(letters.filter((one) => /\bAda\b|evil|m-arker|@|[<>]/.test(one))).toEqual([])
})
