import { type CryptoKey, exportPKCS8, generateKeyPair, jwtVerify } from "jose"

import { createIdentityProvider } from "./identity-provider.ts"

/*
 * Providers that behave as those of the presets document it. Google:
 * https://accounts.google.com/.well-known/openid-configuration and
 * https://developers.google.com/identity/openid-connect/openid-connect.
 */

export const clientId = "client-at-the-provider"

export async function createGoogle() {
  const provider = await createIdentityProvider("accounts.google.com", {
    discovery: {
      authorization_endpoint: "https://accounts.google.com/o/oauth2/v2/auth",
      token_endpoint: "https://oauth2.googleapis.com/token",
      userinfo_endpoint: "https://openidconnect.googleapis.com/v1/userinfo",
      jwks_uri: "https://www.googleapis.com/oauth2/v3/jwks",
      token_endpoint_auth_methods_supported: ["client_secret_post", "client_secret_basic"],
      authorization_response_iss_parameter_supported: false,
    },
    claims: {
      azp: clientId,
      sub: "google-1",
      iss: "https://accounts.google.com",
      hd: "example.com",
    },
  })
  const hosts = ["accounts.google.com", "oauth2.googleapis.com", "www.googleapis.com"]
  return { provider, remotes: remotesOf(provider, hosts), declared: { preset: "google" } }
}

/** https://developer.apple.com/documentation/signinwithapplerestapi */
export async function createApple() {
  const { publicKey, privateKey } = await generateKeyPair("ES256", { extractable: true })
  const declared = { preset: "apple", teamId: "TEAM123456", keyId: "KEY1234567" }
  const provider = await createIdentityProvider("appleid.apple.com", {
    discovery: {
      authorization_endpoint: "https://appleid.apple.com/auth/authorize",
      token_endpoint: "https://appleid.apple.com/auth/token",
      jwks_uri: "https://appleid.apple.com/auth/jwks",
      response_modes_supported: ["query", "fragment", "form_post"],
      token_endpoint_auth_methods_supported: ["client_secret_post"],
      authorization_response_iss_parameter_supported: false,
    },
    claims: {
      sub: "apple.1",
      email_verified: "true",
      is_private_email: "true",
      nonce_supported: true,
      name: undefined,
      email: "4xq2@privaterelay.appleid.com",
    },
    refuseClient: async (request, form) => {
      if (request.headers.has("authorization")) return "no client_secret_basic"
      return refusalOf(form, publicKey, declared)
    },
  })
  const remotes = remotesOf(provider, ["appleid.apple.com"])
  return { provider, remotes, declared, clientSecret: await exportPKCS8(privateKey) }
}

/** Apple takes a secret that it can verify with the team's key, and that ends within six months. */
async function refusalOf(
  form: URLSearchParams,
  key: CryptoKey,
  { teamId, keyId }: { teamId: string; keyId: string },
) {
  if (form.get("client_id") !== clientId) return "another client"
  const { payload, protectedHeader } = await jwtVerify(form.get("client_secret") ?? "", key, {
    algorithms: ["ES256"],
    issuer: teamId,
    subject: clientId,
    audience: "https://appleid.apple.com",
    requiredClaims: ["iat", "exp"],
  })
  if (protectedHeader.kid !== keyId) return "another key"
  const lifetime = (payload.exp ?? 0) - (payload.iat ?? 0)
  return lifetime > 15_777_000 ? "lives too long" : undefined
}

export const tenant = "11111111-2222-3333-4444-555555555555"

/**
 * Names no `email_verified`, and lets the administrators of any tenant write any address. The keys
 * and the metadata of `common` are those of all tenants.
 * https://learn.microsoft.com/entra/identity-platform/id-token-claims-reference
 */
export async function createMicrosoft(path: string) {
  const base = "https://login.microsoftonline.com"
  const isShared = path === "common" || path === "organizations"
  const provider = await createIdentityProvider("login.microsoftonline.com", {
    issuer: `${base}/${isShared ? "{tenantid}" : path}/v2.0`,
    discovery: {
      authorization_endpoint: `${base}/${path}/oauth2/v2.0/authorize`,
      token_endpoint: `${base}/${path}/oauth2/v2.0/token`,
      jwks_uri: `${base}/${path}/discovery/v2.0/jwks`,
      userinfo_endpoint: "https://graph.microsoft.com/oidc/userinfo",
      token_endpoint_auth_methods_supported: ["client_secret_post", "private_key_jwt"],
      authorization_response_iss_parameter_supported: undefined,
    },
    claims: {
      sub: "microsoft-1",
      iss: `${base}/${tenant}/v2.0`,
      tid: tenant,
      oid: "99999999-2222-3333-4444-555555555555",
      ver: "2.0",
      email_verified: undefined,
      preferred_username: "grace@example.com",
    },
  })
  return {
    provider,
    remotes: remotesOf(provider, ["login.microsoftonline.com", "graph.microsoft.com"]),
  }
}

/** https://docs.aws.amazon.com/cognito/latest/developerguide/userinfo-endpoint.html */
export async function createCognito() {
  const declared = {
    preset: "cognito",
    region: "eu-central-1",
    userPoolId: "eu-central-1_Ab12Cd34",
  }
  const host = "cognito-idp.eu-central-1.amazonaws.com"
  const login = "accounts.auth.eu-central-1.amazoncognito.com"
  const provider = await createIdentityProvider(host, {
    issuer: `https://${host}/${declared.userPoolId}`,
    discovery: {
      authorization_endpoint: `https://${login}/oauth2/authorize`,
      token_endpoint: `https://${login}/oauth2/token`,
      userinfo_endpoint: `https://${login}/oauth2/userinfo`,
      jwks_uri: `https://${host}/${declared.userPoolId}/.well-known/jwks`,
      token_endpoint_auth_methods_supported: ["client_secret_basic", "client_secret_post"],
      authorization_response_iss_parameter_supported: undefined,
    },
    // An app client that may not read the attributes gets them from the userinfo endpoint.
    claims: {
      token_use: "id",
      "cognito:username": "grace",
      email: undefined,
      email_verified: undefined,
    },
  })
  const userinfo = {
    sub: "subject-1",
    email: "grace@example.com",
    email_verified: "true",
    username: "grace",
  }
  return { provider, remotes: remotesOf(provider, [host, login]), declared, userinfo }
}

/** https://www.keycloak.org/securing-apps/oidc-layers */
export async function createKeycloak() {
  const declared = { preset: "keycloak", url: "https://id.example.com/", realm: "our staff" }
  const provider = await createIdentityProvider("id.example.com", {
    issuer: "https://id.example.com/realms/our%20staff",
    claims: { azp: clientId, typ: "ID", sid: crypto.randomUUID(), acr: "1" },
  })
  return { provider, remotes: remotesOf(provider, ["id.example.com"]), declared }
}

/**
 * https://slack.com/.well-known/openid-configuration and
 * https://docs.slack.dev/authentication/sign-in-with-slack, whose id_token this is.
 */
export async function createSlack() {
  const provider = await createIdentityProvider("slack.com", {
    hasPkce: false,
    discovery: {
      authorization_endpoint: "https://slack.com/openid/connect/authorize",
      token_endpoint: "https://slack.com/api/openid.connect.token",
      userinfo_endpoint: "https://slack.com/api/openid.connect.userInfo",
      jwks_uri: "https://slack.com/openid/connect/keys",
      token_endpoint_auth_methods_supported: ["client_secret_post", "client_secret_basic"],
      authorization_response_iss_parameter_supported: undefined,
    },
    claims: {
      sub: "U123ABC456",
      auth_time: 1_622_128_723,
      at_hash: "abc...123",
      "https://slack.com/team_id": "T123ABC456",
      "https://slack.com/user_id": "U123ABC456",
      email: "alice@example.com",
      date_email_verified: 1_622_128_723,
      locale: "en-US",
      name: "Alice",
      given_name: "",
      family_name: "",
      "https://slack.com/team_name": "kraneflannel",
      "https://slack.com/team_domain": "kraneflannel",
      "https://slack.com/team_image_default": true,
    },
  })
  return { provider, remotes: remotesOf(provider, ["slack.com"]), declared: { preset: "slack" } }
}

/**
 * https://gitlab.com/.well-known/openid-configuration and
 * https://docs.gitlab.com/integration/openid_connect_provider: id_tokens lack what the userinfo endpoint adds.
 */
export async function createGitlab() {
  const base = "https://gitlab.com"
  const provider = await createIdentityProvider("gitlab.com", {
    discovery: {
      authorization_endpoint: `${base}/oauth/authorize`,
      token_endpoint: `${base}/oauth/token`,
      userinfo_endpoint: `${base}/oauth/userinfo`,
      jwks_uri: `${base}/oauth/discovery/keys`,
      token_endpoint_auth_methods_supported: ["client_secret_basic", "client_secret_post"],
      authorization_response_iss_parameter_supported: undefined,
    },
    claims: {
      sub: "4242",
      sub_legacy: "6b8a3a0bf9c8ffbd6e84f0a5d8a1e0e0b6b7f3d2a1c9e8f7d6c5b4a392817263",
      auth_time: 1_622_128_723,
      groups_direct: ["group", "group/subgroup"],
      email: undefined,
      email_verified: undefined,
      name: undefined,
    },
  })
  const userinfo = {
    sub: "4242",
    name: "Alex Garcia",
    nickname: "alexgarcia",
    preferred_username: "alexgarcia",
    email: "alexgarcia@gitlab.com",
    email_verified: true,
    profile: `${base}/alexgarcia`,
    picture: "https://assets.example/uploads/-/system/user/avatar/4242/avatar.png",
    groups: ["group"],
  }
  const declared = { preset: "gitlab" }
  return { provider, remotes: remotesOf(provider, ["gitlab.com"]), declared, userinfo }
}

/** https://docs.goauthentik.io/add-secure-apps/providers/oauth2: since 2025.10 it verifies no address by itself. */
export async function createAuthentik() {
  const issuer = "https://sso.example.com/application/o/accounts/"
  const provider = await createIdentityProvider("sso.example.com", {
    issuer,
    discovery: {
      authorization_endpoint: "https://sso.example.com/application/o/authorize/",
      token_endpoint: "https://sso.example.com/application/o/token",
      userinfo_endpoint: "https://sso.example.com/application/o/userinfo",
      jwks_uri: `${issuer}jwks`,
      token_endpoint_auth_methods_supported: ["client_secret_post", "client_secret_basic"],
      authorization_response_iss_parameter_supported: undefined,
    },
    claims: {
      sub: "hashed-user-id",
      acr: "goauthentik.io/providers/oauth2/default",
      amr: ["pwd"],
      email: "akadmin@example.com",
      email_verified: false,
      name: "authentik Default Admin",
      given_name: "authentik Default Admin",
      preferred_username: "akadmin",
      nickname: "akadmin",
      groups: ["authentik Admins"],
    },
  })
  const declared = { issuer, emailDomains: ["example.com"], trustUnverifiedEmails: true }
  return { provider, remotes: remotesOf(provider, ["sso.example.com"]), declared }
}

function remotesOf(
  { remote }: Awaited<ReturnType<typeof createIdentityProvider>>,
  hosts: string[],
) {
  return Object.fromEntries(hosts.map((host) => [host, remote]))
}
