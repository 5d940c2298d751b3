import { expect, test } from "vitest"

import { plainBindings } from "./bindings.ts"
import { environmentOf } from "./testing/environment.ts"

test("a stack without optional keys binds only what it sets", () => {
  expect(plainBindings(environmentOf())).toEqual({
    ENVIRONMENT: "preview",
    NODE_ENV: "development",
    AUTH_URL: "https://api.example.com",
    WEB_URL: "https://app.example.com",
    AUTH_TRUSTED_ORIGIN: "https://app.example.com,https://api.example.com",
    VERIFY_EMAIL: "false",
    PASSKEYS: "api.example.com",
  })
})

test.each([
  ["the cookie's domain", { cookieDomain: "example.com" }, "example.com"],
  ["the one that is declared", { passkeys: { rpId: "app.example.com" } }, "app.example.com"],
  ["off, where that is declared", { passkeys: "off" as const }, "off"],
  ["off, where nobody could use one", { trustedOrigins: ["https://a.example.org"] }, "off"],
])("passkeys are of %s, and the Worker is told", (_, keys, expected) => {
  const environment = environmentOf({ environment: "preview", ...keys })
  expect(plainBindings(environment)["PASSKEYS"]).toBe(expected)
})

test("every optional key of a stack has its binding", () => {
  const environment = environmentOf({
    cookieDomain: "example.com",
    trustedOrigins: ["https://one.example.com", "https://two.example.com"],
    verifyEmail: true,
    mailUrl: "https://mail.example.com/send",
    mailFrom: "Accounts <accounts@example.com>",
    paymentUrl: "https://api.stripe.com",
    tokens: { audiences: ["https://orders.example.com"], minutes: 5 },
  })
  expect(plainBindings(environment)).toMatchObject({
    AUTH_COOKIE_DOMAIN: "example.com",
    AUTH_TRUSTED_ORIGIN: "https://one.example.com,https://two.example.com",
    VERIFY_EMAIL: "true",
    MAIL_URL: "https://mail.example.com/send",
    MAIL_FROM: "Accounts <accounts@example.com>",
    PAYMENT_URL: "https://api.stripe.com",
    TOKENS: '{"audiences":["https://orders.example.com"],"minutes":5}',
  })
})

test.each(["staging", "production"] as const)("%s is production and verifies e-mail", (name) => {
  expect(plainBindings(environmentOf({ environment: name }))).toMatchObject({
    ENVIRONMENT: name,
    NODE_ENV: "production",
    VERIFY_EMAIL: "true",
  })
})

test("a client id is bound under its provider's name and is not in the public list", () => {
  const issuer = "https://id.example.com"
  const provider = { issuer, clientId: "the-client", scopes: ["openid"] }
  const values = plainBindings(
    environmentOf({ identityProviders: { idp: provider, other: provider } }),
  )
  expect(values).toMatchObject({ IDP_CLIENT_ID: "the-client", IDP_OTHER_CLIENT_ID: "the-client" })
  const listed = { issuer, scopes: ["openid"] }
  expect(JSON.parse(values["IDENTITY_PROVIDERS"] ?? "")).toEqual({ idp: listed, other: listed })
})

test("a provider's preset is bound as the stack file has it, without its client id", () => {
  const preset = "microsoft" as const
  const declared = { preset, tenant: "common", emailDomains: ["example.com"] }
  const values = plainBindings(
    environmentOf({ identityProviders: { entra: { ...declared, clientId: "the-client" } } }),
  )
  expect(values).toMatchObject({ IDP_ENTRA_CLIENT_ID: "the-client" })
  expect(JSON.parse(values["IDENTITY_PROVIDERS"] ?? "")).toEqual({ entra: declared })
})
