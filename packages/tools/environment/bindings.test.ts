import { expect, test } from "vitest"

import { plainBindings } from "./bindings.ts"
import { secretsToGenerate } from "./secrets.ts"
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
  ["off, if that is declared", { passkeys: "off" as const }, "off"],
  ["off, if no origin could use one", { trustedOrigins: ["https://a.example.org"] }, "off"],
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

const sandboxes = { mailUrl: "http://127.0.0.1:8791/send", paymentUrl: "http://[::1]:8792" }
const services = {
  mailUrl: "https://mail.example.com/send",
  paymentUrl: "https://api.stripe.com",
}

/** The secrets of this project; a fork may have more. */
const ownSecrets = new Set([
  "SMOKE_KEY",
  "AUTH_SECRET",
  "MAIL_SECRET",
  "PAYMENT_SECRET",
  "PAYMENT_WEBHOOK_SECRET",
  "IDP_CLIENT_SECRET",
])

function generated(changes?: Parameters<typeof environmentOf>[0]) {
  return secretsToGenerate(environmentOf(changes)).filter((name) => ownSecrets.has(name))
}

test("a temporary environment generates its own secrets and those of its sandboxes", () => {
  expect(generated()).toEqual(["SMOKE_KEY", "AUTH_SECRET"])
  expect(generated(sandboxes)).toEqual([
    "SMOKE_KEY",
    "AUTH_SECRET",
    "MAIL_SECRET",
    "PAYMENT_SECRET",
    "PAYMENT_WEBHOOK_SECRET",
  ])
})

test("the keys of a real mail or payment service are never generated", () => {
  expect(generated(services)).toEqual(["SMOKE_KEY", "AUTH_SECRET"])
})

test("the client secret of the identity provider idp is generated where it is a sandbox", () => {
  const secretsFor = (issuer: string, name = "idp") =>
    generated({ identityProviders: { [name]: { issuer, clientId: "a" } } })
  expect(secretsFor("http://127.0.0.1:8793")).toContain("IDP_CLIENT_SECRET")
  expect(secretsFor("https://id.example.com")).not.toContain("IDP_CLIENT_SECRET")
  expect(secretsFor("http://127.0.0.1:8793", "other")).not.toContain("IDP_CLIENT_SECRET")
})

test("a host name is never a sandbox, even localhost", () => {
  const hosts = {
    mailUrl: "http://localhost:8791/send",
    paymentUrl: "http://127.0.0.1.example.com",
  }
  expect(generated(hosts)).toEqual(["SMOKE_KEY", "AUTH_SECRET"])
})

test.each(["staging", "production"] as const)("%s generates only SMOKE_KEY", (environment) => {
  expect(generated({ environment, ...sandboxes })).toEqual(["SMOKE_KEY"])
})

test("a secret that the stack file brings is not generated", () => {
  const secrets = { AUTH_SECRET: "a".repeat(32), SMOKE_KEY: "k".repeat(32) }
  expect(generated({ secrets, ...sandboxes })).not.toEqual(expect.arrayContaining(["AUTH_SECRET"]))
  expect(generated({ secrets })).toEqual([])
})
