import { decodeProtectedHeader, SignJWT, UnsecuredJWT } from "jose"
import { expect, test } from "vitest"
import * as z from "zod"

import { createKeys } from "../../../app/service/platform/configuration/keys.ts"
import { conceal } from "../../../app/service/platform/configuration/secret.ts"
import { createTokens } from "../../../app/service/session/token/tokens.ts"
import { openDocumentedWorker } from "./testing/documented-worker.ts"
import { cookieHeader, sendRequest } from "./testing/send-request.ts"
import { openRotatedStack } from "./testing/stacks/rotated-stack.ts"

const [api, web] = ["https://api.staging.accounts.test", "https://app.staging.accounts.test"]
const [audience, another] = ["https://orders.accounts.test", "https://reports.accounts.test"]
const settings = { audiences: [audience, another], minutes: 60 }
const changes = { "accounts:tokens": settings, "accounts:releaseSteps": [100] }
const week = 7 * 24 * 60 * 60 * 1000

const Created = z.object({ token: z.string() })
const KeySet = z.object({ keys: z.array(z.object({ kid: z.string() })) })
const refused = { status: 401, body: { code: "UNAUTHORIZED" } }

/** A deployed service, one of its members, and the Workers of another service. */
async function openServices() {
  await using opened = new AsyncDisposableStack()
  const stack = opened.use(await openRotatedStack(changes))
  const connectTo = stack.edge
  const headers = { origin: web }
  const ada = { email: "ada@accounts.test", password: "correct horse battery" }
  const post = (path: string, body: unknown, cookie = "") =>
    sendRequest(`${api}/api/${path}`, { connectTo, headers: { ...headers, cookie }, body })
  await post("auth/sign-up/email", { name: "Ada", ...ada })
  const resources = opened.move()
  return {
    stack,
    openWorker: async () =>
      resources.use(await openDocumentedWorker({ accounts: api, audience, connectTo })),
    tokenFor: async (tokenAudience: string) => {
      const cookie = cookieHeader(await post("auth/sign-in/email", ada))
      return Created.parse((await post("v1/createToken", { audience: tokenAudience }, cookie)).json)
        .token
    },
    kids: async () => {
      const answer = await sendRequest(`${api}/api/v1/jwks.json`, { connectTo })
      return KeySet.parse(answer.json).keys.map(({ kid }) => kid)
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}

/** Signs like the deployed service, as a holder of its secret could. */
function signer({ environment = "staging", url = api } = {}) {
  const secrets: Parameters<typeof createKeys>[0]["secrets"] = [conceal("s".repeat(64))]
  const keys = createKeys({ secrets, environment, verifyEmail: false })
  const tokens = createTokens({ tokens: settings, keys, url })
  if (tokens === undefined) throw new Error("tokens are configured")
  const until = new Date(Date.now() + week)
  const sign = async (claims: { audience?: string; until?: Date } = {}) =>
    (await tokens.sign({ member: "user_x", audience, until, ...claims })).token
  return { sign, keySet: tokens.keySet }
}

test("the Worker of docs/tokens.md takes a member's token, and none of a forger's", async () => {
  await using services = await openServices()
  const worker = await services.openWorker()
  const member = expect.stringMatching(/^user_[0-9a-z]{24}$/)
  expect(await worker.ask(await services.tokenFor(audience))).toEqual({
    status: 200,
    body: { member },
  })
  const otherSigner = signer()
  const [key] = otherSigner.keySet.keys
  expect(await services.kids()).toEqual([key?.kid])
  // The forger's tools are in order: with nothing changed, they make a token.
  expect(await worker.ask(await otherSigner.sign())).toEqual({
    status: 200,
    body: { member: "user_x" },
  })

  const claims = { iss: api, aud: audience, sub: "user_x" }
  const unsigned = new UnsecuredJWT(claims).setExpirationTime("5 min").encode()
  /** Signed with the public key, as if it were a shared secret. */
  const shared = new SignJWT(claims)
    .setProtectedHeader({ alg: "HS256", kid: key?.kid ?? "" })
    .setExpirationTime("5 min")
    .sign(Buffer.from(JSON.stringify(key)))
  const [header = "", payload = "", signature = ""] = (await otherSigner.sign()).split(".")
  const admin = Buffer.from(JSON.stringify({ ...claims, sub: "user_y" })).toString("base64url")
  const forged = {
    "another audience": await services.tokenFor(another),
    "another issuer": await signer({ url: "https://api.production.accounts.test" }).sign(),
    "another environment with the same secret": await signer({ environment: "production" }).sign(),
    expired: await otherSigner.sign({ until: new Date(Date.now() - 1000) }),
    "no algorithm": unsigned,
    "no algorithm, but a signature": `${unsigned}${signature}`,
    "a shared secret": await shared,
    "another payload": [header, admin, signature].join("."),
    "no signature": [header, payload, ""].join("."),
    "no token": "",
  }
  for (const [title, token] of Object.entries(forged)) {
    expect([title, await worker.ask(token)]).toEqual([title, refused])
  }
  // Unknown key ids do not make it fetch the keys again and again.
  expect(worker.asked).toEqual([`${api}/api/v1/jwks.json`])
  worker.state.isReachable = false
  expect((await worker.ask(await otherSigner.sign())).status).toBe(200)
  const cold = await services.openWorker()
  cold.state.isReachable = false
  expect(await cold.ask(await otherSigner.sign())).toEqual({
    status: 503,
    body: { code: "UNAVAILABLE" },
  })
  cold.state.isReachable = true
  expect((await cold.ask(await otherSigner.sign())).status).toBe(200)
})

test("a rotation that is released fails no token, and no service asks for keys because of it", async () => {
  await using services = await openServices()
  const { stack, kids } = services
  const create = () => services.tokenFor(audience)
  const [formerKid] = await kids()
  const before = await create()

  expect(await stack.secret("rotate", "AUTH_SECRET", "--in", "1")).toMatchObject({ code: 0 })
  await stack.release()
  // The new one is there, and the former one signs.
  const [signing, next, ...otherKids] = await kids()
  expect([signing, otherKids]).toEqual([formerKid, []])
  const during = await create()
  expect(decodeProtectedHeader(during).kid).toBe(formerKid)
  const worker = await services.openWorker()
  for (const token of [before, during]) expect((await worker.ask(token)).status).toBe(200)

  // The hour has passed.
  stack.beginAt(Date.now() - 1000)
  await stack.release()
  const after = await create()
  expect(decodeProtectedHeader(after).kid).toBe(next)
  const fresh = await services.openWorker()
  for (const service of [worker, fresh]) {
    for (const token of [before, during, after]) expect((await service.ask(token)).status).toBe(200)
    expect(service.asked).toHaveLength(1)
  }

  stack.beginAt(Date.now() - week - 60_000)
  stack.endRotation()
  await stack.release()
  expect(await kids()).toEqual([next])
  const late = await services.openWorker()
  expect((await late.ask(await create())).status).toBe(200)
  expect(await late.ask(before)).toEqual(refused)
  expect((await worker.ask(await create())).status).toBe(200)
})
