import { expect, test } from "vitest"

import { bind, copyBrowser, createBrowser } from "../../../testing/browser.ts"
import { mail } from "../../../testing/mailbox.ts"
import { createProvenPerson } from "../../../testing/passkey-person.ts"
import { createPerson, password } from "../../../testing/person.ts"
import { google, visit } from "../../../testing/preset-visit.ts"
import { visitProvider } from "../../../testing/provider-visit.ts"
import { countRows } from "../../../testing/rows.ts"

const closed = { SIGN_UP: "closed" }

function account() {
  return { name: "Ada", email: `${crypto.randomUUID()}@example.com`, password }
}

async function accounts(email: string) {
  return countRows("user", "email", email)
}

test("where sign-up is closed, the form refuses known and unknown addresses alike, and members sign in", async () => {
  const { bound } = await visitProvider()
  const { email } = await createPerson(bound)
  const visitor = createBrowser({ ...bound, ...closed })
  const answers = await Promise.all(
    [{ ...account(), email }, account()].map(async (body) => {
      const answer = await visitor.post("/api/auth/sign-up/email", body)
      return [answer.status, await answer.text()]
    }),
  )
  expect(answers[0]).toEqual(answers[1])
  expect(answers[0]).toEqual([403, expect.stringContaining("SIGN_UP_CLOSED")])
  expect((await visitor.post("/api/auth/sign-in/email", { email, password })).status).toBe(200)
})

test("where sign-up is closed, a provider opens no account, and lets in who has one", async () => {
  const { provider, start, finish, session } = await visitProvider({ changes: closed })
  const { email } = account()
  provider.forge({ claims: { sub: email, email } })
  expect(await finish(provider.authorize(await start()))).toMatch(/\?error=sign_up_closed$/)
  expect([await session(), await accounts(email)]).toEqual([null, 0])
  const person = await createProvenPerson()
  provider.forge({ claims: { sub: person.email, email: person.email } })
  expect(await finish(provider.authorize(await start()))).toBe("http://localhost:3000")
  expect(await session()).toMatchObject({ user: { id: person.id } })
})

test("where sign-up is closed, a pending sign-up is finished by its email or its address's authority", async () => {
  const changes = { ...mail, VERIFY_EMAIL: "true", ...closed }
  const { bound, provider, start, finish, mailbox } = await visitProvider({ changes })
  const [first, second] = [account(), account()]
  const browser = createBrowser({ ...bound, SIGN_UP: "open" })
  for (const body of [first, second]) await browser.post("/api/auth/sign-up/email", body)
  const atClosed = copyBrowser(browser, bound)
  await atClosed.post("/api/auth/send-verification-email", { email: second.email })
  await atClosed.open(await mailbox.linkOf(second.email, "Verify your email address"))
  expect((await atClosed.post("/api/auth/sign-in/email", second)).status).toBe(200)
  provider.forge({ claims: { sub: first.email, email: first.email } })
  expect(await finish(provider.authorize(await start()))).toBe("http://localhost:3000")
  expect(await accounts(first.email)).toBe(1)
})

test("where sign-up is closed, who is not the authority of an address takes no sign-up's place", async () => {
  const email = `${crypto.randomUUID()}@elsewhere.example`
  const preview = { ENVIRONMENT: "preview", KEEP_MAIL: "true", VERIFY_EMAIL: "true" } as const
  const stranger = createBrowser(bind(preview))
  using visitor = visit(google, { preset: "google" }, closed)
  await stranger.post("/api/auth/sign-up/email", { ...account(), email })
  const landed = await visitor.signIn({ sub: email, email, email_verified: true })
  expect(landed).toMatchObject({ location: expect.stringMatching(/\?error=sign_up_closed$/) })
  expect(await accounts(email)).toBe(1)
})
