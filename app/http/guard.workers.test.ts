import { env } from "cloudflare:workers"
import { describe, expect, it, vi } from "vitest"

import { bind, bindProduction, createBrowser, webUrl } from "../testing/browser.ts"

const evil = "https://evil.example"

describe("origins", () => {
  it.each(["GET", "POST", "OPTIONS"])("refuses an untrusted one on %s", async (method) => {
    const response = await createBrowser(bind(), evil).send(method, "/api/auth/get-session")
    expect(response.status).toBe(403)
    expect(await response.json()).toEqual({ code: "INVALID_ORIGIN", message: "Invalid origin" })
    expect(response.headers.has("access-control-allow-origin")).toBe(false)
    expect(response.headers.get("vary")).toContain("Origin")
  })

  it("refuses a cookie without an origin where something would change", async () => {
    const browser = createBrowser(bind(), null)
    browser.cookies.set("accounts-host.session_token", "anything")
    const response = await browser.post("/api/auth/sign-out")
    expect(response.status).toBe(403)
    expect(await response.json()).toMatchObject({ code: "MISSING_OR_NULL_ORIGIN" })
  })

  it("answers a trusted one with credentials and its preflight with the methods", async () => {
    const preflight = await createBrowser().send("OPTIONS", "/api/auth/sign-in/email")
    expect(preflight.status).toBe(204)
    expect(Object.fromEntries(preflight.headers)).toMatchObject({
      "access-control-allow-origin": webUrl,
      "access-control-allow-credentials": "true",
      "access-control-allow-methods": "GET, POST",
      "access-control-allow-headers": "content-type",
    })
  })

  it.each([
    ["GET", "/api/auth/get-session"],
    ["GET", "/api/auth/get-session?disableCookieCache=true"],
    ["GET", "/api/auth/list-sessions"],
    ["GET", "/api/auth/nothing"],
    ["GET", "/api/v1/whoami"],
    ["GET", "/api/v1/getProfile"],
    ["GET", "/api/v1/openapi.json"],
  ])("lets a trusted one read the answer of %s %s", async (method, path) => {
    const response = await createBrowser().send(method, path)
    expect(Object.fromEntries(response.headers)).toMatchObject({
      "access-control-allow-origin": webUrl,
      "access-control-allow-credentials": "true",
      "access-control-expose-headers": "accounts-version, retry-after, x-request-id",
      vary: "Origin",
    })
  })

  it("trusts the two default origins, or exactly the list of AUTH_TRUSTED_ORIGIN", async () => {
    const bound = bind({ AUTH_TRUSTED_ORIGIN: "https://a.example, https://b.example" })
    const statuses = async (origin: string, bindings: typeof bound) =>
      (await createBrowser(bindings, origin).get("/api/auth/get-session")).status
    expect(await statuses(webUrl, bind())).toBe(200)
    expect(await statuses("http://localhost:8787", bind())).toBe(200)
    expect(await statuses("https://b.example", bound)).toBe(200)
    expect(await statuses(webUrl, bound)).toBe(403)
  })
})

describe("paths", () => {
  it("answers 404 as JSON", async () => {
    for (const path of ["/", "/api", "/api/auth/nothing", "/api/auth/update-user"]) {
      const response = await createBrowser().get(path)
      expect(response.status).toBe(404)
      expect(await response.json()).toMatchObject({ code: "NOT_FOUND" })
    }
  })

  it("answers 405 with the allowed methods", async () => {
    const response = await createBrowser().get("/api/auth/sign-out")
    expect(response.status).toBe(405)
    expect(response.headers.get("allow")).toBe("POST")
    expect(await response.json()).toMatchObject({ code: "METHOD_NOT_ALLOWED" })
  })
})

describe("configuration", () => {
  const refusal = async (changes: Parameters<typeof bindProduction>[0]) => {
    const spy = vi.spyOn(console, "error").mockImplementation(() => {})
    const browser = createBrowser(bindProduction(changes), "https://app.example.com")
    const response = await browser.get("/api/auth/get-session")
    const lines = spy.mock.calls.map(([line]) => String(line))
    spy.mockRestore()
    return { browser, response, lines }
  }

  it.each([undefined, "", "short"])("fails closed with AUTH_SECRET %j", async (AUTH_SECRET) => {
    const { browser, response, lines } = await refusal({ AUTH_SECRET })
    expect(response.status).toBe(503)
    expect(await response.json()).toMatchObject({ code: "SERVICE_MISCONFIGURED" })
    expect(lines[0]).toContain("AUTH_SECRET: ")
    expect((await browser.get("/api/health")).status).toBe(200)
  })

  it("names every problem at once", async () => {
    const { lines } = await refusal({
      AUTH_SECRET: undefined,
      AUTH_URL: "http://api.example.com/",
      NODE_ENV: undefined,
    })
    for (const name of ["AUTH_SECRET", "AUTH_URL", "NODE_ENV"]) expect(lines[0]).toContain(name)
  })

  it("refuses a cookie domain the browser would refuse", async () => {
    const { lines } = await refusal({ AUTH_COOKIE_DOMAIN: "example.org" })
    expect(lines[0]).toContain("AUTH_COOKIE_DOMAIN: api.example.com is not under example.org")
  })

  it("warns and draws a secret per isolate elsewhere", async () => {
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
    const nextIsolate = createBrowser({ ...bound })
    for (const [name, value] of browser.cookies) nextIsolate.cookies.set(name, value)
    expect(await (await nextIsolate.get("/api/auth/get-session")).json()).toBeNull()
  })
})

describe("health", () => {
  it("answers from memory with the version and the migrations of the build", async () => {
    const response = await createBrowser(bind(), evil).get("/api/health")
    expect(response.status).toBe(200)
    expect(Object.fromEntries(response.headers)).toEqual({
      "accounts-version": env.VERSION.id,
      "cache-control": "no-store",
      "content-type": "application/json",
      "strict-transport-security": "max-age=63072000; includeSubDomains",
      "x-content-type-options": "nosniff",
    })
    expect(await response.json()).toEqual({
      status: "ok",
      version: { id: env.VERSION.id, tag: env.VERSION.tag },
      migrations: { expected: env.TEST_MIGRATIONS.at(-1)?.name },
    })
  })

  it("compares with the ledger when asked", async () => {
    const current = await createBrowser().get("/api/health?schema=1")
    const head = env.TEST_MIGRATIONS.at(-1)?.name
    expect(current.status).toBe(200)
    expect(await current.json()).toMatchObject({ migrations: { expected: head, found: head } })

    await env.DB.prepare("insert into d1_migrations (name) values ('9999_later.sql')").run()
    const behind = await createBrowser().get("/api/health?schema=1")
    expect(behind.status).toBe(503)
    expect(await behind.json()).toMatchObject({
      status: "behind",
      migrations: { expected: head, found: "9999_later.sql" },
    })
  })
})
