import { env } from "cloudflare:workers"
import { createLocalJWKSet, decodeProtectedHeader, type JSONWebKeySet, jwtVerify } from "jose"
import { expect, test, vi } from "vitest"

import { apiUrl, bind, copyBrowser, createBrowser, webUrl } from "../../../testing/browser.ts"
import { stopClock } from "../../../testing/clock.ts"
import { createCountingDatabase } from "../../../testing/counting-database.ts"
import { createFailingDatabase } from "../../../testing/failing-database.ts"
import { createPerson, type Person } from "../../../testing/person.ts"
import type { Env } from "../../platform/configuration/env.ts"
import { createKeys } from "../../platform/configuration/keys.ts"
import { conceal } from "../../platform/configuration/secret.ts"
import { sessionLifetime } from "../../platform/cookie/browser-cookies.ts"
import { createTokens } from "./tokens.ts"

const [audience, another] = ["https://orders.example", "reports"]
const tokens = { TOKENS: JSON.stringify({ audiences: [audience, another], minutes: 10 }) }
const minutes = 60 * 1000
const path = "/api/v1/createToken"

async function keysOf(bound: Env) {
  return (await createBrowser(bound, null).get("/api/v1/jwks.json")).json<JSONWebKeySet>()
}

async function tokenOf(bound: Env, person: Person, requested = audience) {
  const answer = await copyBrowser(person.browser, bound).post(path, { audience: requested })
  expect(answer.status).toBe(200)
  return answer.json<{ token: string; expiresAt: string }>()
}

/** Verifies a token like another service, with the keys that it has. */
async function read(token: string, keys: JSONWebKeySet, requested = audience) {
  const expected = { issuer: apiUrl, audience: requested, algorithms: ["ES256"] }
  const verified = await jwtVerify(token, createLocalJWKSet(keys), expected)
  return verified.payload
}

test("a token says whose it is, for whom and until when, and nothing else", async () => {
  using _ = stopClock()
  const bound = bind(tokens)
  const person = await createPerson(bound)
  const now = Math.floor(Date.now() / 1000)
  const { token, expiresAt } = await tokenOf(bound, person)
  const keys = await keysOf(bound)
  expect(await read(token, keys)).toEqual({
    iss: apiUrl,
    aud: audience,
    sub: person.id,
    iat: now,
    exp: now + 600,
    jti: expect.stringMatching(/^token_/),
  })
  expect(Date.parse(expiresAt)).toBe((now + 600) * 1000)
  const [key] = keys.keys
  expect(decodeProtectedHeader(token)).toEqual({ alg: "ES256", typ: "JWT", kid: key?.kid })
  expect(keys.keys.flatMap((jwk) => Object.keys(jwk)).toSorted()).toEqual([
    "alg",
    "crv",
    "kid",
    "kty",
    "use",
    "x",
    "y",
  ])
  await expect(read(token, keys, another)).rejects.toThrow('unexpected "aud"')
  vi.setSystemTime(Date.now() + 10 * minutes)
  await expect(read(token, keys)).rejects.toThrow('"exp" claim timestamp check failed')
})

test("no token outlives its session", async () => {
  const bound = bind(tokens)
  const person = await createPerson(bound)
  const end = Math.floor(Date.now() / 1000) + 30
  await env.DB.prepare("update session set expires_at = ? where user_id = ?")
    .bind(end * 1000 + 999, person.id)
    .run()
  const { token, expiresAt } = await tokenOf(bound, person)
  expect(await read(token, await keysOf(bound))).toMatchObject({ exp: end })
  expect(Date.parse(expiresAt)).toBe(end * 1000)
})

test("a token is for who is signed in now, on a page that may ask, and for a service that is named", async () => {
  const counting = createCountingDatabase(env.DB)
  const bound = bind({ ...tokens, DB: counting.database })
  const person = await createPerson(bound)
  const ask = async (body: unknown, browser = copyBrowser(person.browser, bound)) => {
    const answer = await browser.post(path, body)
    return [answer.status, (await answer.json<{ code?: string }>()).code]
  }
  expect(await ask({ audience })).toEqual([200, undefined])
  expect(await ask({ audience: "https://orders.example.evil.com" })).toEqual([404, "NOT_FOUND"])
  expect(await ask({})).toEqual([400, "BAD_REQUEST"])
  expect(await ask({ audience, sub: "user_x" })).toEqual([400, "BAD_REQUEST"])
  expect(await ask({ audience }, createBrowser(bound))).toEqual([401, "UNAUTHORIZED"])
  for (const [from, code] of [
    ["https://evil.example", "INVALID_ORIGIN"],
    [null, "MISSING_OR_NULL_ORIGIN"],
  ] as const) {
    const answer = await copyBrowser(person.browser, bound).send("POST", path, {
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ audience }),
      from,
    })
    expect([answer.status, await answer.json()]).toMatchObject([403, { code }])
  }
  const limited = bind({ ...tokens, LIMIT_MEMBER: { limit: async () => ({ success: false }) } })
  expect(await ask({ audience }, copyBrowser(person.browser, limited))).toEqual([
    429,
    "TOO_MANY_REQUESTS",
  ])

  // Signed out elsewhere: the cookie is still good, and the row is not there.
  await env.DB.prepare("delete from session where user_id = ?").bind(person.id).run()
  const statements = await counting.during(async () => {
    expect(await ask({ audience })).toEqual([401, "UNAUTHORIZED"])
  })
  expect(statements).toHaveLength(1)
})

test("where no tokens are configured there is neither one nor a key, and the database is not asked", async () => {
  const counting = createCountingDatabase(env.DB)
  const bound = bind({ DB: counting.database })
  const person = await createPerson(bound)
  const statements = await counting.during(async () => {
    for (const browser of [person.browser, createBrowser(bound)]) {
      expect(await browser.call(path, { audience })).toMatchObject({
        status: 404,
        body: { code: "NOT_FOUND" },
      })
    }
    const keys = await createBrowser(bound, null).get("/api/v1/jwks.json")
    expect([keys.status, await keys.json()]).toMatchObject([404, { code: "NOT_FOUND" }])
  })
  expect(statements).toEqual([])
})

test("while the database does not answer, a token request returns 503 and not 401", async () => {
  const person = await createPerson(bind(tokens))
  const cut = bind({ ...tokens, DB: createFailingDatabase(env.DB, /./) })
  const answer = await copyBrowser(person.browser, cut).post(path, { audience })
  expect([answer.status, await answer.json()]).toMatchObject([503, { code: "UNAVAILABLE" }])
  expect(answer.headers.get("retry-after")).toBe("5")
})

test("the keys are answered while the database hangs, to be kept for minutes", async () => {
  const { database } = createCountingDatabase(env.DB, () => new Promise(() => {}))
  const browser = createBrowser(bind({ ...tokens, DB: database }), null)
  for (const method of ["GET", "HEAD"]) {
    const answer = await browser.send(method, "/api/v1/jwks.json")
    expect(answer.status).toBe(200)
    expect(answer.headers.get("cache-control")).toBe("public, max-age=300")
    expect(answer.headers.getSetCookie()).toEqual([])
  }
  expect((await browser.post("/api/v1/jwks.json")).status).toBe(405)
})

test("a secret has one key, in every version and isolate, and another in another environment", async () => {
  const secret = { AUTH_SECRET: "a-secret-of-the-examples-of-the-documentation" }
  const kid = async (changes: Partial<Env>) =>
    (await keysOf(bind({ ...tokens, ...secret, ...changes }))).keys.map((key) => key.kid)
  // A release that derived another one would refuse every token of the version before.
  expect(await kid({})).toEqual(["3lkn0yDSZPyjisnw64DeyX_5DsgY2rYyes6BcSyycjs"])
  expect(await kid({ VERIFY_EMAIL: "false" })).toEqual(await kid({}))
  expect(await kid({ ENVIRONMENT: "preview" })).not.toEqual(await kid({}))
})

const order = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n
// The generator, which is the public key of the number 1.
const generator = "6b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296"

test.each([
  ["nothing but zeros", 0n, generator],
  ["a number with zeros in front", 2n ** 200n, expect.any(String)],
  ["the greatest number of the curve", order - 2n, generator],
  ["the first number that wraps around", order - 1n, generator],
  ["nothing but ones", 2n ** 384n - 1n, expect.any(String)],
])("a secret that derives %s makes a pair of keys", async (_title, drawn, x) => {
  const seed = Buffer.from(drawn.toString(16).padStart(96, "0"), "hex").toString("base64url")
  const secrets: Parameters<typeof createKeys>[0]["secrets"] = [conceal("any")]
  const keys = createKeys({ secrets, environment: "local", verifyEmail: false })
  const issuer = createTokens({
    tokens: { audiences: [audience], minutes: 5 },
    keys: { ...keys, of: () => [seed] },
    url: apiUrl,
  })
  const until = new Date(Date.now() + 60 * minutes)
  const signed = await issuer?.sign({ member: "user_x", audience, until })
  const keySet = { keys: issuer?.keySet.keys ?? [] }
  expect(await read(signed?.token ?? "", keySet)).toMatchObject({ sub: "user_x" })
  const published = Buffer.from(keySet.keys[0]?.x ?? "", "base64url").toString("hex")
  expect(published).toEqual(x)
})

test("a rotation fails no token: each key is there before it signs and until its last token has ended", async () => {
  using _ = stopClock()
  const [previous, next] = [
    "the-secret-before-the-rotation-0123456789",
    "the-secret-after-it-9876543210-abcdef",
  ]
  const from = Date.now() + 60 * minutes
  const before = bind({ ...tokens, AUTH_SECRET: previous })
  const rotating = bind({
    ...tokens,
    AUTH_SECRET: next,
    AUTH_SECRET_PREVIOUS: previous,
    AUTH_SECRET_FROM: new Date(from).toISOString(),
  })
  const after = bind({ ...tokens, AUTH_SECRET: next })
  const person = await createPerson(before)
  const [k0, k1] = [(await keysOf(before)).keys, (await keysOf(after)).keys]

  // While the two versions serve side by side, a token of either is good wherever the keys came from.
  for (const signed of [before, rotating]) {
    const { token } = await tokenOf(signed, person)
    for (const bindings of [before, rotating]) {
      expect(await read(token, await keysOf(bindings))).toMatchObject({ sub: person.id })
    }
  }
  expect((await keysOf(rotating)).keys).toEqual([...k0, ...k1])

  // Keys that a service fetched a minute earlier verify the first token of the next secret.
  vi.setSystemTime(from - 1)
  const retained = await keysOf(rotating)
  const last = await tokenOf(rotating, person)
  vi.setSystemTime(from)
  const first = await tokenOf(rotating, person)
  expect([last, first].map(({ token }) => decodeProtectedHeader(token).kid)).toEqual([
    k0[0]?.kid,
    k1[0]?.kid,
  ])
  for (const { token } of [last, first]) {
    for (const keys of [retained, await keysOf(rotating)]) {
      expect(await read(token, keys)).toMatchObject({ sub: person.id })
    }
  }

  // The key is removed with its secret, long after its last token.
  vi.setSystemTime(from + sessionLifetime * 1000)
  expect(await keysOf(after)).toEqual({ keys: k1 })
  await expect(read(last.token, await keysOf(after))).rejects.toThrow("no applicable key found")
})

test.each([
  ["no JSON", "https://orders.example"],
  ["no audience", '{"audiences":[]}'],
  ["a day", '{"audiences":["reports"],"minutes":1440}'],
  ["an unknown key", '{"audiences":["reports"],"issuer":"https://evil.example"}'],
  ["an audience with a space", '{"audiences":["a b"]}'],
])("the service refuses to run with tokens of %s", async (_title, TOKENS) => {
  const spy = vi.spyOn(console, "error").mockImplementation(() => {})
  expect((await createBrowser(bind({ TOKENS }), webUrl).get("/api/v1/jwks.json")).status).toBe(503)
  expect(String(spy.mock.calls[0]?.[0])).toContain("TOKENS")
  spy.mockRestore()
})

test("nor does it run with tokens and a random secret, whose keys no other isolate has", async () => {
  const spy = vi.spyOn(console, "error").mockImplementation(() => {})
  const bound = bind({ ...tokens, AUTH_SECRET: undefined })
  expect((await createBrowser(bound, webUrl).get("/api/v1/jwks.json")).status).toBe(503)
  expect(String(spy.mock.calls[0]?.[0])).toContain("AUTH_SECRET: is missing")
  spy.mockRestore()
})
