import { generateKeyPair, SignJWT, UnsecuredJWT } from "jose"
import { expect, test } from "vitest"

import { createBrowser, webUrl } from "../../../testing/browser.ts"
import { type ProviderVisit, visitProvider } from "../../../testing/provider-visit.ts"

test("sign-in with a provider redirects there with PKCE, nonce and state, and signs the user in on return", async () => {
  const { provider, network, start, finish, session } = await visitProvider()
  using _ = network
  const location = new URL(await start())
  expect(`${location.origin}${location.pathname}`).toBe(`${provider.issuer}/authorize`)
  expect(Object.fromEntries(location.searchParams)).toEqual({
    response_type: "code",
    client_id: "client-at-the-provider",
    redirect_uri: "http://localhost:8787/api/auth/callback/idp",
    scope: "openid email profile",
    code_challenge_method: "S256",
    code_challenge: expect.stringMatching(/^[\w-]{43}$/),
    nonce: expect.stringMatching(/^[\w-]{43}$/),
    state: expect.stringMatching(/^[\w-]{32}$/),
  })
  expect(await finish(provider.authorize(location.href))).toBe(webUrl)
  expect(await session()).toMatchObject({
    user: { email: "grace@example.com", emailVerified: true, name: "Grace", role: "member" },
  })
  const token = network.requests.find(({ url }) => url.endsWith("/token"))
  expect(token?.headers.get("authorization")).toBe(
    `Basic ${btoa("client%2Dat%2Dthe%2Dprovider:secret+at+the+provider")}`,
  )
})

test("sign-in with a provider fetches metadata and keys once for many sign-ins", async () => {
  const { provider, network, start, finish } = await visitProvider()
  using _ = network
  for (let round = 0; round < 3; round += 1) await finish(provider.authorize(await start()))
  const paths = network.requests.map(({ url }) => new URL(url).pathname)
  expect(paths.toSorted()).toEqual([
    "/.well-known/openid-configuration",
    "/jwks",
    "/token",
    "/token",
    "/token",
  ])
})

test("sign-in with a provider ignores a role among the claims", async () => {
  const { provider, network, start, finish, session } = await visitProvider()
  using _ = network
  provider.forge({ claims: { sub: "mallory", email: "mallory@example.com", role: "owner" } })
  await finish(provider.authorize(await start()))
  expect(await session()).toMatchObject({ user: { role: "member" } })
})

test("sign-in with a provider answers 404 for an unknown provider, and rejects untrusted callbacks", async () => {
  const { browser, network } = await visitProvider()
  using _ = network
  const unknown = await browser.get("/api/auth/sign-in/nobody")
  expect(unknown.status).toBe(404)
  expect(await unknown.json()).toMatchObject({ code: "PROVIDER_NOT_FOUND" })
  const foreign = await browser.get("/api/auth/sign-in/idp?callbackURL=https://evil.example/")
  expect(foreign.status).toBe(400)
  expect(await foreign.json()).toMatchObject({
    code: "BAD_REQUEST",
    data: { issues: [{ path: ["callbackURL"] }] },
  })
})

test("the provider is told what to ask, and whom", async () => {
  const { browser, network } = await visitProvider()
  using _ = network
  const hints = "prompt=select_account&loginHint=ada%40example.com"
  const started = await browser.get(`/api/auth/sign-in/idp?${hints}`)
  const { searchParams } = new URL(started.headers.get("location") ?? "")
  expect(Object.fromEntries(searchParams)).toMatchObject({
    prompt: "select_account",
    login_hint: "ada@example.com",
  })
  expect((await browser.get("/api/auth/sign-in/idp?prompt=none")).status).toBe(400)
})

test("sign-in with a provider takes an address over from an account that never verified it", async () => {
  const { provider, browser, network, start, finish, session } = await visitProvider()
  using _ = network
  const squatted = { name: "X", email: "victim@example.com", password: "a good long password" }
  const squatter = createBrowser()
  await squatter.post("/api/auth/sign-up/email", squatted)
  provider.forge({ claims: { sub: "victim", email: squatted.email } })
  browser.cookies.clear()
  expect(await finish(provider.authorize(await start()))).toBe(webUrl)
  expect(await session()).toMatchObject({ user: { name: "Grace", emailVerified: true } })
  expect(await (await squatter.get("/api/auth/get-session")).json()).toBeNull()
  const back = await createBrowser().post("/api/auth/sign-in/email", squatted)
  expect(back.status).toBe(401)
})

function soon() {
  return Math.floor(Date.now() / 1000) + 300
}

/** Each makes the provider send a forged or broken answer. */
const forgeries: Record<string, (set: ProviderVisit) => void | Promise<void>> = {
  "a bad signature": async ({ provider }) => {
    const { privateKey } = await generateKeyPair("RS256")
    provider.forge({
      sign: (claims) =>
        new SignJWT(claims).setProtectedHeader({ alg: "RS256", kid: "1" }).sign(privateKey),
    })
  },
  "alg none": ({ provider }) =>
    provider.forge({ sign: (claims) => new UnsecuredJWT(claims).encode() }),
  "key confusion": ({ provider }) =>
    provider.forge({
      sign: (claims) =>
        new SignJWT(claims)
          .setProtectedHeader({ alg: "HS256", kid: "1" })
          .sign(new TextEncoder().encode(JSON.stringify(provider.jwk))),
    }),
  "another nonce": ({ provider }) => provider.forge({ claims: { nonce: "replayed" } }),
  "no nonce": ({ provider }) => provider.forge({ claims: { nonce: undefined } }),
  "another issuer": ({ provider }) => provider.forge({ claims: { iss: "https://evil.example" } }),
  "another audience": ({ provider }) => provider.forge({ claims: { aud: "another-client" } }),
  "another authorized party": ({ provider }) =>
    provider.forge({ claims: { aud: ["client-at-the-provider", "b"], azp: "b" } }),
  "an expired token": ({ provider }) => provider.forge({ claims: { exp: soon() - 600 } }),
  "no expiry": ({ provider }) => provider.forge({ claims: { exp: undefined } }),
  "a token not yet valid": ({ provider }) => provider.forge({ claims: { nbf: soon() } }),
  "a redirecting token endpoint": ({ provider }) =>
    provider.forge({ token: () => Response.redirect("https://evil.example/", 307) }),
  "an endless answer": ({ provider }) =>
    provider.forge({
      token: () =>
        new Response(
          new ReadableStream({
            pull: (controller) => controller.enqueue(new Uint8Array(64 * 1024).fill(32)),
          }),
        ),
    }),
  "a token endpoint that fails": ({ provider }) =>
    provider.forge({ token: () => new Response("no", { status: 400 }) }),
}

test.each(Object.keys(forgeries))("a hostile provider is rejected with %s", async (name) => {
  const set = await visitProvider()
  using _ = set.network
  await forgeries[name]?.(set)
  const answer = set.provider.authorize(await set.start())
  expect(await set.finish(answer)).toBe(`${webUrl}?error=invalid_code`)
  expect(await set.session()).toBeNull()
})

test("a hostile provider is rejected with an unverified address", async () => {
  const set = await visitProvider()
  using _ = set.network
  set.provider.forge({ claims: { email_verified: false } })
  const answer = set.provider.authorize(await set.start())
  expect(await set.finish(answer)).toBe(`${webUrl}?error=email_not_verified`)
})

test("a hostile provider is rejected with an address reserved for smoke accounts", async () => {
  const set = await visitProvider()
  using _ = set.network
  set.provider.forge({ claims: { email: "smoke-1@Accounts.invalid" } })
  const answer = set.provider.authorize(await set.start())
  expect(await set.finish(answer)).toBe(`${webUrl}?error=email_not_verified`)
})

test("a hostile provider is rejected when its metadata names another issuer", async () => {
  const set = await visitProvider()
  using _ = set.network
  set.provider.forge({ discovery: { issuer: "https://evil.example" } })
  expect(await set.start()).toBe(`${webUrl}?error=provider_unavailable`)
})

test("a hostile provider is rejected when its response names no issuer or another (RFC 9207)", async () => {
  const set = await visitProvider()
  using _ = set.network
  const { iss: _iss, ...silent } = set.provider.authorize(await set.start())
  expect(await set.finish(silent)).toBe(`${webUrl}?error=issuer_mismatch`)
  const answer = set.provider.authorize(await set.start())
  expect(await set.finish({ ...answer, iss: set.other.issuer })).toBe(
    `${webUrl}?error=issuer_mismatch`,
  )
})

test("a hostile provider cannot finish a sign-in that started at another provider", async () => {
  const set = await visitProvider()
  using _ = set.network
  const answer = set.provider.authorize(await set.start("idp"))
  expect(await set.finish({ ...answer, iss: set.other.issuer }, "other")).toBe(
    `${webUrl}?error=state_mismatch`,
  )
})

test("a hostile provider cannot finish with a swapped state, with no state, or twice", async () => {
  const set = await visitProvider()
  using _ = set.network
  const answer = set.provider.authorize(await set.start())
  expect(await set.finish({ ...answer, state: "a".repeat(32) })).toBe(
    `${webUrl}?error=state_mismatch`,
  )
  expect(await set.finish({ code: answer.code, iss: answer.iss })).toBe(
    `${webUrl}?error=state_not_found`,
  )
  const nextAnswer = set.provider.authorize(await set.start())
  expect(await set.finish(nextAnswer)).toBe(webUrl)
  expect(await set.finish(nextAnswer)).toBe(`${webUrl}?error=state_mismatch`)
})
