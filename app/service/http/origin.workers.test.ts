import { expect, test, vi } from "vitest"

import { bind, createBrowser, webUrl } from "../../testing/browser.ts"

const evil = "https://evil.example"

test.each(["GET", "POST", "OPTIONS"])("an untrusted origin is rejected on %s", async (method) => {
  const response = await createBrowser(bind(), evil).send(method, "/api/auth/get-session")
  expect(response.status).toBe(403)
  expect(await response.json()).toEqual({
    code: "INVALID_ORIGIN",
    message: "Invalid origin: add it to accounts:trustedOrigins of the stack file",
  })
  expect(response.headers.has("access-control-allow-origin")).toBe(false)
  expect(response.headers.get("vary")).toContain("Origin")
})

test("the log names the origin that is not trusted, whose page learns no reason", async () => {
  const warn = vi.spyOn(console, "warn").mockImplementation(() => {})
  await createBrowser(bind(), evil).get("/api/auth/get-session")
  const lines = warn.mock.calls.map(([line]) => JSON.parse(String(line)) as unknown)
  warn.mockRestore()
  const refused = { event: "request", refusedOrigin: evil, trustIn: "accounts:trustedOrigins" }
  expect(lines).toMatchObject([refused])
})

test("a cookie without an origin is rejected on an unsafe method", async () => {
  const browser = createBrowser(bind(), null)
  browser.cookies.set("accounts-local-host.session_token", "anything")
  const response = await browser.post("/api/auth/sign-out")
  expect(response.status).toBe(403)
  expect(await response.json()).toMatchObject({ code: "MISSING_OR_NULL_ORIGIN" })
})

test("a trusted origin is allowed credentials, and its preflight lists the methods", async () => {
  const preflight = await createBrowser().send("OPTIONS", "/api/auth/sign-in/email")
  expect(preflight.status).toBe(204)
  expect(Object.fromEntries(preflight.headers)).toMatchObject({
    "access-control-allow-origin": webUrl,
    "access-control-allow-credentials": "true",
    "access-control-allow-methods": "GET, POST",
    "access-control-allow-headers":
      "accounts-user, content-type, traceparent, tracestate, baggage, sentry-trace, x-datadog-trace-id, x-datadog-parent-id, x-datadog-origin, x-datadog-sampling-priority, x-datadog-tags",
  })
})

test.each([
  ["GET", "/api/auth/get-session"],
  ["GET", "/api/auth/get-session?disableCookieCache=true"],
  ["GET", "/api/auth/list-sessions"],
  ["GET", "/api/auth/nothing"],
  ["GET", "/api/v1/whoami"],
  ["GET", "/api/v1/getProfile"],
  ["GET", "/api/v1/openapi.json"],
])("a trusted origin may read the response to %s %s", async (method, path) => {
  const response = await createBrowser().send(method, path)
  expect(Object.fromEntries(response.headers)).toMatchObject({
    "access-control-allow-origin": webUrl,
    "access-control-allow-credentials": "true",
    "access-control-expose-headers": "accounts-version, retry-after, x-request-id",
    vary: "Origin",
  })
})

test("the two default origins are trusted, or exactly those of AUTH_TRUSTED_ORIGIN", async () => {
  const bound = bind({
    AUTH_TRUSTED_ORIGIN: "https://a.example, https://b.example",
    PASSKEYS: "off",
  })
  const statuses = async (origin: string, bindings: typeof bound) =>
    (await createBrowser(bindings, origin).get("/api/auth/get-session")).status
  expect(await statuses(webUrl, bind())).toBe(200)
  expect(await statuses("http://localhost:8787", bind())).toBe(200)
  expect(await statuses("https://b.example", bound)).toBe(200)
  expect(await statuses(webUrl, bound)).toBe(403)
})
