import { env } from "cloudflare:workers"
import { expect, test, vi } from "vitest"

import operating from "../../../docs/operating.md?raw"
import { bind, createBrowser } from "../../testing/browser.ts"
import { createFailingDatabase } from "../../testing/failing-database.ts"
import { createPerson, password } from "../../testing/person.ts"

const codes: Record<number, string> = {
  401: "UNAUTHORIZED",
  404: "NOT_FOUND",
  405: "METHOD_NOT_ALLOWED",
}

test.each([
  ["GET", "/api/auth/get-session", 200],
  ["GET", "/api/v1/whoami", 200],
  ["GET", "/", 404],
  ["GET", "/api", 404],
  ["GET", "/nothing", 404],
  ["GET", "/api/auth/nothing", 404],
  ["GET", "/api/auth/update-user", 404],
  ["GET", "/api/v1/nothing", 404],
  ["GET", "/api/v1/whoami/", 404],
  ["GET", "/api/v1/updateProfile", 405],
  ["DELETE", "/api/v1/whoami", 405],
  ["GET", "/api/auth/sign-out", 405],
  ["PUT", "/api/auth/get-session", 405],
  ["PUT", "/api/auth/callback/idp", 405],
  ["GET", "/api/v1/getProfile", 401],
])(
  "the response to %s %s has a version, a request id of the service and security headers",
  async (method, path, status) => {
    const headers = { "x-request-id": "what-a-client-chose" }
    const response = await createBrowser().send(method, path, { headers })
    expect(response.status).toBe(status)
    expect(response.headers.get("content-type")).toMatch(/^application\/json/)
    expect(Object.fromEntries(response.headers)).toMatchObject({
      "accounts-version": env.VERSION.id,
      "x-request-id": expect.stringMatching(/^[0-9a-f-]{36}$/),
      "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
      "cache-control": "no-store",
      "referrer-policy": "no-referrer",
      "x-content-type-options": "nosniff",
    })
    expect(response.headers.get("allow") ?? "").toMatch(status === 405 ? /^(GET|POST)/ : /^$/)
    const answer = await response.json<{ code?: string } | null>()
    expect(answer?.code).toBe(codes[status])
  },
)

test("a request body that is too large is rejected, with or without a content length", async () => {
  const browser = createBrowser()
  const body = JSON.stringify({ name: "x".repeat(130 * 1024) })
  for (const path of ["/api/auth/sign-up/email", "/api/v1/updateProfile"]) {
    const headers = { "content-type": "application/json" }
    const announced = await browser.send("POST", path, {
      headers: { ...headers, "content-length": String(body.length) },
      body,
    })
    expect(announced.status).toBe(413)
    const streamed = await browser.send("POST", path, { headers, body })
    expect(streamed.status).toBe(413)
    expect(await streamed.json()).toMatchObject({ code: "PAYLOAD_TOO_LARGE" })
  }
})

test.each([
  ["POST", "/api/auth/sign-in/email", { "content-length": "1000000" }, 413],
  ["POST", "/api/auth/sign-in/email", {}, 413],
  ["POST", "/api/auth/sign-in/email", { "content-type": "text/plain" }, 413],
  ["POST", "/api/v1/updateProfile", { origin: "https://evil.example" }, 403],
  ["POST", "/nothing", {}, 404],
  ["PUT", "/api/health", {}, 405],
])(
  "a request body is read to its end when %s %s with %j is rejected",
  async (method, path, headers, status) => {
    const progress = { bytes: 0, ended: false }
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        if (progress.bytes < 1_000_000) controller.enqueue(new Uint8Array(10_000).fill(0x20))
        else controller.close()
        progress.ended = progress.bytes >= 1_000_000
        progress.bytes += 10_000
      },
    })
    const response = await createBrowser().send(method, path, {
      headers: { "content-type": "application/json", ...headers },
      body,
    })
    expect(response.status).toBe(status)
    expect(progress.ended).toBe(true)
  },
)

test("an endless request body is abandoned", async () => {
  let bytes = 0
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      controller.enqueue(new Uint8Array(100_000))
      bytes += 100_000
    },
  })
  const headers = { "content-type": "application/json" }
  const response = await createBrowser().send("POST", "/api/v1/updateProfile", { headers, body })
  expect(response.status).toBe(413)
  expect(bytes).toBeGreaterThan(8 * 1024 * 1024)
  expect(bytes).toBeLessThan(10 * 1024 * 1024)
})

test.each(["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"])(
  "a request body of type %s is rejected",
  async (type) => {
    const init = { headers: { "content-type": type }, body: "email=a@example.com&password=b" }
    for (const path of ["/api/auth/sign-in/email", "/api/v1/updateProfile"]) {
      const response = await createBrowser().send("POST", path, init)
      expect(response.status).toBe(415)
      expect(await response.json()).toMatchObject({ code: "UNSUPPORTED_MEDIA_TYPE" })
    }
  },
)

test.each([{}, { "content-type": "application/json" }, { "content-length": "0" }])(
  "an empty body is none, however it is sent: %j",
  async (headers) => {
    const person = await createPerson()
    for (const body of [new ReadableStream({ start: (stream) => stream.close() }), ""]) {
      const response = await person.browser.send("POST", "/api/auth/sign-out", { headers, body })
      expect([response.status, await response.json()]).toEqual([200, { success: true }])
    }
  },
)

test("a request body that is not JSON, or nests deeply, is rejected", async () => {
  const person = await createPerson()
  const deep = `${"[".repeat(60_000)}${"]".repeat(60_000)}`
  const bodies = ["{", deep, `{"email":${deep},"name":${deep}}`.slice(0, 100), `{"name":${deep}}`]
  for (const path of ["/api/auth/sign-in/email", "/api/v1/updateProfile"]) {
    for (const body of bodies) {
      const headers = { "content-type": "application/json" }
      const response = await person.browser.send("POST", path, { headers, body })
      expect([path, body.slice(0, 20), response.status]).toEqual([path, body.slice(0, 20), 400])
    }
  }
})

test("the log has one line per request, without personal data or secrets", async () => {
  const spies = (["info", "warn", "error"] as const).map((level) =>
    vi.spyOn(console, level).mockImplementation(() => {}),
  )
  const person = await createPerson()
  await person.browser.post("/api/auth/sign-in/email", { ...person, password: "not it at all" })
  await person.browser.post("/api/auth/sign-up/email", person)
  await person.browser.get("/api/auth/reset-password/a-token-in-the-path?callbackURL=/x")
  await person.get(`readMember?userId=${person.email}`)
  const bound = bind({ DB: createFailingDatabase(env.DB, /./) })
  const failed = await createBrowser(bound).post("/api/auth/sign-in/email", person)
  const lines = spies.flatMap((spy) => spy.mock.calls.map(([line]) => String(line)))
  for (const spy of spies) spy.mockRestore()

  expect(failed.status).toBe(503)
  expect(lines.filter((line) => line.includes('"event":"request"'))).toHaveLength(6)
  expect(lines.some((line) => line.includes("/api/auth/reset-password/:token"))).toBe(true)
  const text = lines.join("\n")
  const secrets = [person.email, password, "a-token-in-the-path", String(env.AUTH_SECRET)]
  for (const secret of secrets) expect(text).not.toContain(secret)
  for (const line of lines) {
    const { level, event, ...fields }: Record<string, unknown> = JSON.parse(line)
    const title = `${String(level)} ${String(event)}`
    const row = operating
      .split("\n")
      .find((candidate) => candidate.startsWith(`| \`${String(event)}\` `))
    for (const name of Object.keys(fields)) expect(row, title).toContain(`\`${name}\``)
  }
})

test("an empty form of a provider leads on as any other", async () => {
  const response = await createBrowser().send("POST", "/api/auth/callback/idp")
  expect(response.status).toBe(303)
  expect(response.headers.get("location")).toBe("/api/auth/callback/idp?")
})

test.each([
  ["POST", "/api/auth/sign-in/%65mail", 405],
  ["GET", "/api/auth/%67et-session", 404],
  ["GET", "/api/%61uth/get-session", 404],
  ["GET", "/api/v1/%77hoami", 404],
])("an encoded path is no second name of a route: %s %s", async (method, path, status) => {
  const headers = { "content-type": "application/json" }
  const body = method === "POST" ? { body: "{}", headers } : {}
  const response = await createBrowser().send(method, path, body)
  expect(response.status).toBe(status)
})

test.each(["schema=null", "schema=", "schema=1&schema=1", "deep=true", "schema=1&deep=2"])(
  "health rejects the query %s",
  async (query) => {
    const response = await createBrowser().get(`/api/health?${query}`)
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({ code: "BAD_REQUEST" })
  },
)

const sources = import.meta.glob<string>(
  ["../../**/*.ts", "!../../**/*.test.ts", "!../../testing/**"],
  {
    query: "?raw",
    import: "default",
    eager: true,
  },
)

test("docs/operating.md names every event that is logged, and no other", () => {
  const logged = Object.values(sources).flatMap((source) =>
    [...source.matchAll(/\blog\([^,()]*(?:\([^()]*\))?[^,()]*, "([\w.]+)"/g)].map(
      ([, event]) => event,
    ),
  )
  const documented = [...operating.matchAll(/^\| `(auth|request|[a-z]+\.[a-z_]+)` +\|/gm)]
  expect(documented).toHaveLength(new Set(logged).size)
  expect(new Set(documented.map(([, event]) => event))).toEqual(new Set(logged))
})
