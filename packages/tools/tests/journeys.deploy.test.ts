import { randomUUID } from "node:crypto"

import { afterAll, beforeAll, expect, inject, test } from "vitest"
import * as z from "zod"

import description from "../../../app/service/openapi/openapi.json" with { type: "json" }
import { nouns } from "../../../app/testing/nouns.ts"
import { openCookieClient, type CookieClient } from "./testing/cookie-client.ts"
import { openSandboxes } from "./testing/sandboxes.ts"
import { openStacks } from "./testing/stacks/test-stacks.ts"

/** Members' journeys over HTTP, at BASE_URL or in an environment that this file deploys. */
const baseUrl = inject("baseUrl").replace(/\/$/, "")
const password = "correct horse battery"
let url: string
let sandboxes: Awaited<ReturnType<typeof openSandboxes>> | undefined
const resources = new AsyncDisposableStack()
const people: CookieClient[] = []

beforeAll(async () => {
  url = baseUrl
  if (url !== "") return
  sandboxes = resources.use(await openSandboxes())
  const overrides = { ...sandboxes.overrides, "accounts:verifyEmail": "true" }
  const local = await resources.use(await openStacks()).local(overrides)
  url = String((await local.up()).outputs["url"])
})

afterAll(async () => {
  for (const person of people) await person.post("/api/auth/delete-user", { password })
  await resources.disposeAsync()
})

/** Signs a new user up and in. `afterAll` deletes the user with all data. */
async function join() {
  const client = openCookieClient(url)
  const account = { name: "Ada", email: `journey-${randomUUID()}@example.com`, password }
  const signUp = await client.post("/api/auth/sign-up/email", account)
  expect(signUp.status, signUp.text).toBe(200)
  if (z.object({ token: z.null() }).safeParse(signUp.json).success) await verify(client, account)
  people.push(client)
  return { ...client, ...account }
}

async function verify(client: CookieClient, { email }: { email: string }) {
  if (!sandboxes) {
    throw new Error(`${url} verifies addresses by e-mail, which this test cannot read`)
  }
  const refused = await client.post("/api/auth/sign-in/email", { email, password })
  expect(refused).toMatchObject({ status: 401, json: { code: "INVALID_EMAIL_OR_PASSWORD" } })
  const link = await sandboxes.mailbox.linkOf(email, "Verify your email address")
  expect((await client.get(link)).status).toBe(302)
  const signIn = await client.post("/api/auth/sign-in/email", { email, password })
  expect(signIn.status, signIn.text).toBe(200)
}

async function session(client: CookieClient) {
  return (await client.get("/api/auth/get-session")).json
}

test("a member signs up, reads the session, signs out and signs in again", async () => {
  const ada = await join()
  expect(await session(ada)).toMatchObject({ user: { email: ada.email, role: "member" } })
  expect((await ada.post("/api/auth/sign-out")).status).toBe(200)
  expect(await session(ada)).toBeNull()
  expect((await ada.get("/api/v1/getProfile")).status).toBe(401)
  const wrong = { email: ada.email, password: "not it at all" }
  expect((await ada.post("/api/auth/sign-in/email", wrong)).status).toBe(401)
  const right = { email: ada.email, password }
  expect((await ada.post("/api/auth/sign-in/email", right)).status).toBe(200)
  expect(await session(ada)).toMatchObject({ user: { email: ada.email } })
})

test("a member reads and changes a profile, and sees plan and usage", async () => {
  const ada = await join()
  const changed = { name: "Ada Lovelace", image: "https://example.com/ada.png" }
  expect((await ada.post("/api/v1/updateProfile", changed)).json).toMatchObject(changed)
  expect((await ada.get("/api/v1/getProfile")).json).toMatchObject(changed)
  expect((await ada.post("/api/v1/updateProfile", { role: "owner" })).status).toBe(400)
  expect((await ada.get("/api/v1/getPlanAndUsage")).json).toMatchObject({ plan: "free" })
})

test("a member revokes one session from another, and all others by changing the password", async () => {
  const ada = await join()
  const phone = openCookieClient(url)
  const tablet = openCookieClient(url)
  const account = { email: ada.email, password }
  for (const client of [phone, tablet]) {
    expect((await client.post("/api/auth/sign-in/email", account)).status).toBe(200)
  }
  const Own = z.object({ session: z.object({ token: z.string() }) })
  const { token } = Own.parse(await session(phone)).session
  const List = z.array(z.object({ token: z.string() }))
  const listed = List.parse((await ada.get("/api/auth/list-sessions")).json)
  expect(listed.map((each) => each.token)).toContain(token)
  expect((await ada.post("/api/auth/revoke-session", { token })).status).toBe(200)
  expect(await session(phone)).toBeNull()

  const change = { currentPassword: password, newPassword: "another long one" }
  const changed = await ada.post("/api/auth/change-password", {
    ...change,
    revokeOtherSessions: true,
  })
  expect(changed.status, changed.text).toBe(200)
  expect(await session(tablet)).toBeNull()
  expect(await session(ada)).toMatchObject({ user: { email: ada.email } })
  expect((await phone.post("/api/auth/sign-in/email", account)).status).toBe(401)
  const back = { currentPassword: "another long one", newPassword: password }
  expect((await ada.post("/api/auth/change-password", back)).status).toBe(200)
})

test("a member exports all data, deletes the account, and is gone", async () => {
  const ada = await join()
  await ada.post("/api/v1/updateProfile", { name: "To be exported" })
  const exported = await ada.get("/api/v1/exportData")
  expect(exported.text).toContain("To be exported")
  expect(exported.text).toContain(ada.email)
  expect((await ada.post("/api/auth/delete-user", { password: "wrong" })).status).toBe(400)
  expect((await ada.post("/api/auth/delete-user", { password })).status).toBe(200)
  expect(await session(ada)).toBeNull()
  const signIn = { email: ada.email, password }
  expect((await ada.post("/api/auth/sign-in/email", signIn)).status).toBe(401)
})

const journeys = nouns.flatMap((noun) => noun.journeys ?? [])

async function travel({ take }: (typeof journeys)[number]) {
  const { send } = openCookieClient(url, undefined)
  await take({ join, payments: sandboxes?.payments, send, expect })
}

test.each(journeys.filter(({ needs }) => needs === undefined))("$title", async (journey) => {
  await expect(travel(journey)).resolves.toBeUndefined()
})

test.skipIf(baseUrl !== "").each(journeys.filter(({ needs }) => needs === "payments"))(
  "$title",
  async (journey) => {
    await expect(travel(journey)).resolves.toBeUndefined()
  },
)

test("the API answers a trusted origin and rejects any other", async () => {
  const trusted = await openCookieClient(url).get("/api/auth/get-session")
  expect(trusted.headers.get("access-control-allow-origin")).toBe(url)
  expect(trusted.headers.get("access-control-allow-credentials")).toBe("true")
  const foreign = openCookieClient(url, "https://evil.example")
  for (const reply of [
    await foreign.get("/api/auth/get-session"),
    await foreign.post("/api/auth/sign-up/email", {}),
    await foreign.get("/api/v1/whoami"),
  ]) {
    expect(reply).toMatchObject({ status: 403, json: { code: "INVALID_ORIGIN" } })
    expect(reply.headers.has("access-control-allow-origin")).toBe(false)
  }
})

const form = { "content-type": "application/x-www-form-urlencoded" }
const tooLong = "x".repeat(1024 * 1024)

test.each([
  ["GET", "/api/v1/nothing", "nothing", {}, 404, "NOT_FOUND"],
  ["GET", "/api/auth/nothing", "nothing", {}, 404, "NOT_FOUND"],
  ["DELETE", "/api/v1/whoami", "nothing", {}, 405, "METHOD_NOT_ALLOWED"],
  ["PUT", "/api/health", "1 MiB", { body: tooLong }, 405, "METHOD_NOT_ALLOWED"],
  ["POST", "/api/auth/sign-in/email", "1 MiB", { body: tooLong }, 413, "PAYLOAD_TOO_LARGE"],
  [
    "POST",
    "/api/auth/sign-in/email",
    "a form",
    { body: "a=b", headers: form },
    415,
    "UNSUPPORTED_MEDIA_TYPE",
  ],
  [
    "POST",
    "/api/v1/nothing",
    "a form of 1 MiB",
    { body: tooLong, headers: form },
    413,
    "PAYLOAD_TOO_LARGE",
  ],
])("the API answers %s %s with %s", async (method, path, _, sending, status, code) => {
  const reply = await openCookieClient(url).send(method, path, sending)
  expect(reply).toMatchObject({ status, json: { code, message: expect.any(String) } })
  expect(reply.headers.has("allow")).toBe(status === 405)
})

test("the API describes itself and serves its documentation", async () => {
  const client = openCookieClient(url)
  expect((await client.get("/api/v1/openapi.json")).json).toEqual(description)
  const page = await client.get("/api/v1/docs")
  expect(page.status).toBe(200)
  expect(page.headers.get("content-security-policy")).toContain("default-src 'none'")
  expect((await client.get("/api/health?schema=1")).json).toMatchObject({ status: "ok" })
})
