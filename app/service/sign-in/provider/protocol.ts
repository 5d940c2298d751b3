import { createHash } from "node:crypto"

import { decodeJwt, importPKCS8, SignJWT } from "jose"
import * as oauth from "oauth4webapi"
import * as z from "zod"

import type { IdentityProvider } from "../../platform/configuration/provider.ts"
import { callForJson, callLikeFetch } from "../../platform/http/outbound.ts"
import { addUserinfo, Claims, claimsOfFields } from "./claims.ts"
import { errorOfProvider, SignInFailure } from "./sign-in-error.ts"

/** Seconds by which a provider's clock may differ, in every check of a time. */
export const clockTolerance = 60

/** Milliseconds that metadata is cached. */
const lifetime = 60 * 60 * 1000

/* No pending promise: it belongs to one request, and others would wait for it forever. */
const servers = new Map<string, { server: oauth.AuthorizationServer; at: number }>()

/** The library's error about metadata that names another issuer. */
const Mismatch = z.object({ cause: z.object({ body: z.object({ issuer: z.string() }) }) })

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
  const { metadata, issuer, plain } = provider
  if (plain) return { issuer, authorization_endpoint: plain.authorize, token_endpoint: plain.token }
  const cached = servers.get(metadata)
  if (cached !== undefined && Date.now() - cached.at < lifetime) return cached.server
  const response = await oauth.discoveryRequest(new URL(metadata), httpOf(provider))
  const parsing = oauth.processDiscoveryResponse(new URL(issuer), response)
  const server = await parsing.catch((cause: unknown) => {
    const { data } = Mismatch.safeParse(cause)
    if (data === undefined) throw cause
    const message = `${metadata} names the issuer ${data.cause.body.issuer}, not ${issuer}`
    throw new Error(message, { cause })
  })
  const protocol = issuer.startsWith("https://") ? "https://" : "http"
  for (const name of ["authorization_endpoint", "token_endpoint", "jwks_uri"] as const) {
    if (server[name]?.startsWith(protocol) !== true) {
      throw new Error(`${metadata} names no ${name} that begins with ${protocol}`)
    }
  }
  servers.set(metadata, { server, at: Date.now() })
  return server
}

/** Returns the metadata with the issuer that the id_token may name: the user's, where tenants share the provider. */
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

type Query = { code?: string | undefined; error?: string | undefined; iss?: string | undefined }

type Exchange = {
  provider: IdentityProvider
  server: oauth.AuthorizationServer
  /** Parameters of the response; the sealed state is checked before. */
  query: Query
  codeVerifier: string
  redirectUri: string
}

/**
 * Redeems the code and returns what the provider says of the user, and its issuer.
 * @throws if any check fails, SignInFailure if one of the response does
 */
export async function exchange(options: Exchange): Promise<{ issuer: string; claims: Claims }> {
  const { provider, server, query, codeVerifier, redirectUri } = options
  const { clientId, plain } = provider
  const response = responseOf(provider, server, query)
  if (query.code === undefined) throw new SignInFailure("no_code")
  const client = { client_id: clientId, [oauth.clockTolerance]: clockTolerance }
  const http = httpOf(provider)
  const answer = await oauth.authorizationCodeGrantRequest(
    server,
    client,
    await authenticationOf(provider, server),
    response,
    redirectUri,
    provider.hasPkce ? codeVerifier : oauth.nopkce,
    http,
  )
  if (plain) {
    const tokens = await oauth.processAuthorizationCodeResponse(server, client, answer)
    // GitHub refuses requests without a name.
    const agent = { accept: "application/json", "user-agent": "accounts" }
    const headers = { ...agent, authorization: `Bearer ${tokens.access_token}` }
    const profile = await callForJson(plain.userinfo, { headers })
    const emails = plain.emails && (await callForJson(plain.emails, { headers }))
    return { issuer: provider.issuer, claims: claimsOfFields(plain.fields, profile, emails) }
  }
  const checks = { expectedNonce: nonceOf(codeVerifier), requireIdToken: true }
  const issuing = await serverOfToken(provider, server, answer.clone())
  const tokens = await oauth.processAuthorizationCodeResponse(issuing, client, answer, checks)
  await oauth.validateApplicationLevelSignature(server, answer, http)
  const payload = oauth.getValidatedIdTokenClaims(tokens)
  if ((payload?.azp ?? clientId) !== clientId) {
    throw new Error("the id_token is for another authorized party")
  }
  const claims = Claims.parse(payload)
  const issuer = issuing.issuer === provider.issuerAlias ? provider.issuer : issuing.issuer
  const isVerifiable = provider.hasUnverifiedEmails || claims.email_verified !== undefined
  const isComplete = claims.email !== undefined && isVerifiable
  if (isComplete || server.userinfo_endpoint === undefined) return { issuer, claims }
  const userinfo = await oauth.userInfoRequest(server, client, tokens.access_token, http)
  const addition = await oauth.processUserInfoResponse(server, client, claims.sub, userinfo)
  return { issuer, claims: addUserinfo(claims, Claims.parse(addition)) }
}

/**
 * Returns the parameters of a response once its issuer (RFC 9207) is checked, and that it is no error.
 * @throws SignInFailure
 */
function responseOf(
  provider: IdentityProvider,
  server: oauth.AuthorizationServer,
  { code, error, iss }: Query,
) {
  // Where tenants share the provider, a response names the user's.
  const issuer = iss !== undefined && isIssuerOf(provider, iss) ? iss : server.issuer
  const parameters = new URLSearchParams()
  for (const [name, value] of Object.entries({ code, error, iss })) {
    if (value !== undefined) parameters.set(name, value)
  }
  try {
    const client = { client_id: provider.clientId }
    return oauth.validateAuthResponse(
      { ...server, issuer },
      client,
      parameters,
      oauth.skipStateCheck,
    )
  } catch (cause) {
    const isTheirs = cause instanceof oauth.AuthorizationResponseError
    throw new SignInFailure(isTheirs ? errorOfProvider(cause.error) : "issuer_mismatch", { cause })
  }
}

/** Sends the secret in the form where the provider takes that: many decode the header wrongly. */
async function authenticationOf(
  provider: IdentityProvider,
  {
    token_endpoint_auth_methods_supported: methods = ["client_secret_basic"],
  }: oauth.AuthorizationServer,
) {
  const secret = await clientSecretOf(provider)
  if (secret === undefined) return oauth.None()
  const takesForm =
    methods.includes("client_secret_post") || !methods.includes("client_secret_basic")
  const isBasic = provider.plain ? provider.plain.takesBasic : !takesForm
  return isBasic ? oauth.ClientSecretBasic(secret) : oauth.ClientSecretPost(secret)
}

/**
 * Returns the provider's client secret as the token endpoint takes it. Apple's is a token that lives for a
 * short time, signed with the key of the developer's team: the content of its .p8 file.
 * https://developer.apple.com/documentation/accountorganizationaldatasharing/creating-a-client-secret
 */
async function clientSecretOf({ clientSecret, clientId, issuer, apple }: IdentityProvider) {
  const secret = clientSecret?.reveal()
  if (secret === undefined || apple === undefined) return secret
  return new SignJWT()
    .setProtectedHeader({ alg: "ES256", kid: apple.keyId })
    .setIssuer(apple.teamId)
    .setSubject(clientId)
    .setAudience(issuer)
    .setIssuedAt()
    .setExpirationTime("5m")
    .sign(await importPKCS8(secret, "ES256"))
}

/**
 * Whether an issuer is the provider's. Where tenants share the provider, as at Microsoft, an issuer
 * contains a tenant's id.
 * @param tid the id_token's claim of that name, which must then agree
 */
function isIssuerOf(
  { issuer, issuerAlias, tenants }: IdentityProvider,
  candidate: string,
  tid?: unknown,
) {
  if (!issuer.includes("{tenantid}")) return candidate === issuer || candidate === issuerAlias
  const [tenant] = /[0-9a-f-]{36}/.exec(candidate) ?? []
  if (tenant === undefined || candidate !== issuer.replace("{tenantid}", tenant)) return false
  return (tid === undefined || tid === tenant) && (tenants?.includes(tenant) ?? true)
}
