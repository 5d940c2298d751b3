import { createHash } from "node:crypto"

import { type JWTPayload, jwtVerify } from "jose"
import * as z from "zod"

import { callForJson } from "../../http/outbound.ts"
import { addUserinfo, Claims } from "./claims.ts"
import { clientSecretOf } from "./client-secret.ts"
import { type Discovery, keysOf } from "./discovery.ts"
import { isIssuerOf } from "./issuer.ts"
import type { IdentityProvider } from "./provider.ts"

const Tokens = z.object({ id_token: z.string(), access_token: z.string().optional() })

/** No HMAC: with it, anyone could sign with the public key. */
const algorithms = ["RS256", "PS256", "ES256", "EdDSA", "RS384", "PS384", "ES384", "RS512", "PS512"]

/** Derived from the code verifier, which the sealed state cookie keeps, so no storage is needed. */
export function nonceOf(codeVerifier: string) {
  return createHash("sha256").update(`nonce:${codeVerifier}`).digest("base64url")
}

type Exchange = {
  provider: IdentityProvider
  discovery: Discovery
  code: string
  codeVerifier: string
  redirectUri: string
}

/**
 * Redeems the code and returns the verified claims of the id_token, and who issued it; throws if any
 * check fails.
 */
export async function exchange(options: Exchange) {
  const { provider } = options
  const { payload, accessToken } = await redeemVerified(options)
  const { iss = "" } = payload
  const issuer = iss === provider.issuerAlias ? provider.issuer : iss
  return { issuer, claims: await complete(options, Claims.parse(payload), accessToken) }
}

async function redeemVerified(options: Exchange) {
  const { provider, discovery, codeVerifier } = options
  const tokens = Tokens.parse(await redeem(options))
  const { payload } = await jwtVerify(tokens.id_token, keysOf(discovery.jwks_uri), {
    algorithms,
    audience: provider.clientId,
    requiredClaims: ["iss", "sub", "iat", "exp"],
    clockTolerance: 5,
  })
  const { iss = "", tid } = payload
  if (!isIssuerOf(provider, iss, tid)) throw new Error("the id_token is of another issuer")
  verifyParty(payload, provider.clientId)
  if (payload["nonce"] !== nonceOf(codeVerifier)) throw new Error("the id_token has another nonce")
  return { payload, accessToken: tokens.access_token }
}

/** Asks the userinfo endpoint, if there is one, for what the claims lack. */
async function complete(
  { provider, discovery: { userinfo_endpoint: userinfo } }: Exchange,
  claims: Claims,
  accessToken: string | undefined,
) {
  const isVerifiable = provider.hasUnverifiedEmails || claims.email_verified !== undefined
  const isComplete = claims.email !== undefined && isVerifiable
  if (isComplete || userinfo === undefined || accessToken === undefined) return claims
  const headers = { authorization: `Bearer ${accessToken}` }
  const more = Claims.parse(await callForJson(userinfo, { headers }))
  if (more.sub !== claims.sub) throw new Error("the userinfo endpoint answers for another subject")
  return addUserinfo(claims, more)
}

function verifyParty({ aud, azp }: JWTPayload, clientId: string) {
  if (azp === undefined && !(Array.isArray(aud) && aud.length > 1)) return
  if (azp !== clientId) throw new Error("the id_token is for another authorized party")
}

async function redeem({ provider, discovery, code, codeVerifier, redirectUri }: Exchange) {
  const secret = await clientSecretOf(provider)
  const basic = discovery.token_endpoint_auth_methods_supported.includes("client_secret_basic")
  const form = new URLSearchParams({
    grant_type: "authorization_code",
    code,
    code_verifier: codeVerifier,
    redirect_uri: redirectUri,
  })
  const headers = new Headers({ accept: "application/json" })
  if (secret !== undefined && basic) {
    const pair = `${encodeURIComponent(provider.clientId)}:${encodeURIComponent(secret)}`
    headers.set("authorization", `Basic ${btoa(pair)}`)
  } else {
    form.set("client_id", provider.clientId)
    if (secret !== undefined) form.set("client_secret", secret)
  }
  return callForJson(discovery.token_endpoint, { method: "POST", headers, body: form })
}
