import * as z from "zod"

import { isLoopback } from "../http/redirect.ts"
import {
  type Fields,
  identityProviderBindings,
  ProviderDeclaration,
} from "./provider-declaration.ts"
import { conceal, type Secret } from "./secret.ts"

/** Behaviour of a provider. */
type Behaviour = {
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
   * Addresses of which it is the authority: all; Google's own and those that the claim `hd` names; or
   * none, where it verified an address once, which may have a new owner.
   */
  authority: "all" | "hosted" | "none"
  /** Present for providers without OpenID's metadata and id_tokens. */
  plain?: Plain
  /** Whether its token endpoint takes a code verifier. */
  hasPkce: boolean
}

type Plain = {
  authorize: string
  token: string
  userinfo: string
  /** GitHub's list of a user's addresses. */
  emails?: string
  /** Whether the client's secret goes in a header, and not in the form. */
  takesBasic?: true
  fields: Fields
}

export type IdentityProvider = Behaviour & {
  id: string
  clientId: string
  /** Undefined for a public client, whose code only PKCE protects; Apple's is a private key. */
  clientSecret: Secret | undefined
}

const google = "https://accounts.google.com"
const microsoft = "https://login.microsoftonline.com"

/** Tenants in the issuer, by Microsoft's names for groups of them: personal accounts are one tenant. */
const owners: Record<string, string> = {
  common: "{tenantid}",
  organizations: "{tenantid}",
  consumers: "9188040d-6c67-4c5b-b112-36a304b66dad",
}

const usualFields = {
  subject: "sub",
  email: "email",
  emailVerified: "email_verified",
  name: "name",
  username: "username",
  picture: "picture",
}

/** Providers that speak OAuth without OpenID, or bend OpenID too far. */
const plainProviders = {
  // https://docs.github.com/en/apps/oauth-apps/building-oauth-apps/authorizing-oauth-apps
  // https://docs.github.com/en/rest/users/emails
  github: {
    issuer: "https://github.com",
    scopes: ["read:user", "user:email"],
    authorize: "https://github.com/login/oauth/authorize",
    token: "https://github.com/login/oauth/access_token",
    userinfo: "https://api.github.com/user",
    emails: "https://api.github.com/user/emails",
    fields: { subject: "id", name: "name", username: "login", picture: "avatar_url" },
  },
  // https://discord.com/developers/docs/topics/oauth2 and …/resources/user
  discord: {
    issuer: "https://discord.com",
    scopes: ["identify", "email"],
    authorize: "https://discord.com/oauth2/authorize",
    token: "https://discord.com/api/oauth2/token",
    userinfo: "https://discord.com/api/users/@me",
    fields: { ...usualFields, subject: "id", emailVerified: "verified", name: "global_name" },
  },
  // https://developers.facebook.com/docs/facebook-login/guides/advanced/manual-flow. It does not say
  // whether an address is verified.
  facebook: {
    issuer: "https://www.facebook.com",
    scopes: ["email", "public_profile"],
    authorize: "https://www.facebook.com/v24.0/dialog/oauth",
    token: "https://graph.facebook.com/v24.0/oauth/access_token",
    userinfo: "https://graph.facebook.com/v24.0/me?fields=id,name,email,picture",
    fields: { subject: "id", email: "email", name: "name", picture: "picture.data.url" },
  },
  // https://learn.microsoft.com/en-us/linkedin/consumer/integrations/self-serve/sign-in-with-linkedin-v2.
  // Its id_tokens have no nonce, so what counts is what it says to the holder of the access token.
  linkedin: {
    issuer: "https://www.linkedin.com/oauth",
    scopes: ["openid", "profile", "email"],
    authorize: "https://www.linkedin.com/oauth/v2/authorization",
    token: "https://www.linkedin.com/oauth/v2/accessToken",
    userinfo: "https://api.linkedin.com/v2/userinfo",
    fields: usualFields,
  },
  // https://docs.x.com/fundamentals/authentication/oauth-2-0/authorization-code and
  // https://docs.x.com/x-api/users/get-my-user: it names no address but a confirmed one.
  x: {
    issuer: "https://x.com",
    scopes: ["users.read", "tweet.read", "users.email"],
    authorize: "https://x.com/i/oauth2/authorize",
    token: "https://api.x.com/2/oauth2/token",
    takesBasic: true,
    userinfo: "https://api.x.com/2/users/me?user.fields=confirmed_email,profile_image_url",
    fields: {
      subject: "data.id",
      email: "data.confirmed_email",
      emailVerified: true,
      name: "data.name",
      username: "data.username",
      picture: "data.profile_image_url",
    },
  },
} satisfies Record<string, Plain & { issuer: string; scopes: string[] }>

/** Presets of providers whose users' addresses are of every domain. */
const general = new Set(["google", "apple", "microsoft", "slack", ...Object.keys(plainProviders)])

/** Returns the behaviour of a declared provider, with the quirks that providers of its kind document. */
export function behaviourOf(declared: ProviderDeclaration): Behaviour {
  const { preset = "openid", scopes, emailDomains, trustUnverifiedEmails = false } = declared
  const quirks = quirksOf(declared)
  const { issuer } = quirks
  return {
    preset,
    metadata: issuer,
    trustUnverifiedEmails,
    hasUnverifiedEmails: false,
    authority: issuer === google ? "hosted" : "all",
    hasPkce: true,
    ...quirks,
    scopes: scopes ?? quirks.scopes ?? ["openid", "email", "profile"],
    emailDomains: emailDomains ?? (general.has(preset) ? ["*"] : ownDomains(issuer)),
  }
}

function quirksOf(declared: ProviderDeclaration): Partial<Behaviour> & { issuer: string } {
  switch (declared.preset) {
    case "google":
      // https://developers.google.com/identity/openid-connect/openid-connect#validatinganidtoken
      return { issuer: google, issuerAlias: "accounts.google.com" }
    case "slack":
      // https://docs.slack.dev/authentication/sign-in-with-slack: a nonce, and no PKCE.
      return { issuer: "https://slack.com", hasPkce: false, authority: "none" }
    case "apple": {
      const { teamId, keyId } = declared
      const scopes = ["openid", "email", "name"]
      return { issuer: "https://appleid.apple.com", scopes, apple: { teamId, keyId } }
    }
    case "microsoft": {
      const { tenant, tenants } = declared
      const issuer = `${microsoft}/${owners[tenant] ?? tenant}/v2.0`
      const metadata = `${microsoft}/${tenant}/v2.0`
      return { issuer, metadata, tenants, hasUnverifiedEmails: true }
    }
    case "entra-external": {
      // https://learn.microsoft.com/en-us/entra/external-id/customers/concept-authentication-methods-customers:
      // the metadata of the domain's host names an issuer at the tenant's.
      const at = (host: string) => `https://${host}.ciamlogin.com/${declared.tenant}/v2.0`
      return {
        issuer: at(declared.tenant),
        metadata: at(declared.domain),
        hasUnverifiedEmails: true,
      }
    }
    case "cognito": {
      const { region, userPoolId } = declared
      return { issuer: `https://cognito-idp.${region}.amazonaws.com/${userPoolId}` }
    }
    case "keycloak": {
      const realm = encodeURIComponent(declared.realm)
      return { issuer: `${declared.url.replace(/\/$/, "")}/realms/${realm}` }
    }
    case "gitlab":
      return { issuer: declared.url?.replace(/\/$/, "") ?? "https://gitlab.com" }
    case "oauth2": {
      const { authorizationUrl: authorize, tokenUrl: token, userinfoUrl: userinfo } = declared
      const { issuer, fields } = declared
      return { issuer, scopes: [], plain: { authorize, token, userinfo, fields } }
    }
    case "github":
    case "discord":
    case "facebook":
    case "linkedin":
    case "x": {
      const { issuer, scopes, ...plain } = plainProviders[declared.preset]
      return { issuer, scopes, plain, authority: "none" }
    }
    case "openid":
    case undefined:
  }
  return { issuer: declared.issuer }
}

/** The host of an issuer and the domains above it: id.example.com vouches for ada@example.com. */
function ownDomains(issuer: string) {
  if (isLoopback(issuer)) return ["*"]
  const labels = new URL(issuer).hostname.split(".")
  const parents = labels.map((_, index) => labels.slice(index).join("."))
  return parents.filter((name) => name.includes("."))
}

const id = z.string().regex(/^[a-z][a-z0-9-]*$/, "must be lower-case letters, digits and hyphens")

const Declared = z.record(id, ProviderDeclaration)

/** An identity with one of these ids is a password, or `/sign-in/<id>` is another path: a test derives them. */
const reservedIds = /^(?:credential|password|social|email|code|passkey|second-factor)$/

/** Reads IDENTITY_PROVIDERS and each provider's client id and secret. */
export function readProviders(env: Readonly<Record<string, unknown>>) {
  const problems: string[] = []
  const providers: IdentityProvider[] = []
  const permanent = env["ENVIRONMENT"] === "staging" || env["ENVIRONMENT"] === "production"
  const parsed = Declared.safeParse(parseJson(env["IDENTITY_PROVIDERS"] ?? "{}"))
  for (const issue of parsed.error?.issues ?? []) {
    problems.push(`${["IDENTITY_PROVIDERS", ...issue.path].join(".")}: ${issue.message}`)
  }
  for (const [name, declared] of Object.entries(parsed.data ?? {})) {
    const at = `IDENTITY_PROVIDERS.${name}`
    const names = identityProviderBindings(name)
    const clientId = env[names.clientId]
    const secret = env[names.clientSecret]
    const clientSecret = typeof secret === "string" ? conceal(secret) : undefined
    const behaviour = behaviourOf(declared)
    if (reservedIds.test(name)) problems.push(`${at}: the name is reserved`)
    if (permanent && !behaviour.issuer.startsWith("https://")) {
      problems.push(`${at}: must begin with https:// in a permanent environment`)
    }
    if (behaviour.apple && !String(secret).startsWith("-----BEGIN PRIVATE KEY-----")) {
      problems.push(`${names.clientSecret}: must be the private key of Apple's .p8 file`)
    }
    if (typeof clientId === "string") {
      providers.push({ ...behaviour, id: name, clientId, clientSecret })
    } else {
      problems.push(`${names.clientId}: is missing for identity provider ${name}`)
    }
  }
  return { providers, problems }
}

/** Returns the text itself if it is no JSON. */
export function parseJson(text: unknown): unknown {
  try {
    return JSON.parse(String(text))
  } catch {
    return text
  }
}
