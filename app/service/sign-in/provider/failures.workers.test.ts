import { env } from "cloudflare:workers"
import { expect, test } from "vitest"

import { createBrowser, webUrl } from "../../../testing/browser.ts"
import { createFailingDatabase } from "../../../testing/failing-database.ts"
import { createPerson } from "../../../testing/person.ts"
import { type ProviderVisit, visitProvider } from "../../../testing/provider-visit.ts"

/** The front end's page for failures of this sign-in. */
const page = `${webUrl}/sign-in?from=app`

type Failure = {
  code: string
  /** Makes the provider, or the way back from it, fail. */
  forge?: (visit: ProviderVisit) => void | Promise<void>
  /** Changes the parameters with which the provider sends the browser back. */
  answer?: (query: Record<string, string>) => Record<string, string> | string[][]
  /** Statements that the database refuses. */
  refused?: RegExp
}

function claiming(claims: Record<string, unknown>): Pick<Failure, "forge"> {
  return { forge: ({ provider }) => provider.forge({ claims }) }
}

function token(answer: () => Response | Promise<Response>): Pick<Failure, "forge"> {
  return { forge: ({ provider }) => provider.forge({ token: answer }) }
}

function returning(query: Record<string, string>): Pick<Failure, "answer"> {
  return { answer: ({ state = "", iss = "" }) => ({ state, iss, ...query }) }
}

function answeringUserinfo(answer: () => Response): Pick<Failure, "forge"> {
  return {
    forge: ({ provider }) =>
      provider.forge({
        claims: { email: undefined, email_verified: undefined },
        discovery: { userinfo_endpoint: `${provider.issuer}/userinfo` },
        userinfo: answer,
      }),
  }
}

const failures: Record<string, Failure> = {
  "the user refuses": { code: "access_denied", ...returning({ error: "access_denied" }) },
  "the user closes Apple's page": {
    code: "access_denied",
    ...returning({ error: "user_cancelled_authorize" }),
  },
  "the provider wants another sign-in": {
    code: "login_required",
    ...returning({ error: "login_required" }),
  },
  "the provider has no time": {
    code: "temporarily_unavailable",
    ...returning({ error: "temporarily_unavailable" }),
  },
  "the provider invents an error": {
    code: "provider_error",
    ...returning({ error: "quota_of_the_moon" }),
  },
  "the provider's error is a text": {
    code: "provider_error",
    ...returning({ error: "<script>alert(1)</script>" }),
  },
  "no code comes": { code: "no_code", ...returning({}) },
  "two codes come": {
    code: "no_code",
    answer: (query) => [...Object.entries(query), ["code", "another"]],
  },
  "another issuer answers": {
    code: "issuer_mismatch",
    ...returning({ code: "code-1", iss: "https://evil.example" }),
  },
  "the token endpoint answers 500": {
    code: "provider_unavailable",
    ...token(() => new Response("down", { status: 500 })),
  },
  "the token endpoint answers too late": {
    code: "provider_unavailable",
    ...token(() => Promise.reject(new DOMException("timed out", "TimeoutError"))),
  },
  "the token endpoint cannot be reached": {
    code: "provider_unavailable",
    ...token(() => Promise.reject(new TypeError("connection refused"))),
  },
  "the token endpoint answers garbage": {
    code: "invalid_code",
    ...token(() => new Response("<html>")),
  },
  "the token endpoint answers another document": {
    code: "invalid_code",
    ...token(() => Response.json({ access_token: "opaque" })),
  },
  "the code is refused": {
    code: "invalid_code",
    ...token(() => Response.json({ error: "invalid_grant" }, { status: 400 })),
  },
  "the id_token is of another issuer": {
    code: "invalid_code",
    ...claiming({ iss: "https://evil.example" }),
  },
  "the id_token is for another audience": { code: "invalid_code", ...claiming({ aud: "another" }) },
  "the id_token has another nonce": { code: "invalid_code", ...claiming({ nonce: "replayed" }) },
  "the userinfo endpoint fails": {
    code: "provider_unavailable",
    ...answeringUserinfo(() => new Response("down", { status: 503 })),
  },
  "the userinfo endpoint answers for another user": {
    code: "invalid_code",
    ...answeringUserinfo(() => Response.json({ sub: "another", email: "a@example.com" })),
  },
  "the userinfo has no e-mail address": {
    code: "email_not_found",
    ...answeringUserinfo(() => Response.json({ sub: "subject-1" })),
  },
  "there is no e-mail address": { code: "email_not_found", ...claiming({ email: undefined }) },
  "the e-mail address is none": { code: "email_not_found", ...claiming({ email: "grace" }) },
  "the e-mail address is empty": { code: "email_not_found", ...claiming({ email: "" }) },
  "the e-mail address is too long": {
    code: "email_not_found",
    ...claiming({ email: `${"x".repeat(65)}@example.com` }),
  },
  "the e-mail address is not verified": {
    code: "email_not_verified",
    ...claiming({ email_verified: false }),
  },
  "the e-mail address is verified by a word": {
    code: "email_not_verified",
    ...claiming({ email_verified: "yes" }),
  },
  "the database fails to look the user up": {
    code: "unavailable",
    refused: /select .* from "account"/s,
  },
  "the database fails to store the user": {
    code: "unavailable",
    refused: /insert into "user"/,
  },
  "the database fails to store the session": {
    code: "unavailable",
    refused: /insert into "session"/,
  },
}

test.each(Object.entries(failures))(
  "a sign-in with a provider ends on the front end's page when %s",
  async (_name, { code, forge, answer, refused }) => {
    const changes = refused === undefined ? {} : { DB: createFailingDatabase(env.DB, refused) }
    const visit = await visitProvider({ changes })
    using _network = visit.network
    await forge?.(visit)
    const query = visit.provider.authorize(await visit.start("idp", { errorCallbackURL: page }))
    expect(await visit.finish(answer?.(query) ?? query)).toBe(`${page}&error=${code}`)
    expect(await visit.session()).toBeNull()
  },
)

test("a sign-in with a provider ends on the front end when its state is lost, expired, unreadable or missing", async () => {
  const { browser, provider, network, start, finish } = await visitProvider()
  using _ = network
  const lost = provider.authorize(await start())
  browser.cookies.clear()
  expect(await finish(lost)).toBe(`${webUrl}?error=state_mismatch`)
  const unreadable = provider.authorize(await start())
  for (const name of browser.cookies.keys()) browser.cookies.set(name, "x")
  expect(await finish(unreadable)).toBe(`${webUrl}?error=state_invalid`)
  const { state: _state, ...without } = provider.authorize(await start())
  expect(await finish(without)).toBe(`${webUrl}?error=state_not_found`)
})

test("a sign-in with a provider ends on the front end when the provider is no longer configured", async () => {
  const { browser, network } = await visitProvider()
  using _ = network
  const response = await browser.get("/api/auth/callback/former?code=1&state=2")
  expect(response.headers.get("location")).toBe(`${webUrl}?error=provider_not_found`)
})

test("a sign-in with a provider ends on the front end when its metadata cannot be read", async () => {
  for (const forgery of [
    { issuer: "https://evil.example" },
    { token_endpoint: "http://plain.example/token" },
    { jwks_uri: undefined },
  ]) {
    const { provider, network, start } = await visitProvider()
    using _ = network
    provider.forge({ discovery: forgery })
    expect(await start("idp", { errorCallbackURL: page })).toBe(
      `${page}&error=provider_unavailable`,
    )
  }
})

test("the error of a sign-in with a provider stands before the fragment of the front end's page", async () => {
  const { provider, network, start, finish } = await visitProvider()
  using _ = network
  const query = provider.authorize(await start("idp", { errorCallbackURL: `${webUrl}/#/sign-in` }))
  expect(await finish({ ...query, error: "access_denied" })).toBe(
    `${webUrl}/?error=access_denied#/sign-in`,
  )
})

test("a provider's empty or odd decoration does not fail a sign-in", async () => {
  for (const claims of [
    { name: "" },
    { name: " ", preferred_username: "" },
    { name: 7, picture: "" },
    { name: "Grace\u0000\nHopper", picture: "/relative.png" },
    { name: "x".repeat(300), picture: 1 },
    { name: null, email_verified: "true" },
  ]) {
    const { provider, network, start, finish, session } = await visitProvider()
    using _ = network
    const email = `${crypto.randomUUID()}@example.com`
    provider.forge({ claims: { sub: email, email, ...claims } })
    expect([claims, await finish(provider.authorize(await start()))]).toEqual([claims, webUrl])
    expect(await session()).toMatchObject({ user: { email, image: null } })
  }
})

test("two first sign-ins with a provider at once both end well, in one account", async () => {
  const { bound, provider, network } = await visitProvider()
  using _ = network
  const email = `${crypto.randomUUID()}@example.com`
  const { promise: bothArrived, resolve: open } = Promise.withResolvers<void>()
  let arrived = 0
  provider.forge({
    claims: { sub: email, email },
    token: async (request) => {
      if ((arrived += 1) === 2) open()
      await bothArrived
      return provider.answerToken(request)
    },
  })
  const signIn = async () => {
    const browser = createBrowser(bound, null)
    const started = await browser.get("/api/auth/sign-in/idp")
    const answer = provider.authorize(started.headers.get("location") ?? "")
    const finished = await browser.get(
      `/api/auth/callback/idp?${new URLSearchParams(answer).toString()}`,
    )
    expect(finished.headers.get("location")).toBe(webUrl)
    const session = await browser.get("/api/auth/get-session")
    return (await session.json<{ user: { id: string } }>()).user.id
  }
  const [first, second] = await Promise.all([signIn(), signIn()])
  expect(first).toBe(second)
})

test("a sign-in with a provider enters the account that has the verified address already", async () => {
  const { provider, network, start, finish, session } = await visitProvider()
  using _ = network
  const person = await createPerson()
  await env.DB.prepare("update user set email_verified = 1 where id = ?").bind(person.id).run()
  provider.forge({ claims: { sub: person.id, email: person.email } })
  expect(await finish(provider.authorize(await start()))).toBe(webUrl)
  expect(await session()).toMatchObject({ user: { id: person.id } })
})
