import { afterEach, beforeEach, expect, test, vi } from "vitest"

import { readDescription } from "../generate/description.ts"
import { createClient, type Session } from "../src/index.ts"

const url = "https://api.example.com"

/** Only the fields of the answer that the client reads. */
function sessionOf(name: string): Session {
  const user = { id: `user_${name}`, name }
  return JSON.parse(JSON.stringify({ user, session: { id: `session_${name}` } }))
}

const [ada, gus] = [sessionOf("ada"), sessionOf("gus")]

/** All routes that sign in: their response has a user and a session token. */
const signIns = Object.entries(readDescription().paths).flatMap(([path, methods]) =>
  Object.entries(methods).flatMap(([method, { operationId, responses }]) => {
    const answer = JSON.stringify(responses["200"] ?? {})
    const isOne = answer.includes('"token":') && answer.includes('"user":')
    return method === "post" && isOne ? [{ path, operationId }] : []
  }),
)

type Heard = (event: { type: string; key?: string; newValue?: string }) => void

/** A browser whose tabs share a service, cookies and a storage: a tab is a client. */
function createBrowserTabs() {
  const storage = new Map<string, string>()
  const state = { session: ada as Session | null, isAway: false, asked: 0 }
  const written: (string | null)[] = []
  const tabs: Heard[][] = []
  const emit = (type: string, receiver?: Heard[], rest = {}) => {
    for (const heard of tabs.filter((tab) => tab !== receiver)) {
      for (const hear of heard) hear({ type, ...rest })
    }
  }
  const open = (session?: Session | null) => {
    const listeners: Heard[] = []
    tabs.push(listeners)
    /** Runs `action` with the globals of this tab. */
    const within = <Result>(action: () => Result) => {
      vi.stubGlobal("addEventListener", (_name: string, hear: Heard) => listeners.push(hear))
      vi.stubGlobal("localStorage", {
        getItem: (key: string) => storage.get(key) ?? null,
        setItem: (key: string, newValue: string) => {
          if (storage.get(key) === newValue) return
          storage.set(key, newValue)
          emit("storage", listeners, { key, newValue })
        },
      })
      return action()
    }
    const answer = (path: string, believed: string | null) => {
      if (path.endsWith("/get-session")) {
        state.asked += 1
        return Response.json(state.session)
      }
      if (path.endsWith("/sign-out")) state.session = null
      if (signIns.some((signIn) => signIn.path === path)) {
        state.session = gus
        return Response.json({ token: "1", user: gus.user })
      }
      written.push(believed)
      return believed === null || believed === state.session?.user.id
        ? Response.json({})
        : Response.json({ code: "SESSION_CHANGED", message: "Another" }, { status: 409 })
    }
    const client = createClient({
      url,
      session,
      fetch: async (input, init) => {
        await Promise.resolve()
        if (state.isAway) throw new TypeError("fetch failed")
        const { pathname } = new URL(input instanceof Request ? input.url : input)
        return within(() => answer(pathname, new Headers(init?.headers).get("accounts-user")))
      },
    })
    const users: (string | null | undefined)[] = []
    const subscribe = () =>
      within(() => client.session.subscribe(() => users.push(nameOf(client.session.get().session))))
    return { client, told: users, within, subscribe }
  }
  return { state, written, open, emit }
}

function nameOf(session: Session | null | undefined) {
  return session && session.user.name
}

const credentials = { email: "gus@example.com", password: "a good long password" }

beforeEach(() => void vi.useFakeTimers())

afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

/** Until every answer has been read. */
async function settle() {
  await vi.advanceTimersByTimeAsync(1)
}

test("who is signed in is asked once for all who listen, again after what changes it, and kept while the service is away", async () => {
  const { state, open } = createBrowserTabs()
  const { client, told, subscribe } = open()
  const { session } = client
  expect(session.get()).toEqual({ session: undefined, error: undefined })
  // React's strict mode listens, stops and listens again.
  subscribe()()
  const stop = subscribe()
  await settle()
  expect([told, state.asked]).toEqual([["ada"], 1])
  expect(session.get()).toBe(session.get())

  state.isAway = true
  await session.refresh()
  expect(session.get()).toMatchObject({ session: ada, error: { code: "UNREACHABLE" } })
  state.isAway = false
  await session.refresh()
  expect(state.asked).toBe(2)

  await client.token.createToken({ audience: "x" })
  await client.auth.requestPasswordReset({ email: "ada@example.com" })
  await client.auth.sendVerificationEmail({ email: "ada@example.com" })
  await client.auth.signInCodeBegin({ email: "ada@example.com" })
  await client.auth.passkeyBegin({ for: "step-up" })
  await settle()
  expect(state.asked).toBe(2)
  await client.auth.signOut()
  await settle()
  expect(session.get()).toEqual({ session: null, error: undefined })
  stop()
  await client.auth.signOut()
  await settle()
  expect(state.asked).toBe(3)
})

test("a write carries whom the page shows, and once it is refused the page asks who it is", async () => {
  const { state, written, open } = createBrowserTabs()
  const { client, told, subscribe } = open()
  subscribe()
  await settle()
  await client.token.createToken({ audience: "A walk" })
  // A change of the session that this tab gets no event for.
  state.session = gus
  const { error } = await client.token.createToken({ audience: "Ada's secret" })
  expect([error?.code, written]).toEqual(["SESSION_CHANGED", ["user_ada", "user_ada"]])
  await settle()
  expect(told).toEqual(["ada", "gus"])
  expect((await client.token.createToken({ audience: "Gus's" })).error).toBeUndefined()
})

test.each(signIns)(
  "a page that asks by itself writes for whom it was told, and after $operationId for them",
  async ({ operationId }) => {
    const { state, written, open } = createBrowserTabs()
    const { client } = open()
    const write = () => client.user.updateProfile({ name: "New" })
    await client.auth.getSession()
    await write()
    await Reflect.get(client.auth, operationId)(credentials)
    await write()
    state.session = ada
    expect((await write()).error?.code).toBe("SESSION_CHANGED")
    expect(written).toEqual(["user_ada", "user_gus", "user_gus"])
  },
)

test("a tab whose answer names another user is heard by the others, which ask again", async () => {
  const { state, open } = createBrowserTabs()
  const [first, two] = [open(), open()]
  first.subscribe()
  await settle()
  // An identity provider: no call of the client's has signed Gus in.
  state.session = gus
  two.subscribe()
  await settle()
  expect([first.told, two.told]).toEqual([["ada", "gus"], ["gus"]])
  const { asked } = state
  await two.client.session.refresh()
  await settle()
  // The same user again is nothing to the others.
  expect(state.asked).toBe(asked + 1)
  await two.client.user.updateProfile({ name: "Gustav" })
  await settle()
  expect(first.told.length).toBe(3)
})

test("a page that a server has made begins with its session and asks for nothing", async () => {
  const { state, written, open } = createBrowserTabs()
  const { client, told, subscribe } = open(ada)
  const initial = client.session.getInitial()
  expect([initial, client.session.get()]).toEqual([
    { session: ada, error: undefined },
    { session: ada, error: undefined },
  ])
  subscribe()
  await settle()
  expect([told, state.asked]).toEqual([[], 0])
  await client.user.updateProfile({ name: "Ada" })
  expect(written).toEqual(["user_ada"])
  await settle()
  expect([client.session.getInitial() === initial, state.asked]).toEqual([true, 1])
})

test("a page that is opened while the service is away comes back by itself, and asks less and less often until then", async () => {
  const { state, open } = createBrowserTabs()
  state.isAway = true
  const { client, told, subscribe } = open()
  const stop = subscribe()
  const failed = () => told.filter((user) => user === undefined).length
  await vi.advanceTimersByTimeAsync(10 * 60_000)
  expect(client.session.get()).toMatchObject({ session: undefined, error: { code: "UNREACHABLE" } })
  expect(failed()).toBeGreaterThan(8)
  expect(failed()).toBeLessThan(20)
  state.isAway = false
  await vi.advanceTimersByTimeAsync(2 * 60_000)
  expect(told.at(-1)).toBe("ada")
  stop()
})

test.each(["online", "visibilitychange"])(
  "a page without an answer asks again on %s, and one with an answer does not",
  async (event) => {
    const { state, open, emit } = createBrowserTabs()
    state.isAway = true
    const { told, subscribe } = open()
    subscribe()
    await settle()
    state.isAway = false
    emit(event)
    await settle()
    expect(told).toEqual([undefined, "ada"])
    emit(event)
    await vi.advanceTimersByTimeAsync(60_000)
    expect(state.asked).toBe(1)
  },
)

test("the session is not read for a listener that has unsubscribed", async () => {
  const { state, open } = createBrowserTabs()
  state.isAway = true
  const { told, subscribe } = open()
  const stop = subscribe()
  await settle()
  stop()
  await vi.advanceTimersByTimeAsync(60_000)
  expect(told).toEqual([undefined])
})
