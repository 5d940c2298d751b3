import { expect, test, vi } from "vitest"

import { createClient } from "../src/index.ts"

const url = "https://api.example.com"
const hour = 60 * 60 * 1000

function answer(status: number, headers: Record<string, string> = {}) {
  const body = status === 200 ? {} : { code: "TOO_MANY_REQUESTS", message: "Later" }
  return Promise.resolve(Response.json(body, { status, headers }))
}

/** A client and the paths that it asked for; `fails` answers its renewals. */
function createCaller(storage?: Map<string, string>) {
  const called: string[] = []
  const state = { renewal: () => answer(200) }
  vi.stubGlobal("localStorage", {
    getItem: (key: string) => storage?.get(key) ?? null,
    setItem: (key: string, value: string) => void storage?.set(key, value),
  })
  const client = createClient({
    url,
    fetch: (input) => {
      const { pathname } = new URL(input instanceof Request ? input.url : input)
      called.push(pathname)
      return pathname.endsWith("/get-session") ? state.renewal() : answer(200)
    },
  })
  const renewals = () => called.filter((path) => path.endsWith("/get-session")).length
  return { client, state, renewals }
}

function stopTime() {
  vi.useFakeTimers({ toFake: ["Date"] })
  return {
    pass: (time: number) => vi.setSystemTime(Date.now() + time),
    [Symbol.dispose]: () => {
      vi.useRealTimers()
      vi.unstubAllGlobals()
    },
  }
}

test("the browser hears which passkeys the service takes, and which one it does not have", async () => {
  const heard: unknown[] = []
  const hear = (name: string) => (passkeys: object) => {
    heard.push([name, passkeys])
    return Promise.reject(new DOMException("", "SecurityError"))
  }
  const accepted = { rpId: "example.com", userId: "dXNlcg", allAcceptedCredentialIds: ["one"] }
  const unknown = { rpId: "example.com", credentialId: "two" }
  const refusal = { code: "PASSKEY_REFUSED", message: "", data: { unknownCredential: unknown } }
  const client = createClient({
    url,
    fetch: async (input) =>
      (input instanceof Request ? input.url : input).toString().endsWith("/listWays")
        ? Response.json({ passkeys: [], acceptedPasskeys: accepted })
        : Response.json(refusal, { status: 401 }),
  })
  const signIn = () => client.auth.signInPasskey({ passkey: Object({}) })
  // Browsers without the methods, and servers, have nothing to hear with.
  for (const browser of [undefined, {}]) {
    vi.stubGlobal("PublicKeyCredential", browser)
    expect((await client.user.listWays()).data).toMatchObject({ acceptedPasskeys: accepted })
    expect((await signIn()).error).toMatchObject({ unknownCredential: unknown })
  }
  vi.stubGlobal("PublicKeyCredential", {
    signalAllAcceptedCredentials: hear("accepted"),
    signalUnknownCredential: hear("unknown"),
  })
  await client.user.listWays()
  await signIn()
  vi.unstubAllGlobals()
  expect(heard).toEqual([
    ["accepted", accepted],
    ["unknown", unknown],
  ])
})

test("a call that its caller aborts has a code of its own", async () => {
  const client = createClient({
    url,
    fetch: (_input, init) =>
      new Promise((_resolve, reject) => {
        init?.signal?.addEventListener("abort", () => reject(new DOMException("", "AbortError")))
      }),
  })
  const controller = new AbortController()
  const calling = client.user.getProfile({}, { signal: controller.signal })
  controller.abort()
  expect((await calling).error).toMatchObject({ code: "ABORTED" })
})

test.each([
  ["17", 17],
  ["Wed, 21 Oct 2026 07:28:00 GMT", undefined],
  ["", undefined],
  [undefined, undefined],
])("a limit that names %j tells %j seconds", async (header, seconds) => {
  const headers = header === undefined ? {} : { "retry-after": header }
  const client = createClient({ url, fetch: () => answer(429, headers) })
  const { error } = await client.user.getProfile()
  expect(error?.code === "TOO_MANY_REQUESTS" && error.retryAfter).toBe(seconds)
})

/** A service whose database does not answer at first. */
function createStalledService(times: number) {
  const requests: string[] = []
  const client = createClient({
    url,
    fetch: (_input, init) => {
      requests.push(init?.method ?? "GET")
      if (requests.length > times) return answer(200)
      const body = { code: "UNAVAILABLE", message: "The database cannot be reached" }
      return Promise.resolve(Response.json(body, { status: 503, headers: { "retry-after": "0" } }))
    },
  })
  return { client, sent: requests }
}

test.each([
  [1, undefined, 2],
  [2, "UNAVAILABLE", 2],
])(
  "a read that meets a stalled database %i times: error %s, sent %i times",
  async (times, ...answers) => {
    const { client, sent } = createStalledService(times)
    const { error } = await client.user.getProfile()
    expect([error?.code, sent.length]).toEqual(answers)
  },
)

test("a write that meets a stalled database is not sent again, and says when it may be", async () => {
  const { client, sent } = createStalledService(1)
  const { error } = await client.user.updateProfile({ name: "Ada" })
  expect([error, sent]).toMatchObject([{ code: "UNAVAILABLE", retryAfter: 0 }, ["POST"]])
})

test("a read that waits for a stalled database ends with its signal", async () => {
  const controller = new AbortController()
  const bodies: unknown[] = []
  const client = createClient({
    url,
    fetch: (_input, init) => {
      bodies.push(init)
      if (init?.signal?.aborted === true) return Promise.reject(new DOMException("", "AbortError"))
      controller.abort()
      const body = { code: "UNAVAILABLE", message: "The database cannot be reached" }
      return Promise.resolve(Response.json(body, { status: 503, headers: { "retry-after": "60" } }))
    },
  })
  const { error } = await client.user.getProfile({}, { signal: controller.signal })
  expect([error?.code, bodies.length]).toEqual(["ABORTED", 2])
})

test("a client without a URL is refused at once, and what is no answer of the service says how it begins", async () => {
  expect(() => createClient({ url: String(undefined) })).toThrow("Invalid URL")
  const fetch = () => Promise.resolve(new Response("error code: 1010", { status: 403 }))
  const { error } = await createClient({ url, fetch }).user.getProfile()
  expect(error).toMatchObject({ code: "UNEXPECTED_ANSWER", status: 403, cause: "error code: 1010" })
})

test("opening a page asks for nothing but what the page asks for, also a page after page", async () => {
  using time = stopTime()
  const storage = new Map<string, string>()
  for (const _ of Array.from({ length: 5 })) {
    const { client, renewals } = createCaller(storage)
    await client.user.getProfile()
    expect(renewals()).toBe(0)
    time.pass(hour / 6)
  }
  // A member who opens a page each hour still uses the service.
  time.pass(hour / 2)
  const { client, renewals } = createCaller(storage)
  await client.user.getProfile()
  expect(renewals()).toBe(1)
})

test("a renewal that fails is tried again with the next call", async () => {
  using time = stopTime()
  const { client, state, renewals } = createCaller()
  await client.user.getProfile()
  time.pass(hour)
  state.renewal = () => Promise.reject(new TypeError("offline"))
  await client.user.getProfile()
  await vi.waitFor(() => expect(renewals()).toBe(1))
  state.renewal = () => answer(429)
  await vi.waitFor(async () => {
    await client.user.getProfile()
    expect(renewals()).toBe(2)
  })
  state.renewal = () => answer(200)
  await vi.waitFor(async () => {
    await client.user.getProfile()
    expect(renewals()).toBe(3)
  })
  for (const _ of Array.from({ length: 3 })) await client.user.getProfile()
  expect(renewals()).toBe(3)
})
