import { expect, test, vi } from "vitest"

import { createClient } from "../../../packages/client/src/index.ts"
import { apiUrl, bind, createBrowser } from "../../testing/browser.ts"
import { stopClock } from "../../testing/clock.ts"
import type { Env } from "../platform/configuration/env.ts"

const day = 24 * 60 * 60 * 1000
const account = { name: "Ada", email: "client@example.com", password: "a good long password" }

/** A client in a browser of its own, and the paths that it called. */
function createCaller(bound?: Env) {
  const browser = createBrowser(bound)
  const called: string[] = []
  const client = createClient({
    url: apiUrl,
    fetch: async (input, init) => {
      const request = new Request(input, init)
      const body = await request.text()
      const answer = await browser.send(request.method, request.url, {
        headers: Object.fromEntries(request.headers),
        ...(body === "" ? {} : { body }),
      })
      called.push(new URL(request.url).pathname)
      return answer
    },
  })
  return { client, called }
}

test("the client signs up, writes and reads with types, and tells errors apart by their codes", async () => {
  const { client } = createCaller()
  expect((await client.auth.signUpEmail(account)).error).toBeUndefined()
  const { data } = await client.auth.getSession()
  expect(data?.user).toMatchObject({ email: account.email, role: "member", plan: "free" })

  const { data: profile } = await client.user.updateProfile({ name: "Typed" })
  expect(profile?.createdAt).toEqual(expect.any(String))
  const listed = await client.user.listSecurityEvents({ limit: 10 })
  expect(listed.data?.items).toMatchObject([{ action: "sign_up", method: "password", how: "you" }])

  const refused = await client.admin.readMember({ userId: "user_0" })
  expect(refused.error).toMatchObject({ code: "FORBIDDEN", status: 403 })
  const invalid = await client.user.updateProfile({ name: "" })
  if (invalid.error?.code !== "BAD_REQUEST") throw new Error("The name must not be empty")
  expect(invalid.error.issues.map(({ path }) => path)).toEqual([["name"]])
  const malformed = await client.auth.signInEmail({ ...account, email: "ada" })
  if (malformed.error?.code !== "BAD_REQUEST") throw new Error("That is no address")
  expect(malformed.error.issues.map(({ path }) => path)).toEqual([["email"]])

  await client.auth.signOut()
  expect((await client.user.getProfile()).error?.code).toBe("UNAUTHORIZED")
  expect(await client.auth.getSession()).toEqual({ data: null })
})

test("the client says how long a blocked sign-in must wait", async () => {
  // Ten a minute and address: the other limit would come first.
  const { client } = createCaller(bind({ LIMIT_EMAIL: undefined }))
  const attempt = { email: "nobody@example.com", password: "not it at all" }
  for (let count = 0; count < 10; count += 1) await client.auth.signInEmail(attempt)
  const { error } = await client.auth.signInEmail(attempt)
  if (error?.code !== "TOO_MANY_ATTEMPTS") throw new Error("Ten wrong passwords block an address")
  expect(error.retryAfter).toBeGreaterThan(60)
})

test("the client keeps a session alive that is used, by asking for it at most once an hour", async () => {
  using _ = stopClock()
  const { client, called } = createCaller()
  await client.auth.signUpEmail({ ...account, email: "daily@example.com" })
  for (let days = 0; days < 10; days += 1) {
    called.length = 0
    for (let reads = 0; reads < 3; reads += 1) {
      expect((await client.user.getProfile()).error).toBeUndefined()
    }
    // The renewal is not waited for. The day of the sign-in needs none.
    const renewals = () => called.filter((path) => path === "/api/auth/get-session")
    await vi.waitFor(() => expect(renewals()).toHaveLength(days === 0 ? 0 : 1), 60_000)
    // Until the client has read the answer.
    await scheduler.wait(20)
    vi.setSystemTime(Date.now() + day)
  }
})

test("the client reports a missing or an unexpected response", async () => {
  const offline = createClient({
    url: apiUrl,
    fetch: () => Promise.reject(new TypeError("offline")),
  })
  expect((await offline.user.whoami()).error?.code).toBe("UNREACHABLE")
  const proxy = () => Promise.resolve(new Response("<h1>Bad gateway</h1>", { status: 502 }))
  const { error } = await createClient({ url: apiUrl, fetch: proxy }).user.whoami()
  expect(error).toMatchObject({ code: "UNEXPECTED_ANSWER", status: 502 })
})
