import { expect, test } from "vitest"

import { bind, bindProduction, createBrowser } from "../../../testing/browser.ts"
import { browserCookies } from "./browser-cookies.ts"

const idp = {
  IDENTITY_PROVIDERS: JSON.stringify({
    idp: { issuer: "https://id.example.com", scopes: ["openid", "email"] },
  }),
  IDP_CLIENT_ID: "client",
  IDP_CLIENT_SECRET: "secret",
}

const production = {
  environment: "production",
  permanent: true,
  url: "https://api.example.com",
  readReplication: false,
}

test.each([
  {
    title: "shared by a domain",
    bound: bindProduction({ VERIFY_EMAIL: "false", ...idp }),
    origin: "https://app.example.com",
    scope: { ...production, cookieDomain: "example.com" },
  },
  {
    title: "of one host",
    bound: bindProduction({ VERIFY_EMAIL: "false", AUTH_COOKIE_DOMAIN: "", ...idp }),
    origin: "https://app.example.com",
    scope: { ...production, cookieDomain: undefined },
  },
  {
    title: "with read replication",
    bound: bindProduction({ VERIFY_EMAIL: "false", READ_REPLICATION: "auto" }),
    origin: "https://app.example.com",
    scope: { ...production, cookieDomain: "example.com", readReplication: true },
  },
  {
    title: "over plain http",
    bound: bind({ ENVIRONMENT: "local", AUTH_URL: "http://localhost:8787", ...idp }),
    origin: undefined,
    scope: {
      environment: "local",
      permanent: false,
      url: "http://localhost:8787",
      cookieDomain: undefined,
      readReplication: false,
    },
  },
])("the service sets the cookies that reviewers are told of, $title", async (row) => {
  const browser = createBrowser(row.bound, row.origin)
  const user = { email: `ada-${crypto.randomUUID()}@example.com`, password: "a good long password" }
  const answers = [
    await browser.post("/api/auth/sign-up/email", { name: "Ada", ...user }),
    await browser.post("/api/auth/sign-in/email", { ...user, rememberMe: false }),
  ]
  expect(answers.map(({ status }) => status)).toEqual([200, 200])
  const told = browserCookies(row.scope)
  const seen = answers.flatMap(({ headers }) => headers.getSetCookie()).map(describeCookie)
  expect(new Set(seen.map(({ name }) => name)).size).toBeGreaterThanOrEqual(3)
  for (const { name, attributes } of seen) {
    expect({ name, attributes }).toEqual({ name, attributes: told[name]?.split("; ").toSorted() })
  }
})

function describeCookie(line: string) {
  const [pair = "", ...attributes] = line.split("; ")
  const kept = attributes.filter((one) => !/^(?:Max-Age|Expires)=/i.test(one))
  return { name: pair.split("=")[0] ?? "", attributes: kept.toSorted() }
}
