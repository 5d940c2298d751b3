import { env } from "cloudflare:workers"
import { expect, test } from "vitest"

import { handle } from "../../../examples/server-rendered/handle.ts"
import { apiUrl, bind, createBrowser, webUrl } from "../../testing/browser.ts"
import { createCookieJar } from "../../testing/cookie-jar.ts"
import { createCountingLimit } from "../../testing/counting-limit.ts"
import { createProvenPerson } from "../../testing/passkey-person.ts"
import { createPerson, password, type Person } from "../../testing/person.ts"

const key = "a-key-that-only-the-service-and-the-front-end-know"

const { counts, limit } = createCountingLimit(3)
const bound = bind({ FRONT_END_KEY: key, LIMIT_ADDRESS: { limit }, LIMIT_EMAIL: undefined })

/** The service, as the front end's server reaches it: from one address. */
const toService: typeof fetch = async (input, init) => {
  const request = new Request(input, init)
  const { origin = null, ...headers } = Object.fromEntries(request.headers)
  const body = await request.text()
  return createBrowser(bound, origin).send(request.method, request.url, {
    headers: { ...headers, "cf-connecting-ip": "198.51.100.1" },
    ...(body !== "" && { body }),
  })
}

/** A browser at the front end's server, which runs here as a Worker does. */
function createReader(address: string, signsWith = key) {
  const jar = createCookieJar()
  const send = async (path: string, form?: Record<string, string>, origin = webUrl) => {
    const request = new Request(new URL(path, webUrl), {
      headers: { ...jar.header(), ...(form && { origin }) },
      ...(form && { method: "POST", body: new URLSearchParams(form) }),
    })
    const answer = await handle(request, address, { api: apiUrl, key: signsWith, fetch: toService })
    jar.keep(answer.headers.getSetCookie())
    return { status: answer.status, text: await answer.text(), headers: answer.headers }
  }
  const signIn = ({ email }: Person) => send("/sign-in", { email, password })
  return { cookies: jar.cookies, send, signIn }
}

test("a reader signs in by a form, gets a page with their session, and changes what is theirs", async () => {
  const ada = await createPerson(bound)
  const reader = createReader("203.0.113.1")
  expect((await reader.send("/")).text).toContain("Signed out")
  expect((await reader.signIn(ada)).status).toBe(303)
  const { text, headers } = await reader.send("/")
  expect(headers.get("cache-control")).toBe("private, no-store")
  const [, handed = "{}"] = /id="handed">(.*?)<\/script>/.exec(text) ?? []
  expect(JSON.parse(handed)).toMatchObject({ session: { user: { id: ada.id } } })
  const changed = await reader.send("/profile", { user: ada.id, name: "</script>&<b>" })
  expect(changed.status).toBe(303)
  expect((await ada.get("getProfile")).body["name"]).toBe("</script>&<b>")
  expect((await reader.send("/")).text.match(/<\/script>/g)).toHaveLength(2)
})

test("a reader's browser is bound to the session by what the server passes on, and acts there", async () => {
  const ada = await createProvenPerson(bound)
  const reader = createReader("203.0.113.5")
  await reader.signIn(ada)
  const act = async (omitted = "") => {
    const pairs = [...reader.cookies].filter(([name]) => omitted === "" || !name.endsWith(omitted))
    const cookie = pairs.map(([name, value]) => `${name}=${value}`).join("; ")
    return (await createBrowser(bound).post("/api/v1/beginTotp", {}, { cookie })).status
  }
  expect([await act(), await act("session_binding")]).toEqual([200, 403])
})

test("a form that was rendered for another user changes nothing", async () => {
  const [ada, gus] = [await createPerson(bound), await createPerson(bound)]
  const reader = createReader("203.0.113.2")
  await reader.signIn(gus)
  const refused = await reader.send("/profile", { user: ada.id, name: "Ada's" })
  expect([refused.status, refused.text]).toEqual([400, expect.stringContaining("Another account")])
  expect((await gus.get("getProfile")).body["name"]).toBe("Ada")
})

test("another site's form is refused, as the service refuses it in a browser", async () => {
  const ada = await createPerson(bound)
  const reader = createReader("203.0.113.3")
  await reader.signIn(ada)
  const forged = { user: ada.id, name: "Forged" }
  expect((await reader.send("/profile", forged, "https://evil.example")).status).toBe(400)
  expect((await ada.get("getProfile")).body["name"]).toBe("Ada")
})

test("who only reads what the server makes stays signed in, since each page asks for the session", async () => {
  const ada = await createPerson(bound)
  const reader = createReader("203.0.113.4")
  await reader.signIn(ada)
  const day = 24 * 60 * 60 * 1000
  const expiresAt = Date.now() + 2 * day
  const age = env.DB.prepare("update session set expires_at = ? where user_id = ?")
  await age.bind(expiresAt, ada.id).run()
  const { headers } = await reader.send("/")
  expect(headers.getSetCookie().join()).toContain("session_token=")
  const statement = env.DB.prepare("select max(expires_at) as at from session where user_id = ?")
  expect(await statement.bind(ada.id).first<number>("at")).toBeGreaterThan(expiresAt + 4 * day)
})

test("each reader has the limit of an address, and a session that says theirs", async () => {
  counts.clear()
  const people = await Promise.all([1, 2, 3, 4, 5].map(() => createPerson(bind())))
  for (const [index, person] of people.entries()) {
    expect((await createReader(`203.0.113.1${index}`).signIn(person)).status).toBe(303)
  }
  const [first] = people
  const stored = env.DB.prepare(
    "select ip_address from session where user_id = ? order by rowid desc",
  )
  expect(await stored.bind(first?.id).first("ip_address")).toBe("203.0.113.10")
  // Only the reader who tries too often is limited.
  const guesser = createReader("203.0.113.99")
  const texts: string[] = []
  for (const { email } of people) {
    texts.push((await guesser.send("/sign-in", { email, password: "not it" })).text)
  }
  expect(texts.map((text) => text.includes("Too many"))).toEqual([false, false, false, true, true])
})

test.each([
  ["another key", "another-key-that-the-service-does-not-know-of"],
  ["no key", ""],
])("with %s readers share the server's address, and none can choose one", async (_, signsWith) => {
  counts.clear()
  const person = await createPerson(bind())
  const texts: string[] = []
  for (const index of [1, 2, 3, 4]) {
    texts.push((await createReader(`203.0.113.2${index}`, signsWith).signIn(person)).text)
  }
  expect(texts.map((text) => text.includes("Too many"))).toEqual([false, false, false, true])
  expect([...counts.keys()]).toEqual(["198.51.100.1 /api/auth/sign-in/email"])
})
