import { expect, inject, test, vi } from "vitest"

import { bind, createBrowser, webUrl } from "../../../testing/browser.ts"

const issuer = inject("openidIssuer")

function boundTo(declared: object, clientId = "accounts") {
  return bind({
    IDENTITY_PROVIDERS: JSON.stringify({ idp: declared }),
    IDP_CLIENT_ID: clientId,
    IDP_CLIENT_SECRET: "a secret with spaces & signs",
  })
}

const bound = boundTo({ issuer })

/** Follows the provider's redirects, with its cookies, until one leaves the provider. */
async function passThrough(location: string) {
  const cookies = new Map<string, string>()
  let next = location
  while (next.startsWith(issuer)) {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ")
    const response = await fetch(next, { redirect: "manual", headers: { cookie } })
    for (const line of response.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      cookies.set(name, value)
    }
    const to = response.headers.get("location")
    if (to === null) throw new Error(`${next} answers ${response.status} without a redirect`)
    next = new URL(to, issuer).href
  }
  return next
}

test("sign-up and sign-in work through the oidc-provider package, and a code works once", async () => {
  const browser = createBrowser(bound, null)
  const started = await browser.get(`/api/auth/sign-in/idp?newUserCallbackURL=${webUrl}/welcome`)
  const callback = await passThrough(started.headers.get("location") ?? "")
  const cookies = new Map(browser.cookies)

  const finished = await browser.get(callback)
  expect(finished.headers.get("location")).toBe(`${webUrl}/welcome`)
  expect(await (await browser.get("/api/auth/get-session")).json()).toMatchObject({
    user: { email: "lin@example.com", emailVerified: true, name: "Lin" },
  })

  const thief = createBrowser(bound, null)
  for (const [name, value] of cookies) thief.cookies.set(name, value)
  const replayed = await thief.get(callback)
  expect(replayed.headers.get("location")).toBe(`${webUrl}?error=invalid_code`)

  const response = await browser.get("/api/auth/sign-in/idp")
  const second = await browser.get(await passThrough(response.headers.get("location") ?? ""))
  expect(second.headers.get("location")).toBe(webUrl)
})

type Bent = {
  at?: ReturnType<typeof bind>
  query?: string
  /** Changes what the provider is asked, as one that does not hear it. */
  ask?: (query: URLSearchParams) => void
  /** Changes what it answers. */
  answer?: (query: URLSearchParams) => void
  /** Seconds by which the service's clock is ahead of the provider's. */
  ahead?: number
}

/** Signs in by the package, and returns where that ends and whose the session is. */
async function enter({ at = bound, query = "", ask, answer, ahead = 0 }: Bent) {
  const browser = createBrowser(at, null)
  const started = await browser.get(`/api/auth/sign-in/idp${query}`)
  const location = new URL(started.headers.get("location") ?? "")
  ask?.(location.searchParams)
  const callback = new URL(await passThrough(location.href))
  answer?.(callback.searchParams)
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + ahead * 1000 })
  const finished = await browser.get(callback.href)
  vi.useRealTimers()
  const session = await browser.get("/api/auth/get-session")
  const { user } = (await session.json<{ user: { email: string } } | null>()) ?? {}
  return { location: finished.headers.get("location"), email: user?.email }
}

const inside = { location: webUrl, email: "lin@example.com" }

function failed(code: string) {
  return { location: `${webUrl}?error=${code}`, email: undefined }
}

test("a provider whose id_token has no nonce is refused, and signs in as one of OAuth alone", async () => {
  const ask = (query: URLSearchParams) => query.delete("nonce")
  expect(await enter({})).toEqual(inside)
  expect(await enter({ ask })).toEqual(failed("invalid_code"))
  const plain = {
    preset: "oauth2",
    issuer,
    authorizationUrl: `${issuer}/auth`,
    tokenUrl: `${issuer}/token`,
    userinfoUrl: `${issuer}/me`,
    scopes: ["openid", "email", "profile"],
    emailDomains: ["example.com"],
    fields: { subject: "sub", email: "email", emailVerified: "email_verified", name: "name" },
  }
  expect(await enter({ at: boundTo(plain, "plain"), ask })).toEqual(inside)
})

test("a provider that does not say when it asked signs in, also where it was told to ask", async () => {
  const query = "?prompt=login"
  const heard: string[] = []
  const ask = (parameters: URLSearchParams) => {
    heard.push(parameters.get("max_age") ?? "")
    parameters.delete("max_age")
  }
  expect(await enter({ query })).toEqual(inside)
  expect(await enter({ query, ask })).toEqual(inside)
  expect(heard).toEqual(["0"])
})

test("clocks differ by less than a minute beyond a token's life, or the sign-in fails", async () => {
  // The package's tokens live for a minute.
  for (const ahead of [-50, 0, 50, 110]) {
    expect({ ahead, ...(await enter({ ahead })) }).toEqual({ ahead, ...inside })
  }
  expect(await enter({ ahead: 130 })).toEqual(failed("invalid_code"))
})

test("a response of another issuer opens nothing, and a declared one may end in a slash", async () => {
  const withIssuer = (iss: string) => (query: URLSearchParams) => query.set("iss", iss)
  expect(await enter({ answer: withIssuer(issuer) })).toEqual(inside)
  for (const iss of ["https://evil.example", `${issuer}/`, ""]) {
    expect(await enter({ answer: withIssuer(iss) })).toEqual(failed("issuer_mismatch"))
  }
  // A provider that declares that it names its issuer, and then does not.
  const silent = (query: URLSearchParams) => query.delete("iss")
  expect(await enter({ answer: silent })).toEqual(failed("issuer_mismatch"))
  expect(await enter({ at: boundTo({ issuer: `${issuer}/` }) })).toEqual(inside)
})
