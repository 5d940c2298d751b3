import { createHash } from "node:crypto"

import { decodeJwt, SignJWT } from "jose"
import * as oauth from "oauth4webapi"
import * as z from "zod"

import { callLikeFetch } from "../../http/outbound.ts"
import { addUserinfo, Claims, claimsOfFields } from "./claims.ts"
import type { IdentityProvider } from "./provider.ts"

/** Seconds by which a provider's clock may differ, in every check of a time. */
export const clockTolerance = 60

/** Milliseconds that metadata is cached. */
const lifetime = 60 * 60 * 1000

/* No pending promise: it belongs to one request, and others would wait for it forever. */
const servers = new Map<string, { server: oauth.AuthorizationServer; at: number }>()

function httpOf({ issuer }: IdentityProvider) {
  return {
    [oauth.customFetch]: callLikeFetch,
    [oauth.allowInsecureRequests]: !issuer.startsWith("https://"),
  }
}

/**
 * Returns a provider's metadata. The library caches its keys with this object.
 * @throws if the metadata names another issuer, or plain http for an https issuer
 */
export async function serverOf(provider: IdentityProvider): Promise<oauth.AuthorizationServer> {
  const { metadata, issuer, endpoints } = provider
  if (endpoints !== undefined) return { issuer, ...endpoints }
  const cached = servers.get(metadata)
  if (cached !== undefined && Date.now() - cached.at < lifetime) return cached.server
  const response = await oauth.discoveryRequest(new URL(metadata), httpOf(provider))
  const named = response.clone()
  const server = await oauth
    .processDiscoveryResponse(new URL(issuer), response)
    .catch(async (cause: unknown) => {
      const { data } = z.object({ issuer: z.string() }).safeParse(await named.json())
      if (data === undefined) throw cause
      throw new Error(`${metadata} names the issuer ${data.issuer}, not ${issuer}`, { cause })
    })
  for (const name of ["authorization_endpoint", "token_endpoint", "jwks_uri"] as const) {
    const url = server[name]
    if (url === undefined) throw new Error(`${metadata} names no ${name}`)
    if (issuer.startsWith("https://") && !url.startsWith("https://")) {
      throw new Error(`${metadata}: ${name} must begin with https://`)
    }
  }
  servers.set(metadata, { server, at: Date.now() })
  return server
}

/** The metadata with the issuer that the id_token may name: where tenants share the provider, its user's. */
async function serverOfToken(
  provider: IdentityProvider,
  server: oauth.AuthorizationServer,
  answer: Response,
) {
  if (provider.issuerAlias === undefined && !provider.issuer.includes("{tenantid}")) return server
  const { data } = z.object({ id_token: z.string() }).safeParse(await answer.json())
  const { iss = "", tid } = data === undefined ? {} : decodeJwt(data.id_token)
  if (!isIssuerOf(provider, iss, tid ?? "")) throw new Error("the id_token is of another issuer")
  return { ...server, issuer: iss }
}

/** Derived from the code verifier, which the sealed state cookie keeps, so no storage is needed. */
export function nonceOf(codeVerifier: string) {
  return createHash("sha256").update(`nonce:${codeVerifier}`).digest("base64url")
}

type Exchange = {
  provider: IdentityProvider
  server: oauth.AuthorizationServer
  /** The response, as `oauth.validateAuthResponse` returns it. */
  response: URLSearchParams
  codeVerifier: string
  redirectUri: string
}

/**
 * Redeems the code and returns what the provider says of the user, and its issuer.
 * @throws if any check fails
 */
export async function exchange(options: Exchange): Promise<{ issuer: string; claims: Claims }> {
  const { provider, server, response, codeVerifier, redirectUri } = options
  const client = { client_id: provider.clientId, [oauth.clockTolerance]: clockTolerance }
  const http = httpOf(provider)
  const proof = provider.hasPkce ? codeVerifier : oauth.nopkce
  const authentication = await authenticationOf(provider, server)
  const answer = await oauth.authorizationCodeGrantRequest(
    server,
    client,
    authentication,
    response,
    redirectUri,
    proof,
    http,
  )
  if (provider.endpoints !== undefined) {
    const tokens = await oauth.processAuthorizationCodeResponse(server, client, answer)
    return { issuer: provider.issuer, claims: await fieldsOf(provider, tokens.access_token) }
  }
  const expectedNonce = nonceOf(codeVerifier)
  const checks = { expectedNonce, requireIdToken: true }
  const issuing = await serverOfToken(provider, server, answer.clone())
  const tokens = await oauth.processAuthorizationCodeResponse(issuing, client, answer, checks)
  await oauth.validateApplicationLevelSignature(server, answer, http)
  const payload = oauth.getValidatedIdTokenClaims(tokens)
  if ((payload?.azp ?? provider.clientId) !== provider.clientId) {
    throw new Error("the id_token is for another authorized party")
  }
  const claims = Claims.parse(payload)
  const issuer = payload?.iss === provider.issuerAlias ? provider.issuer : (payload?.iss ?? "")
  const isVerifiable = provider.hasUnverifiedEmails || claims.email_verified !== undefined
  const isComplete = claims.email !== undefined && isVerifiable
  if (isComplete || server.userinfo_endpoint === undefined) return { issuer, claims }
  const asked = await oauth.userInfoRequest(server, client, tokens.access_token, http)
  const more = await oauth.processUserInfoResponse(server, client, claims.sub, asked)
  return { issuer, claims: addUserinfo(claims, Claims.parse(more)) }
}

/** By the body where the provider takes that: what must be encoded in the header is often not decoded. */
async function authenticationOf(provider: IdentityProvider, server: oauth.AuthorizationServer) {
  const secret = await clientSecretOf(provider)
  if (secret === undefined) return oauth.None()
  const methods = server.token_endpoint_auth_methods_supported ?? ["client_secret_basic"]
  const isPosted =
    methods.includes("client_secret_post") || !methods.includes("client_secret_basic")
  return isPosted ? oauth.ClientSecretPost(secret) : oauth.ClientSecretBasic(secret)
}

/** What a provider without id_tokens says of the user to whom it has given an access token. */
async function fieldsOf(provider: IdentityProvider, accessToken: string) {
  const { endpoints, fields = {} } = provider
  const ask = async (url = ""): Promise<unknown> => {
    // GitHub refuses requests without a name.
    const headers = new Headers({ accept: "application/json", "user-agent": "accounts" })
    const http = httpOf(provider)
    const target = new URL(url)
    const answer = await oauth.protectedResourceRequest(
      accessToken,
      "GET",
      target,
      headers,
      null,
      http,
    )
    if (!answer.ok) throw new Error(`${target.host} answers ${answer.status}`)
    return answer.json()
  }
  const profile = await ask(endpoints?.userinfo_endpoint)
  const emails = endpoints?.emails_endpoint && (await ask(endpoints.emails_endpoint))
  return claimsOfFields(fields, profile, emails)
}

/**
 * The provider's client secret as the token endpoint takes it. Apple's is a token that lives for a
 * short time, signed with the key of the developer's team.
 * https://developer.apple.com/documentation/accountorganizationaldatasharing/creating-a-client-secret
 */
async function clientSecretOf({ clientSecret, clientId, issuer, apple }: IdentityProvider) {
  if (clientSecret === undefined || apple === undefined) return clientSecret?.reveal()
  return new SignJWT()
    .setProtectedHeader({ alg: "ES256", kid: apple.keyId })
    .setIssuer(apple.teamId)
    .setSubject(clientId)
    .setAudience(issuer)
    .setIssuedAt()
    .setExpirationTime("5m")
    .sign(await importKey(clientSecret.reveal()))
}

/** @param pem PKCS #8, the content of Apple's .p8 file */
async function importKey(pem: string) {
  const base64 = pem.replaceAll(/-----[A-Z ]+-----|\s/g, "")
  const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))
  const algorithm = { name: "ECDSA", namedCurve: "P-256" }
  return crypto.subtle.importKey("pkcs8", bytes, algorithm, false, ["sign"])
}

/**
 * Whether an issuer is the provider's. Where tenants share the provider, as at Microsoft, an issuer
 * contains a tenant's id.
 * @param tid the id_token's claim of that name, which must then agree
 */
export function isIssuerOf(
  { issuer, issuerAlias, tenants }: IdentityProvider,
  candidate: string,
  tid?: unknown,
) {
  const [before = "", after] = issuer.split("{tenantid}")
  if (after === undefined) return candidate === issuer || candidate === issuerAlias
  const tenant = candidate.slice(before.length, candidate.length - after.length)
  if (candidate !== `${before}${tenant}${after}` || !/^[0-9a-f-]{36}$/.test(tenant)) return false
  return (tid === undefined || tid === tenant) && (tenants?.includes(tenant) ?? true)
}
