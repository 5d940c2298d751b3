import { isLoopback } from "../../http/redirect.ts"
import type { ProviderDeclaration } from "../provider-declaration.ts"

/** How a provider behaves. */
export type Behaviour = {
  /** `openid` for one that is declared by its issuer. */
  preset: string
  /** What its metadata name; `{tenantid}` stands for the tenant of the user. */
  issuer: string
  /** Where its metadata are, but for the path that OpenID Connect Discovery adds. */
  metadata: string
  /** What its tokens may name instead. */
  issuerAlias?: string
  scopes: string[]
  /** Domains of the email addresses that it is believed about; `*`: every one. */
  emailDomains: string[]
  /** Whether addresses of these domains count as verified without its word. */
  trustUnverifiedEmails: boolean
  /** Tenants whose users may sign in; undefined: every one. */
  tenants?: string[] | undefined
  /** Present for Apple alone, whose client secret is signed with this key. */
  apple?: { teamId: string; keyId: string }
  /**
   * Whether `email` is no more than a text that the tenant's administrators chose: then nothing but
   * `xms_edov`, or a tenant that owns the domain, vouches for it.
   */
  hasUnverifiedEmails: boolean
  /**
   * Of whose addresses it is the authority: all, Google's own and those that the claim `hd` names, or
   * none, where it has verified an address once, which may be somebody else's by now.
   */
  authority: "all" | "hosted" | "none"
  /** Present for providers without OpenID's metadata and id_tokens. */
  endpoints?: Endpoints
  fields?: Fields
  /** Whether its token endpoint takes a code verifier. */
  hasPkce: boolean
}

/** Paths, such as `data.id`, of what a provider's answer says of a user. */
export type Fields = {
  subject?: string | undefined
  email?: string | undefined
  /** `true`: the provider names none but verified addresses. */
  emailVerified?: string | true | undefined
  name?: string | undefined
  username?: string | undefined
  picture?: string | undefined
}

type Endpoints = {
  authorization_endpoint: string
  token_endpoint: string
  userinfo_endpoint: string
  /** GitHub's list of a user's addresses. */
  emails_endpoint?: string
  token_endpoint_auth_methods_supported?: string[]
}

const google = "https://accounts.google.com"
const microsoft = "https://login.microsoftonline.com"

/** The tenant of personal Microsoft accounts. */
const consumers = "9188040d-6c67-4c5b-b112-36a304b66dad"

type Plain = { issuer: string; scopes: string[]; endpoints: Endpoints; fields: Fields }

const posted = { token_endpoint_auth_methods_supported: ["client_secret_post"] }

/** Providers that speak OAuth without OpenID, or bend OpenID too far. */
const plainProviders = {
  // https://docs.github.com/en/apps/oauth-apps/building-oauth-apps/authorizing-oauth-apps
  // https://docs.github.com/en/rest/users/emails
  github: {
    issuer: "https://github.com",
    scopes: ["read:user", "user:email"],
    endpoints: {
      authorization_endpoint: "https://github.com/login/oauth/authorize",
      token_endpoint: "https://github.com/login/oauth/access_token",
      userinfo_endpoint: "https://api.github.com/user",
      emails_endpoint: "https://api.github.com/user/emails",
      ...posted,
    },
    fields: { subject: "id", name: "name", username: "login", picture: "avatar_url" },
  },
  // https://discord.com/developers/docs/topics/oauth2 and …/resources/user
  discord: {
    issuer: "https://discord.com",
    scopes: ["identify", "email"],
    endpoints: {
      authorization_endpoint: "https://discord.com/oauth2/authorize",
      token_endpoint: "https://discord.com/api/oauth2/token",
      userinfo_endpoint: "https://discord.com/api/users/@me",
      ...posted,
    },
    fields: {
      subject: "id",
      email: "email",
      emailVerified: "verified",
      name: "global_name",
      username: "username",
    },
  },
  // https://developers.facebook.com/docs/facebook-login/guides/advanced/manual-flow. It does not say
  // whether an address is verified.
  facebook: {
    issuer: "https://www.facebook.com",
    scopes: ["email", "public_profile"],
    endpoints: {
      authorization_endpoint: "https://www.facebook.com/v24.0/dialog/oauth",
      token_endpoint: "https://graph.facebook.com/v24.0/oauth/access_token",
      userinfo_endpoint: "https://graph.facebook.com/v24.0/me?fields=id,name,email,picture",
      ...posted,
    },
    fields: { subject: "id", email: "email", name: "name", picture: "picture.data.url" },
  },
  // https://learn.microsoft.com/en-us/linkedin/consumer/integrations/self-serve/sign-in-with-linkedin-v2.
  // Its id_tokens have no nonce, so what counts is what it says to the holder of the access token.
  linkedin: {
    issuer: "https://www.linkedin.com/oauth",
    scopes: ["openid", "profile", "email"],
    endpoints: {
      authorization_endpoint: "https://www.linkedin.com/oauth/v2/authorization",
      token_endpoint: "https://www.linkedin.com/oauth/v2/accessToken",
      userinfo_endpoint: "https://api.linkedin.com/v2/userinfo",
      ...posted,
    },
    fields: {
      subject: "sub",
      email: "email",
      emailVerified: "email_verified",
      name: "name",
      picture: "picture",
    },
  },
  // https://docs.x.com/fundamentals/authentication/oauth-2-0/authorization-code and
  // https://docs.x.com/x-api/users/get-my-user: it names no address but a confirmed one.
  x: {
    issuer: "https://x.com",
    scopes: ["users.read", "tweet.read", "users.email"],
    endpoints: {
      authorization_endpoint: "https://x.com/i/oauth2/authorize",
      token_endpoint: "https://api.x.com/2/oauth2/token",
      userinfo_endpoint:
        "https://api.x.com/2/users/me?user.fields=confirmed_email,profile_image_url",
    },
    fields: {
      subject: "data.id",
      email: "data.confirmed_email",
      emailVerified: true,
      name: "data.name",
      username: "data.username",
      picture: "data.profile_image_url",
    },
  },
} satisfies Record<string, Plain>

/** The behaviour of a declared provider, with the quirks that providers of its kind document. */
export function behaviourOf(declared: ProviderDeclaration): Behaviour {
  const basis = basisOf(issuerOf(declared), declared)
  switch (declared.preset) {
    case "google":
      // https://developers.google.com/identity/openid-connect/openid-connect#validatinganidtoken
      return { ...basis, issuerAlias: "accounts.google.com" }
    case "apple": {
      const { teamId, keyId, scopes = ["openid", "email", "name"] } = declared
      return { ...basis, scopes, apple: { teamId, keyId } }
    }
    case "microsoft": {
      const { tenant, tenants } = declared
      const metadata = `${microsoft}/${tenant}/v2.0`
      return { ...basis, metadata, tenants, hasUnverifiedEmails: true }
    }
    case "entra-external": {
      // https://learn.microsoft.com/en-us/entra/external-id/customers/concept-authentication-methods-customers:
      // the metadata of the domain's host names an issuer at the tenant's.
      const metadata = `https://${declared.domain}.ciamlogin.com/${declared.tenant}/v2.0`
      return { ...basis, metadata, hasUnverifiedEmails: true }
    }
    case "slack":
      // https://docs.slack.dev/authentication/sign-in-with-slack: a nonce, and no PKCE.
      return { ...basis, hasPkce: false }
    case "oauth2": {
      const { authorizationUrl, tokenUrl, userinfoUrl, fields } = declared
      const endpoints = {
        authorization_endpoint: authorizationUrl,
        token_endpoint: tokenUrl,
        userinfo_endpoint: userinfoUrl,
        ...posted,
      }
      return { ...basis, scopes: declared.scopes ?? [], endpoints, fields }
    }
    case "github":
    case "discord":
    case "facebook":
    case "linkedin":
    case "x": {
      const { scopes, ...plain } = plainProviders[declared.preset]
      return { ...basis, ...plain, scopes: declared.scopes ?? scopes, authority: "none" }
    }
    case "gitlab":
    case "keycloak":
    case "cognito":
    case "openid":
    case undefined:
  }
  return basis
}

/** Presets of providers whose users' addresses are of every domain. */
const general = new Set(["google", "apple", "microsoft", "slack", ...Object.keys(plainProviders)])

function basisOf(issuer: string, declared: ProviderDeclaration): Behaviour {
  const { preset = "openid", scopes, emailDomains, trustUnverifiedEmails = false } = declared
  return {
    preset,
    issuer,
    metadata: issuer,
    scopes: scopes ?? ["openid", "email", "profile"],
    emailDomains: emailDomains ?? (general.has(preset) ? ["*"] : ownDomains(issuer)),
    trustUnverifiedEmails,
    hasUnverifiedEmails: false,
    authority: preset === "slack" ? "none" : issuer === google ? "hosted" : "all",
    hasPkce: true,
  }
}

function issuerOf(declared: ProviderDeclaration) {
  switch (declared.preset) {
    case "google":
      return google
    case "apple":
      return "https://appleid.apple.com"
    case "microsoft":
      return `${microsoft}/${ownerOf(declared.tenant)}/v2.0`
    case "entra-external":
      return `https://${declared.tenant}.ciamlogin.com/${declared.tenant}/v2.0`
    case "cognito":
      return `https://cognito-idp.${declared.region}.amazonaws.com/${declared.userPoolId}`
    case "keycloak":
      return `${declared.url.replace(/\/$/, "")}/realms/${encodeURIComponent(declared.realm)}`
    case "gitlab":
      return declared.url?.replace(/\/$/, "") ?? "https://gitlab.com"
    case "slack":
      return "https://slack.com"
    case "github":
    case "discord":
    case "facebook":
    case "linkedin":
    case "x":
      return plainProviders[declared.preset].issuer
    case "oauth2":
    case "openid":
    case undefined:
  }
  return declared.issuer
}

/** The tenant that Microsoft's issuer names. */
function ownerOf(tenant: string) {
  if (tenant === "consumers") return consumers
  return tenant === "common" || tenant === "organizations" ? "{tenantid}" : tenant
}

/** The host of an issuer and the domains above it: id.example.com vouches for ada@example.com. */
function ownDomains(issuer: string) {
  if (isLoopback(issuer)) return ["*"]
  const labels = new URL(issuer).hostname.split(".")
  const parents = labels.map((_, index) => labels.slice(index).join("."))
  return parents.filter((name) => name.includes("."))
}
