import { expect, test } from "vitest"

import { type Browser, createBrowser, webUrl } from "../../../testing/browser.ts"
import { createPerson } from "../../../testing/person.ts"
import { visitProvider } from "../../../testing/provider-visit.ts"

/* What a sibling of the API's host can plant in a browser. The letters name the attacks. */

function pairsOf({ cookies }: Browser) {
  return [...cookies].map(([name, value]) => `${name}=${value}`)
}

/** Whom each way of reading a session takes the caller for. */
async function callers(cookie: string) {
  const browser = createBrowser()
  const ask = async <Body>(path: string) => (await browser.get(path, { cookie })).json<Body>()
  type Session = { user: { id: string } } | null
  const session = await ask<Session>("/api/auth/get-session")
  const library = await ask<Session>("/api/auth/get-session?disableCookieCache=true")
  const profile = await ask<{ id: string }>("/api/v1/getProfile")
  const [listed] = await ask<{ userId: string }[]>("/api/auth/list-sessions")
  const [account] = await ask<{ userId: string }[]>("/api/auth/list-accounts")
  return [session?.user.id, library?.user.id, profile.id, listed?.userId, account?.userId]
}

test("A33: cookies under the names of pending sign-ins neither stop one nor take its place", async () => {
  const names = [
    "mallory.oauth_state",
    ".oauth_state",
    "__Secure-accounts-local-host.abcdefgh.oauth_state",
    "ACCOUNTS-LOCAL-HOST.abcdefgh.oauth_state",
    '"quoted".oauth_state',
    "a b.oauth_state",
    "a,b.oauth_state",
  ]
  for (const value of ["", "x", "%E0%A4%A", "=", "x".repeat(500)]) {
    const { browser, provider, finish, session } = await visitProvider()
    const planted = names.map((name) => `${name}=${value}`).join("; ")
    const started = await browser.get("/api/auth/sign-in/idp", { cookie: planted })
    const location = started.headers.get("location") ?? ""
    expect([value, started.status, location.startsWith(provider.issuer)]).toEqual([
      value,
      302,
      true,
    ])
    expect(await finish(provider.authorize(location))).toBe(webUrl)
    expect(await session()).not.toBeNull()
  }
})

test("A37: a session that is planted is its owner's alone: nothing of the browser's own is in it", async () => {
  const [own, mallory] = [await createPerson(), await createPerson()]
  await own.post("updateProfile", { name: "mine" })
  const planted = createBrowser()
  for (const [name, value] of own.browser.cookies) {
    if (!name.includes("session")) planted.cookies.set(name, value)
  }
  for (const [name, value] of mallory.browser.cookies) planted.cookies.set(name, value)
  expect(new Set(await callers(pairsOf(planted).join("; ")))).toEqual(new Set([mallory.id]))
  expect(await (await planted.get("/api/v1/getProfile")).json()).toMatchObject({ name: "Ada" })
  await planted.post("/api/auth/revoke-sessions")
  expect(await (await own.browser.get("/api/auth/get-session")).json()).not.toBeNull()
})
