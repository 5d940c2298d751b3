import { expect, test, vi } from "vitest"

import { bind, bindProduction, copyBrowser, createBrowser } from "../../../testing/browser.ts"

async function refusal(changes: Parameters<typeof bindProduction>[0]) {
  const spy = vi.spyOn(console, "error").mockImplementation(() => {})
  const browser = createBrowser(bindProduction(changes), "https://app.example.com")
  const response = await browser.get("/api/auth/get-session")
  const lines = spy.mock.calls.map(([line]) => String(line))
  spy.mockRestore()
  return { browser, response, lines }
}

test.each([undefined, "", "short"])(
  "configuration fails closed with AUTH_SECRET %j",
  async (AUTH_SECRET) => {
    const { browser, response, lines } = await refusal({ AUTH_SECRET })
    expect(response.status).toBe(503)
    expect(await response.json()).toMatchObject({ code: "SERVICE_MISCONFIGURED" })
    expect(lines[0]).toContain("AUTH_SECRET: ")
    expect((await browser.get("/api/health")).status).toBe(200)
  },
)

test("configuration reports every problem at once", async () => {
  const { lines } = await refusal({
    AUTH_SECRET: undefined,
    AUTH_URL: "http://api.example.com/",
    NODE_ENV: undefined,
  })
  for (const name of ["AUTH_SECRET", "AUTH_URL", "NODE_ENV"]) expect(lines[0]).toContain(name)
})

test("configuration rejects a cookie domain that browsers would reject", async () => {
  const { lines } = await refusal({ AUTH_COOKIE_DOMAIN: "example.org" })
  expect(lines[0]).toContain("AUTH_COOKIE_DOMAIN: api.example.com is not under example.org")
  const { response } = await refusal({ AUTH_COOKIE_DOMAIN: "com" })
  expect(response.status).toBe(503)
})

test("configuration without AUTH_SECRET or AUTH_URL warns, and draws a secret per isolate", async () => {
  const spy = vi.spyOn(console, "warn").mockImplementation(() => {})
  const bound = bind({ AUTH_SECRET: undefined, AUTH_URL: undefined })
  const browser = createBrowser(bound)
  const account = { name: "Bo", email: "bo@example.com", password: "a good long password" }
  expect((await browser.post("/api/auth/sign-up/email", account)).status).toBe(200)
  expect(await (await browser.get("/api/auth/get-session")).json()).not.toBeNull()
  const warnings = spy.mock.calls.map(([line]) => String(line)).join("\n")
  spy.mockRestore()
  expect(warnings).toContain("AUTH_SECRET is not set")
  expect(warnings).toContain("AUTH_URL is not set")
  const nextIsolate = copyBrowser(browser, { ...bound })
  expect(await (await nextIsolate.get("/api/auth/get-session")).json()).toBeNull()
})

test.each([
  ["AUTH_TRUSTED_ORIGIN", "https://app.example.com,https://*"],
  ["AUTH_TRUSTED_ORIGIN", "https://*.example.com"],
  ["AUTH_TRUSTED_ORIGIN", "https://app.example.com,http://plain.example.net"],
  ["AUTH_TRUSTED_ORIGIN", "ftp://app.example.com"],
  ["WEB_URL", "https://*"],
  ["AUTH_URL", "https://*.example.com"],
])("configuration rejects %s with %s, which is not one exact origin", async (name, value) => {
  const { response, lines } = await refusal({ [name]: value })
  expect(response.status).toBe(503)
  expect(lines[0]).toContain(name)
})
