import { env } from "cloudflare:workers"
import { expect, test } from "vitest"

import { limits } from "../../plan/plan.ts"
import { bind, bindProduction, createBrowser } from "../../testing/browser.ts"
import { createCountingDatabase } from "../../testing/counting-database.ts"

async function settingsOf(bound: ReturnType<typeof bind>) {
  const response = await createBrowser(bound, null).get("/api/v1/settings")
  expect(response.status).toBe(200)
  return response.json()
}

test("the settings of an environment are public and take no query", async () => {
  const counting = createCountingDatabase(env.DB)
  const statements = await counting.during(async () => {
    expect(await settingsOf(bind({ DB: counting.database }))).toEqual({
      signInProviders: [],
      signUp: "open",
      passwords: true,
      emailCode: false,
      passkeys: true,
      secondFactor: true,
      requireSecondFactor: "none",
      verifiesEmail: false,
      sendsEmail: false,
      issuesTokens: false,
      password: { minimum: 8, maximum: 128 },
      plans: limits,
      prices: {},
    })
  })
  expect(statements).toEqual([])
})

test("each setting follows the environment", async () => {
  const bound = bindProduction({
    SIGN_UP: "invited",
    PASSWORDS: "off",
    TOKENS: JSON.stringify({ audiences: ["https://orders.example"] }),
    IDENTITY_PROVIDERS: JSON.stringify({ idp: { issuer: "https://id.example" } }),
    IDP_CLIENT_ID: "client",
    IDP_CLIENT_SECRET: "a-secret-of-the-client",
  })
  expect(await settingsOf(bound)).toMatchObject({
    signInProviders: ["idp"],
    signUp: "invited",
    passwords: false,
    emailCode: false,
    passkeys: true,
    secondFactor: true,
    verifiesEmail: true,
    sendsEmail: true,
    issuesTokens: true,
  })
})
