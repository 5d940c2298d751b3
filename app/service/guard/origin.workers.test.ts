import { expect, test, vi } from "vitest"

import { apiUrl, bind, bindProduction, createBrowser, webUrl } from "../../testing/browser.ts"
import { createPerson } from "../../testing/person.ts"
import { isTrustedRedirect } from "../platform/http/redirect.ts"

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

const origins = ["https://app.example.com", "http://localhost:3000"]

const apis = ["https://api.example.com", "http://localhost:8787", "https://app.example.com/a/b"]

/** Resolves a URL like browsers and the library, on a page of the API. */
function readAt(api: string, text: string) {
  return URL.parse(text, api)?.origin
}

test("whatever is trusted leads to the same trusted origin for every reader", () => {
  const schemes = ["https:", "http:", "HTTPS:", "//", "https", ""]
  const slashes = ["", "/", "//", "///", "\\\\", "/\t/"]
  const hosts = [
    "app.example.com",
    "localhost:3000",
    "APP.example.com",
    "app.example.com.",
    "evil.example",
  ]
  const before = ["", "x@", "app.example.com@", "app.example.com:443@", ":@"]
  const after = [
    "",
    "/",
    "?a=b",
    "#a",
    ":443",
    ":3000",
    ".evil.example",
    "/../../x",
    "@evil.example",
    "0",
    "\u2000",
  ]
  const texts = schemes.flatMap((scheme) =>
    slashes.flatMap((slash) =>
      before.flatMap((user) =>
        hosts.flatMap((host) => after.map((end) => `${scheme}${slash}${user}${host}${end}`)),
      ),
    ),
  )
  const trusted = texts.filter((text) => isTrustedRedirect(text, origins))
  expect([texts.length, trusted.length]).toEqual([9900, 10])
  for (const text of trusted) {
    for (const api of apis) expect(origins).toContain(readAt(api, text))
  }
})

test("a link without a page leads nowhere, rather than to a path of the API", async () => {
  const browser = createBrowser(bindProduction(), null)
  for (const query of ["?callbackURL=", "?callbackURL=&callbackURL=", "", "?errorCallbackURL="]) {
    const answer = await browser.get(`/api/auth/reset-password/x${query}`)
    expect([query, answer.status, answer.headers.get("location")]).toEqual([query, 400, null])
  }
  for (const query of ["token=x&callbackURL=", "token=x"]) {
    const answer = await browser.get(`/api/auth/verify-email?${query}`)
    expect([answer.status, await answer.json()]).toMatchObject([401, { code: "INVALID_TOKEN" }])
  }
})

test.each([webUrl, apiUrl, null])(
  "an answer of the service's own to %s has exactly the headers of all other responses",
  async (origin) => {
    const { browser } = await createPerson()
    const failed = await browser.send("GET", "/api/v1/nothing", { from: origin })
    const expected = { ...Object.fromEntries(failed.headers), "x-request-id": expect.anything() }
    for (const path of ["/api/auth/get-session", "/api/auth/list-sessions", "/api/v1/getProfile"]) {
      const response = await browser.send("GET", path, { from: origin })
      expect(response.status).toBe(200)
      expect(Object.fromEntries(response.headers), path).toEqual(expected)
    }
  },
)
