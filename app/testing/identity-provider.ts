import { createHash } from "node:crypto"

import { exportJWK, generateKeyPair, SignJWT } from "jose"

import type { Remote } from "./network.ts"

type Forgery = {
  /** Changes the claims of the id_token. */
  claims?: Record<string, unknown>
  /** Builds the id_token from its claims instead. */
  sign?: (claims: Record<string, unknown>) => string | Promise<string>
  discovery?: Record<string, unknown>
  token?: Remote
  userinfo?: Remote
}

/** Differences between providers. */
type Shape = {
  issuer?: string
  discovery?: Record<string, unknown>
  claims?: Record<string, unknown>
  /** Whether it binds a code to the browser by a challenge. */
  hasPkce?: boolean
  /** Kept by providers that follow each other, as making one takes a tenth of a second. */
  pair?: ReturnType<typeof createPair>
  /** Refuses a client at the token endpoint, by its reason. */
  refuseClient?: (request: Request, form: URLSearchParams) => Promise<string | undefined>
}

export function createPair() {
  return generateKeyPair("RS256")
}

/** A fake OpenID provider at `https://<host>`, which can send forged answers. */
export async function createIdentityProvider(host: string, shape: Shape = {}) {
  const { issuer = `https://${host}`, hasPkce = true } = shape
  const pair = await (shape.pair ?? createPair())
  const jwk = { ...(await exportJWK(pair.publicKey)), kid: "1", alg: "RS256" }
  const state = { forgery: {} satisfies Forgery as Forgery, codes: 0 }
  /** Parameters of the sign-in requests, by code. */
  const requested = new Map<string, URLSearchParams>()

  const sign = (claims: Record<string, unknown>) =>
    new SignJWT(claims).setProtectedHeader({ alg: "RS256", kid: "1" }).sign(pair.privateKey)

  const answerToken: Remote = async (request) => {
    const form = new URLSearchParams(await request.text())
    const refused = await shape.refuseClient?.(request, form)
    if (refused !== undefined) {
      return Response.json({ error: "invalid_client", refused }, { status: 400 })
    }
    const code = form.get("code") ?? ""
    const query = requested.get(code)
    // RFC 6749, 4.1.3: the grant, the client and the redirection URI of the request before.
    const isSame =
      form.get("grant_type") === "authorization_code" &&
      form.get("redirect_uri") === query?.get("redirect_uri") &&
      clientOf(request, form) === query?.get("client_id")
    if (!isSame) return Response.json({ error: "invalid_grant" }, { status: 400 })
    const challenge = createHash("sha256")
      .update(form.get("code_verifier") ?? "")
      .digest("base64url")
    if (hasPkce && query?.get("code_challenge") !== challenge) {
      return Response.json({ error: "invalid_grant" }, { status: 400 })
    }
    requested.delete(code)
    const now = Math.floor(Date.now() / 1000)
    const claims = {
      iss: issuer,
      aud: "client-at-the-provider",
      sub: "subject-1",
      iat: now,
      exp: now + 300,
      nonce: query.get("nonce"),
      email: "grace@example.com",
      email_verified: true,
      name: "Grace",
      ...shape.claims,
      ...state.forgery.claims,
    }
    const id_token = await (state.forgery.sign ?? sign)(claims)
    return Response.json({ access_token: "opaque", token_type: "Bearer", id_token })
  }

  const remote: Remote = (request) => {
    const { pathname } = new URL(request.url)
    if (/[/.]token$/.test(pathname)) return (state.forgery.token ?? answerToken)(request)
    if (/[/.]userinfo$/i.test(pathname)) {
      return state.forgery.userinfo?.(request) ?? new Response(null, { status: 404 })
    }
    if (/\/(?:jwks|keys)$/.test(pathname)) return Response.json({ keys: [jwk] })
    return Response.json({
      issuer,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
      jwks_uri: `${issuer}/jwks`,
      authorization_response_iss_parameter_supported: true,
      ...shape.discovery,
      ...state.forgery.discovery,
    })
  }

  return {
    issuer,
    jwk,
    publicKey: pair.publicKey,
    remote,
    answerToken,
    /** Plays the browser's visit: returns the query with which the provider redirects it back. */
    authorize: (location: string) => {
      const query = new URL(location).searchParams
      const refused = refusedRequest(query, hasPkce)
      if (refused !== undefined) throw new Error(`the provider refuses the request: ${refused}`)
      const code = `code-${(state.codes += 1)}`
      requested.set(code, query)
      return { code, state: query.get("state") ?? "", iss: issuer }
    },
    forge: (forgery: Forgery) => {
      state.forgery = forgery
    },
  }
}

/** RFC 6749, 3.1 and 4.1.1; OpenID Connect Core 3.1.2.1; RFC 7636, 4.3; form_post by its own specification. */
const parameters = new Set([
  "client_id",
  "code_challenge",
  "code_challenge_method",
  "login_hint",
  "max_age",
  "nonce",
  "prompt",
  "redirect_uri",
  "response_mode",
  "response_type",
  "scope",
  "state",
])

/** Why a provider refuses a request: one that does not ignore what it does not know, as RFC 6749 lets it. */
function refusedRequest(query: URLSearchParams, hasPkce: boolean) {
  const names = [...query.keys()]
  const unknown = names.find((name) => !parameters.has(name))
  if (unknown !== undefined) return `unknown parameter ${unknown}`
  if (new Set(names).size < names.length) return "a parameter comes twice"
  if (query.get("response_type") !== "code") return "unsupported_response_type"
  if (!query.get("scope")?.split(" ").includes("openid")) return "invalid_scope"
  if (!hasPkce && query.has("code_challenge")) return "unknown parameter code_challenge"
  if (hasPkce && query.get("code_challenge_method") !== "S256") return "no code_challenge"
  // Registered are the callbacks of this service alone.
  const { pathname, hash, search } = new URL(query.get("redirect_uri") ?? "")
  const isRegistered = /^\/api\/auth\/callback\/[a-z][a-z0-9-]*$/.test(pathname)
  return isRegistered && hash === "" && search === "" ? undefined : "redirect_uri"
}

/** RFC 6749, 2.3.1: by the header, whose parts are encoded as in a form, or by the body. */
function clientOf(request: Request, form: URLSearchParams) {
  const [scheme, pair = ""] = (request.headers.get("authorization") ?? "").split(" ")
  if (scheme !== "Basic") return form.get("client_id")
  return decodeURIComponent((atob(pair).split(":")[0] ?? "").replaceAll("+", " "))
}
