import { createHash } from "node:crypto"

import { decodeJwt, importPKCS8, SignJWT } from "jose"
import * as oauth from "oauth4webapi"
import * as z from "zod"

import type { IdentityProvider } from "../../platform/configuration/provider.ts"
import { callForJson, callLikeFetch } from "../../platform/http/outbound.ts"
import { addQuery } from "../../platform/http/redirect.ts"
import { addUserinfo, Claims, claimsOfFields } from "./claims.ts"
import { errorOfProvider, SignInFailure } from "./sign-in-error.ts"

/** Clock tolerance, in seconds, for every check of a provider's times. */
export const clockTolerance = 60

/** Milliseconds that metadata is cached. */
const lifetime = 60 * 60 * 1000

/* Stores no pending promise: it belongs to one request, and other requests would wait for it forever. */
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
  const { issuer, plain, metadata = issuer } = provider
  if (plain) {
    return {
      issuer,
      authorization_endpoint: plain.authorizationUrl,
      token_endpoint: plain.tokenUrl,
      token_endpoint_auth_methods_supported: [plain.tokenAuth ?? "client_secret_post"],
    }
  }
  const cached = servers.get(metadata)
  if (cached !== undefined && Date.now() - cached.at < lifetime) return cached.server
  const response = await oauth.discoveryRequest(new URL(metadata), httpOf(provider))
  const described = z.object({ issuer: z.url() }).parse(await response.clone().json())
  if (new URL(described.issuer).href !== new URL(issuer).href) {
    throw new Error(`${metadata} names the issuer ${described.issuer}, not ${issuer}`)
  }
  const server = await oauth.processDiscoveryResponse(new URL(issuer), response)
  const protocol = issuer.startsWith("https://") ? "https://" : "http"
  for (const name of ["authorization_endpoint", "token_endpoint", "jwks_uri"] as const) {
    if (server[name]?.startsWith(protocol) !== true) {
      throw new Error(`${metadata} names no ${name} that begins with ${protocol}`)
    }
  }
  servers.set(metadata, { server, at: Date.now() })
  return server
}

/** Derives the nonce from the code verifier in the sealed state cookie, so it needs no storage. */
export function nonceOf(codeVerifier: string) {
  return createHash("sha256").update(`nonce:${codeVerifier}`).digest("base64url")
}

type SignIn = {
  provider: IdentityProvider
  server: oauth.AuthorizationServer
  codeVerifier: string
  redirectUri: string
}

type Query = { code?: string | undefined; error?: string | undefined; iss?: string | undefined }

/**
 * Redeems the authorization code, and returns the user's claims and their issuer.
 * @throws SignInFailure if the authorization response is invalid, other errors if a later check fails
 */
export async function exchange(signIn: SignIn, query: Query) {
  const { provider, server, codeVerifier, redirectUri } = signIn
  const { clientId: client_id, issuer, plain } = provider
  const response = responseOf(signIn, query)
  if (query.code === undefined) throw new SignInFailure("no_code")
  const client = { client_id, [oauth.clockTolerance]: clockTolerance }
  const http = httpOf(provider)
  const answer = await oauth.authorizationCodeGrantRequest(
    server,
    client,
    await authenticationOf(provider, server),
    response,
    redirectUri,
    provider.hasPkce === false ? oauth.nopkce : codeVerifier,
    http,
  )
  if (plain) {
    const tokens = await oauth.processAuthorizationCodeResponse(server, client, answer)
    // GitHub rejects requests without a user agent.
    const agent = { accept: "application/json", "user-agent": "accounts" }
    const headers = { ...agent, authorization: `Bearer ${tokens.access_token}` }
    const user = await callForJson(plain.userinfoUrl, { headers })
    const emails = plain.emailsUrl && (await callForJson(plain.emailsUrl, { headers }))
    return { issuer, claims: claimsOfFields(plain.fields, user, emails) }
  }
  // If tenants share the provider, the id_token names the issuer of the user's tenant.
  const { id_token } = z.object({ id_token: z.string() }).parse(await answer.clone().json())
  const { iss = "", tid = "" } = decodeJwt(id_token)
  if (!isIssuerOf(signIn, iss, tid)) throw new Error("the id_token is of another issuer")
  const issuing = { ...server, issuer: iss }
  const checks = { expectedNonce: nonceOf(codeVerifier), requireIdToken: true }
  const tokens = await oauth.processAuthorizationCodeResponse(issuing, client, answer, checks)
  await oauth.validateApplicationLevelSignature(server, answer, http)
  const payload = oauth.getValidatedIdTokenClaims(tokens)
  if ((payload?.azp ?? client_id) !== client_id) {
    throw new Error("the id_token is for another authorized party")
  }
  const claims = Claims.parse(payload)
  const identity = { issuer: iss === provider.issuerAlias ? issuer : iss, claims }
  const isVerifiable = provider.hasUnverifiedEmails || claims.email_verified !== undefined
  const isComplete = claims.email !== undefined && isVerifiable
  if (isComplete || server.userinfo_endpoint === undefined) return identity
  const userinfo = await oauth.userInfoRequest(server, client, tokens.access_token, http)
  const addition = await oauth.processUserInfoResponse(server, client, claims.sub, userinfo)
  return { ...identity, claims: addUserinfo(claims, Claims.parse(addition)) }
}

/**
 * Checks the issuer of an authorization response (RFC 9207), and returns its parameters.
 * @throws SignInFailure if the response is an error or has another issuer
 */
function responseOf(signIn: SignIn, query: Query) {
  const { server, provider } = signIn
  const { code, error, iss } = query
  // If tenants share the provider, the response names the issuer of the user's tenant.
  const issuer = iss !== undefined && isIssuerOf(signIn, iss) ? iss : server.issuer
  const parameters = new URL(addQuery(server.issuer, { code, error, iss }))
  const client = { client_id: provider.clientId }
  const expected = { ...server, issuer }
  try {
    return oauth.validateAuthResponse(expected, client, parameters, oauth.skipStateCheck)
  } catch (cause) {
    const isTheirs = cause instanceof oauth.AuthorizationResponseError
    throw new SignInFailure(isTheirs ? errorOfProvider(cause.error) : "issuer_mismatch", { cause })
  }
}

/**
 * Returns the client authentication for the token endpoint. It prefers the form, because many endpoints decode the
 * header wrongly. Apple's client secret is a short-lived token, signed with the team's .p8 key:
 * https://developer.apple.com/documentation/accountorganizationaldatasharing/creating-a-client-secret
 */
async function authenticationOf(
  { clientId, clientSecret, issuer, apple }: IdentityProvider,
  {
    token_endpoint_auth_methods_supported: methods = ["client_secret_basic"],
  }: oauth.AuthorizationServer,
) {
  if (clientSecret === undefined) return oauth.None()
  const secret = clientSecret.reveal()
  if (apple) {
    const token = new SignJWT({ iss: apple.teamId, sub: clientId, aud: issuer })
      .setProtectedHeader({ alg: "ES256", kid: apple.keyId })
      .setIssuedAt()
      .setExpirationTime("5m")
    return oauth.ClientSecretPost(await token.sign(await importPKCS8(secret, "ES256")))
  }
  const takesForm =
    methods.includes("client_secret_post") || !methods.includes("client_secret_basic")
  return takesForm ? oauth.ClientSecretPost(secret) : oauth.ClientSecretBasic(secret)
}

/**
 * Whether an issuer is the provider's. If tenants share the provider (Microsoft), it contains the tenant's id.
 * @param tid the id_token's `tid` claim, which must match that tenant
 */
function isIssuerOf({ provider, server: { issuer } }: SignIn, candidate: string, tid?: unknown) {
  const { issuerAlias, tenants } = provider
  if (!issuer.includes("{tenantid}")) return candidate === issuer || candidate === issuerAlias
  const [tenant] = /[0-9a-f-]{36}/.exec(candidate) ?? []
  if (tenant === undefined || candidate !== issuer.replace("{tenantid}", tenant)) return false
  return (tid === undefined || tid === tenant) && (tenants?.includes(tenant) ?? true)
}
