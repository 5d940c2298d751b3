import { expect, test } from "vitest"

import { secretsToGenerate } from "./secrets.ts"
import { environmentOf } from "./testing/environment.ts"

const sandboxes = { mailUrl: "http://127.0.0.1:8791/send", paymentUrl: "http://[::1]:8792" }
const services = {
  mailUrl: "https://mail.example.com/send",
  paymentUrl: "https://api.stripe.com",
}

/** Of those that the project comes with; a copy has others, too. */
const known = new Set([
  "SMOKE_KEY",
  "AUTH_SECRET",
  "MAIL_SECRET",
  "PAYMENT_SECRET",
  "PAYMENT_WEBHOOK_SECRET",
  "IDP_CLIENT_SECRET",
])

function generated(changes?: Parameters<typeof environmentOf>[0]) {
  return secretsToGenerate(environmentOf(changes)).filter((name) => known.has(name))
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
  const named = {
    mailUrl: "http://localhost:8791/send",
    paymentUrl: "http://127.0.0.1.example.com",
  }
  expect(generated(named)).toEqual(["SMOKE_KEY", "AUTH_SECRET"])
})

test.each(["staging", "production"] as const)("%s generates only SMOKE_KEY", (environment) => {
  expect(generated({ environment, ...sandboxes })).toEqual(["SMOKE_KEY"])
})

test("a secret that the stack file brings is not generated", () => {
  const secrets = { AUTH_SECRET: "a".repeat(32), SMOKE_KEY: "k".repeat(32) }
  expect(generated({ secrets, ...sandboxes })).not.toEqual(expect.arrayContaining(["AUTH_SECRET"]))
  expect(generated({ secrets })).toEqual([])
})
