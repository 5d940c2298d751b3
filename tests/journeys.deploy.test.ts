import { randomUUID } from "node:crypto"

import { afterAll, beforeAll, expect, inject, test } from "vitest"
import * as z from "zod"

import description from "../app/service/openapi/openapi.json" with { type: "json" }
import { createResultInput } from "../app/testing/result.ts"
import { openCookieClient, type CookieClient } from "./testing/cookie-client.ts"
import { openSandboxes } from "./testing/sandboxes.ts"
import { openStacks } from "./testing/stacks/test-stacks.ts"

/** Members' journeys over HTTP, at BASE_URL or in an environment that this file deploys. */
const given = inject("baseUrl").replace(/\/$/, "")
const password = "correct horse battery"
const Id = z.object({ id: z.string() })
const Page = z.object({
  items: z.array(z.object({ text: z.string(), mood: z.string() })),
  nextCursor: z.string().nullable(),
})

let url: string
let sandboxes: Awaited<ReturnType<typeof openSandboxes>> | undefined
const resources = new AsyncDisposableStack()
const people: CookieClient[] = []

beforeAll(async () => {
  url = given
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
  const link = await sandboxes.mailbox.linkOf(email, "Verify your e-mail address")
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
  const used = async () => (await ada.get("/api/v1/getPlanAndUsage")).text
  expect(await used()).toContain('"used":0')
  await ada.call(Id, "createEntry", { mood: "good", text: "First" })
  expect(await used()).toContain('"used":1')
})

test("a member keeps a journal: pages, filters, and the plan's limit", async () => {
  const ada = await join()
  const moods = ["good", "low"]
  const texts = Array.from({ length: 60 }, (_, index) => `Entry ${index}`)
  for (const [index, text] of texts.entries()) {
    await ada.call(Id, "createEntry", { mood: moods[index % 2], text })
  }
  const more = await ada.post("/api/v1/createEntry", { mood: "good", text: "One more" })
  expect(more).toMatchObject({ status: 402, json: { code: "PLAN_LIMIT_REACHED" } })

  const read: string[] = []
  let cursor: string | null = ""
  while (cursor !== null) {
    const next: string = cursor && `&cursor=${cursor}`
    const page = await ada.call(Page, `listEntries?limit=25${next}`)
    read.push(...page.items.map(({ text }) => text))
    cursor = page.nextCursor
  }
  expect(read).toEqual(texts.toReversed())
  const low = await ada.call(Page, "listEntries?mood=low&limit=100")
  expect(low.items).toHaveLength(30)
  expect(new Set(low.items.map(({ mood }) => mood))).toEqual(new Set(["low"]))
  const future = await ada.call(Page, "listEntries?from=2999-01-01T00:00:00Z")
  expect(future.items).toEqual([])
  expect((await ada.get("/api/v1/listEntries?limit=0")).status).toBe(400)

  const grace = await join()
  const { id } = await ada
    .call(z.object({ items: z.array(Id) }), "listEntries?limit=1")
    .then(({ items: [first] }) => Id.parse(first))
  expect((await ada.get(`/api/v1/getEntry?id=${id}`)).status).toBe(200)
  expect((await grace.get(`/api/v1/getEntry?id=${id}`)).status).toBe(404)
})

test("a member gives and withdraws a consent", async () => {
  const ada = await join()
  const { id } = await ada.call(Id, "recordConsent", { purpose: "terms", version: "2026-11" })
  expect((await ada.post("/api/v1/withdrawConsent", { id })).json).toMatchObject({
    withdrawnAt: expect.any(String),
  })
  expect((await ada.get("/api/v1/listConsents")).json).toMatchObject({ items: [{ id }] })
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
  await ada.call(Id, "createEntry", { mood: "great", text: "To be taken along" })
  const exported = await ada.get("/api/v1/exportData")
  expect(exported.text).toContain("To be taken along")
  expect(exported.text).toContain(ada.email)
  expect((await ada.post("/api/auth/delete-user", { password: "wrong" })).status).toBe(400)
  expect((await ada.post("/api/auth/delete-user", { password })).status).toBe(200)
  expect(await session(ada)).toBeNull()
  const signIn = { email: ada.email, password }
  expect((await ada.post("/api/auth/sign-in/email", signIn)).status).toBe(401)
})

const result = createResultInput()

test("compatibility shows the lite part and withholds the deep insights until payment", async () => {
  const ada = await join()
  const { id } = await ada.call(Id, "createResult", result)
  const read = await ada.get(`/api/v1/getResult?id=${id}`)
  expect(read.json).toMatchObject({ unlocked: false, lite: result.lite, deepInsights: null })
  expect(read.text).not.toContain("This is what is paid for.")
  const grace = await join()
  expect((await grace.get(`/api/v1/getResult?id=${id}`)).status).toBe(404)
  expect((await grace.post("/api/v1/createCheckout", { resultId: id })).status).not.toBe(200)
})

test.skipIf(given !== "")("a payment unlocks the deep insights of compatibility", async () => {
  const ada = await join()
  const { id } = await ada.call(Id, "createResult", result)
  const Checkout = z.object({ paymentId: z.string(), url: z.url() })
  const { paymentId } = await ada.call(Checkout, "createCheckout", { resultId: id })
  const unlock = { id, paymentId }
  expect((await ada.post("/api/v1/unlockDeepInsights", unlock)).status).toBe(402)
  const event = sandboxes?.payments.pay(paymentId)
  const webhook = openCookieClient(url, undefined)
  const sent = await webhook.send("POST", "/api/v1/processWebhook", { ...event })
  expect(sent, sent.text).toMatchObject({ status: 200, json: { received: true } })
  expect((await ada.get(`/api/v1/getResult?id=${id}`)).json).toMatchObject({
    unlocked: true,
    deepInsights: result.deepInsights,
  })
})

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
    415,
    "UNSUPPORTED_MEDIA_TYPE",
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
