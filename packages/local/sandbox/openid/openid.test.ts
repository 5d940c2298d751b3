import { createHash, randomUUID } from "node:crypto"
import { readdir, stat } from "node:fs/promises"
import { join } from "node:path"

import { createRemoteJWKSet, jwtVerify } from "jose"
import { expect, test } from "vitest"
import * as z from "zod"

import { temporaryDirectory } from "../../daemon/testing/temporary-directory.ts"
import { type RunningSandbox, startSandboxHere } from "../testing/sandbox-here.ts"
import { ask, startSandbox } from "../testing/sandbox-process.ts"
import { openid } from "./openid.ts"

const redirectUri = "http://localhost:8787/api/auth/callback/idp"
const client = { clientId: "accounts", clientSecret: "a secret of the stack's own", redirectUri }
const ada = { email: "Ada@example.com", name: "Ada", verified: "on" }

const Metadata = z.object({
  issuer: z.string(),
  authorization_endpoint: z.string(),
  token_endpoint: z.string(),
  jwks_uri: z.string(),
})

function startProcess(state: string) {
  return startSandbox("openid", state, "--port", "0")
}

function startHere(state: string) {
  return startSandboxHere(openid, state)
}

async function openOpenid(start: (state: string) => Promise<RunningSandbox>) {
  const directory = await temporaryDirectory()
  const sandbox = await start(directory.path)
  await sandbox.askAsOwner("/local/keys", { method: "PUT", body: client })
  return {
    directory: directory.path,
    sandbox,
    async [Symbol.asyncDispose]() {
      await sandbox.stop()
      await directory[Symbol.asyncDispose]()
    },
  }
}

/** A browser at the provider, which stops at redirects and keeps cookies. */
function createVisitor(url: string) {
  const cookies = new Map<string, string>()
  return async (to: string, body?: URLSearchParams) => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ")
    const origin = body === undefined ? {} : { origin: url }
    const answer = await ask(new URL(to, url).href, {
      headers: { cookie, ...origin },
      ...(body && { body }),
    })
    for (const line of [answer.headers["set-cookie"] ?? []].flat()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      cookies.set(name, value)
    }
    return { ...answer, location: String(answer.headers["location"]) }
  }
}

type Visitor = ReturnType<typeof createVisitor>

/** Goes as far as the page to sign in on, and returns where its form leads. */
async function begin(
  url: string,
  { prompt = "", visit = createVisitor(url) }: { prompt?: string; visit?: Visitor } = {},
) {
  const { issuer, authorization_endpoint, ...metadata } = Metadata.parse(
    (await ask(`${url}/.well-known/openid-configuration`)).json,
  )
  const verifier = randomUUID() + randomUUID()
  const query = new URLSearchParams({
    response_type: "code",
    client_id: client.clientId,
    redirect_uri: redirectUri,
    scope: "openid email profile",
    state: "the-state",
    nonce: "the-nonce",
    code_challenge_method: "S256",
    code_challenge: createHash("sha256").update(verifier).digest("base64url"),
  })
  if (prompt !== "") query.set("prompt", prompt)
  // The service sends this for a step-up.
  if (prompt === "login") query.set("max_age", "0")
  const { location } = await visit(`${authorization_endpoint}?${query.toString()}`)
  const page = await visit(location)
  return { issuer, ...metadata, verifier, visit, location, page }
}

/** Follows redirects until one leads to the service. */
async function arrive(visit: ReturnType<typeof createVisitor>, to: string, form: object) {
  let { location } = await visit(to, new URLSearchParams({ ...form }))
  for (let step = 0; step < 5 && !location.startsWith(redirectUri); step += 1) {
    ;({ location } = await visit(location))
  }
  return Object.fromEntries(new URL(location).searchParams)
}

async function redeem(
  at: { token_endpoint: string; verifier: string },
  code: string | undefined,
  secret = client.clientSecret,
) {
  const pair = `${client.clientId}:${encodeURIComponent(secret)}`
  return ask(at.token_endpoint, {
    headers: { authorization: `Basic ${btoa(pair)}` },
    body: new URLSearchParams({
      grant_type: "authorization_code",
      code: code ?? "",
      redirect_uri: redirectUri,
      code_verifier: at.verifier,
    }),
  })
}

test("any identity can be chosen at sign-in, and the service gets a signed token once", async () => {
  await using set = await openOpenid(startHere)
  const interaction = await begin(set.sandbox.url)
  expect(interaction.issuer).toBe(set.sandbox.url)
  expect(interaction.page.text).toContain("<form")
  expect(interaction.page.text).not.toContain("<script")
  const answer = await arrive(interaction.visit, `${interaction.location}/sign-in`, ada)
  expect(answer).toMatchObject({ state: "the-state", iss: interaction.issuer })
  const tokens = await redeem(interaction, answer["code"])
  const { id_token } = z.object({ id_token: z.string() }).parse(tokens.json)
  const { payload } = await jwtVerify(id_token, createRemoteJWKSet(new URL(interaction.jwks_uri)), {
    issuer: interaction.issuer,
    audience: client.clientId,
  })
  expect(payload).toMatchObject({
    nonce: "the-nonce",
    email: ada.email,
    email_verified: true,
    name: "Ada",
  })
  expect((await redeem(interaction, answer["code"])).json).toMatchObject({ error: "invalid_grant" })
})

test.each(["", "login", "select_account"])(
  "a browser that has signed in is asked again, and may choose another identity, with prompt=%s",
  async (prompt) => {
    await using set = await openOpenid(startHere)
    const interaction = await begin(set.sandbox.url, { prompt })
    await arrive(interaction.visit, `${interaction.location}/sign-in`, ada)
    const secondVisit = await begin(set.sandbox.url, { prompt, visit: interaction.visit })
    expect(secondVisit.page.text).toContain("<form")
    const gus = { ...ada, email: "gus@example.com" }
    const { code } = await arrive(secondVisit.visit, `${secondVisit.location}/sign-in`, gus)
    const { json } = await redeem(secondVisit, code)
    const { id_token } = z.object({ id_token: z.string() }).parse(json)
    const [, claims = ""] = id_token.split(".")
    expect(JSON.parse(Buffer.from(claims, "base64url").toString())).toMatchObject({
      email: gus.email,
      auth_time: expect.any(Number),
    })
  },
)

test("a sign-in is refused, or comes with an unverified address", async () => {
  await using set = await openOpenid(startHere)
  const refused = await begin(set.sandbox.url)
  expect(await arrive(refused.visit, `${refused.location}/refuse`, {})).toMatchObject({
    error: "access_denied",
    state: "the-state",
  })
  const interaction = await begin(set.sandbox.url)
  const { verified: _verified, ...unverified } = ada
  const { code } = await arrive(interaction.visit, `${interaction.location}/sign-in`, unverified)
  const { json } = await redeem(interaction, code)
  const { id_token } = z.object({ id_token: z.string() }).parse(json)
  const [, claims = ""] = id_token.split(".")
  expect(JSON.parse(Buffer.from(claims, "base64url").toString())).toMatchObject({
    email_verified: false,
  })
})

test("no token is issued without the secret, and no sign-in is accepted from another site or browser", async () => {
  await using set = await openOpenid(startHere)
  const { url } = set.sandbox
  const interaction = await begin(url)
  const form = new URLSearchParams(ada)
  const elsewhere = createVisitor(url)
  expect((await elsewhere(`${interaction.location}/sign-in`, form)).status).toBe(400)
  const foreign = await ask(`${url}${interaction.location}/sign-in`, {
    headers: { origin: "http://evil.localhost" },
    body: form,
  })
  expect(foreign.status).toBe(403)
  expect((await ask(`${url}/local/keys`, { method: "PUT", body: client })).status).toBe(400)
  const { code } = await arrive(interaction.visit, `${interaction.location}/sign-in`, ada)
  expect((await redeem(interaction, code, "another")).status).toBe(401)
})

test("it keeps its keys, in files that only their owner can read, and says when it has none", async () => {
  await using set = await openOpenid(startProcess)
  const keysOf = async (url: string) => (await ask(`${url}/jwks`)).text
  const before = await keysOf(set.sandbox.url)
  await set.sandbox.stop("SIGKILL")
  const folder = join(set.directory, "openid")
  for (const file of await readdir(folder)) {
    expect([file, (await stat(join(folder, file))).mode & 0o077]).toEqual([file, 0])
  }
  await using restarted = await startProcess(set.directory)
  expect(await keysOf(restarted.url)).toBe(before)
  expect((await ask(restarted.url)).text).toContain("/api/auth/sign-in/idp?")

  await using elsewhere = await temporaryDirectory()
  await using fresh = await startProcess(elsewhere.path)
  const early = await ask(`${fresh.url}/.well-known/openid-configuration`)
  expect(early).toMatchObject({ status: 503, json: { error: expect.stringContaining("deployed") } })
  expect(restarted.stderr() + fresh.stderr()).toBe("")
})
