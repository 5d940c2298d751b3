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

/** What distinguishes a provider from others. */
type Shape = {
  issuer?: string
  discovery?: Record<string, unknown>
  claims?: Record<string, unknown>
  /** Refuses a client at the token endpoint, by its reason. */
  refuseClient?: (request: Request, form: URLSearchParams) => Promise<string | undefined>
}

/** A fake OpenID provider at `https://<host>`, which can send forged answers. */
export async function createIdentityProvider(host: string, shape: Shape = {}) {
  const issuer = shape.issuer ?? `https://${host}`
  const pair = await generateKeyPair("RS256")
  const jwk = { ...(await exportJWK(pair.publicKey)), kid: "1", alg: "RS256" }
  const state = { forgery: {} satisfies Forgery as Forgery, codes: 0 }
  /** What sign-ins asked for, by code. */
  const asked = new Map<string, URLSearchParams>()

  const sign = (claims: Record<string, unknown>) =>
    new SignJWT(claims).setProtectedHeader({ alg: "RS256", kid: "1" }).sign(pair.privateKey)

  const answerToken: Remote = async (request) => {
    const form = new URLSearchParams(await request.text())
    const refused = await shape.refuseClient?.(request, form)
    if (refused !== undefined) {
      return Response.json({ error: "invalid_client", refused }, { status: 400 })
    }
    const code = form.get("code") ?? ""
    const query = asked.get(code)
    const challenge = createHash("sha256")
      .update(form.get("code_verifier") ?? "")
      .digest("base64url")
    if (query?.get("code_challenge") !== challenge) {
      return Response.json({ error: "invalid_grant" }, { status: 400 })
    }
    asked.delete(code)
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
    if (pathname.endsWith("/token")) return (state.forgery.token ?? answerToken)(request)
    if (pathname.endsWith("/userinfo")) {
      return state.forgery.userinfo?.(request) ?? new Response(null, { status: 404 })
    }
    if (pathname.endsWith("/jwks")) return Response.json({ keys: [jwk] })
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
      const code = `code-${(state.codes += 1)}`
      asked.set(code, query)
      return { code, state: query.get("state") ?? "", iss: issuer }
    },
    forge: (forgery: Forgery) => {
      state.forgery = forgery
    },
  }
}
