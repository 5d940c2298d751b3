import { exportJWK, generateKeyPair, SignJWT } from "jose"

import type { Remote } from "./network.ts"

type Forgery = {
  /** Changes the claims of the id_token. */
  claims?: Record<string, unknown>
  /** Builds the id_token from its claims instead. */
  sign?: (claims: Record<string, unknown>) => string | Promise<string>
  discovery?: Record<string, unknown>
  token?: Remote
}

/** A fake OpenID provider at `https://<host>`, which can send forged answers. */
export async function createIdentityProvider(host: string) {
  const issuer = `https://${host}`
  const pair = await generateKeyPair("RS256")
  const jwk = { ...(await exportJWK(pair.publicKey)), kid: "1", alg: "RS256" }
  const state = { forgery: {} satisfies Forgery as Forgery, nonce: "" }

  const sign = (claims: Record<string, unknown>) =>
    new SignJWT(claims).setProtectedHeader({ alg: "RS256", kid: "1" }).sign(pair.privateKey)

  const answerToken: Remote = async () => {
    const now = Math.floor(Date.now() / 1000)
    const claims = {
      iss: issuer,
      aud: "client-at-the-provider",
      sub: "subject-1",
      iat: now,
      exp: now + 300,
      nonce: state.nonce,
      email: "grace@example.com",
      email_verified: true,
      name: "Grace",
      ...state.forgery.claims,
    }
    const id_token = await (state.forgery.sign ?? sign)(claims)
    return Response.json({ access_token: "opaque", token_type: "Bearer", id_token })
  }

  const remote: Remote = (request) => {
    const { pathname } = new URL(request.url)
    if (pathname === "/token") return (state.forgery.token ?? answerToken)(request)
    if (pathname === "/jwks") return Response.json({ keys: [jwk] })
    return Response.json({
      issuer,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
      jwks_uri: `${issuer}/jwks`,
      authorization_response_iss_parameter_supported: true,
      ...state.forgery.discovery,
    })
  }

  return {
    issuer,
    jwk,
    publicKey: pair.publicKey,
    remote,
    /** Plays the browser's visit: returns the query with which the provider redirects it back. */
    authorize: (location: string) => {
      const query = new URL(location).searchParams
      state.nonce = query.get("nonce") ?? ""
      return { code: "code-1", state: query.get("state") ?? "", iss: issuer }
    },
    forge: (forgery: Forgery) => {
      state.forgery = forgery
    },
  }
}
