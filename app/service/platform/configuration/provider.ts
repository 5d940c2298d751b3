import * as z from "zod"

import { isLoopback } from "../http/redirect.ts"
import { asciiDomain } from "../mail/email-address.ts"
import { conceal, type Secret } from "./secret.ts"

/** How a provider differs from others. */
type Quirks = {
  /** Issuer in its metadata, where `{tenantid}` is replaced by the user's tenant. */
  issuer: string
  /** Base URL of the metadata, without the path that OpenID Connect Discovery adds. Default: the issuer. */
  metadata?: string
  /** Second name of the issuer in its tokens. */
  issuerAlias?: string
  /** Default: `openid`, `email` and `profile`. */
  scopes?: string[]
  /** Domains whose email addresses the provider is trusted for; `*` means all. Default: the domains of its host. */
  emailDomains?: string[]
  /** Tenants whose users may sign in. Default: all. */
  tenants?: string[] | undefined
  /** Key that signs the client secret of Apple. */
  apple?: { teamId: string; keyId: string }
  /**
   * Administrators of a tenant can set any `email`. Only `xms_edov`, or a tenant that owns the domain, proves the
   * address.
   */
  hasUnverifiedEmails?: true
  /**
   * Limits the addresses that the provider is authoritative for. Default: all. `hosted`: Google's own, and the domain
   * in the claim `hd`. `none`: an address that it once verified may have a new owner.
   */
  authority?: "hosted" | "none"
  /** Present for providers without OpenID's metadata and id_tokens. */
  plain?: Plain
  /** Whether the token endpoint accepts a code verifier. Default: true. */
  hasPkce?: false
}

export type IdentityProvider = ReturnType<typeof behaviourOf> & {
  id: string
  clientId: string
  /** Undefined for a public client, whose code only PKCE protects. For Apple, a private key. */
  clientSecret: Secret | undefined
}

const url = z.url({ protocol: /^https?$/ })
const path = z.string().regex(/^[\w-]+(\.[\w-]+)*$/, "must be a name, or names joined by dots")

/** Paths, such as `data.id`, in a provider's description of a user. */
const Fields = z.strictObject({
  subject: path,
  email: path,
  /** `true`: the provider names only verified addresses. */
  emailVerified: z.union([z.literal(true), path]).optional(),
  name: path.optional(),
  username: path.optional(),
  picture: path.optional(),
})

export type Fields = z.infer<typeof Fields>

/** Keys of a provider without OpenID's metadata and id_tokens. */
const Plain = z.object({
  /** Scope in which its subjects are unique. */
  issuer: url,
  authorizationUrl: url,
  tokenUrl: url,
  userinfoUrl: url,
  fields: Fields,
})

type Plain = z.infer<typeof Plain> & {
  /** URL of GitHub's list of the user's addresses. The primary one becomes the field `primary` of the user. */
  emailsUrl?: string
  /** How the client authenticates at the token endpoint. Default: in the form body. */
  tokenAuth?: "client_secret_basic"
}

/** Maps each field to its OpenID Connect claim. */
export const claimNames = {
  subject: "sub",
  email: "email",
  emailVerified: "email_verified",
  name: "name",
  username: "preferred_username",
  picture: "picture",
}

const google = "https://accounts.google.com"

/** Presets that take no keys. */
const fixedPresets: Record<string, Quirks> = {
  // https://developers.google.com/identity/openid-connect/openid-connect#validatinganidtoken
  google: { issuer: google, issuerAlias: "accounts.google.com", emailDomains: ["*"] },
  // https://docs.slack.dev/authentication/sign-in-with-slack: a nonce, and no PKCE.
  slack: { issuer: "https://slack.com", hasPkce: false, authority: "none", emailDomains: ["*"] },
  // https://docs.github.com/en/apps/oauth-apps/building-oauth-apps/authorizing-oauth-apps
  // https://docs.github.com/en/rest/users/emails
  github: plain({
    issuer: "https://github.com",
    scopes: ["read:user", "user:email"],
    authorizationUrl: "https://github.com/login/oauth/authorize",
    tokenUrl: "https://github.com/login/oauth/access_token",
    userinfoUrl: "https://api.github.com/user",
    emailsUrl: "https://api.github.com/user/emails",
    fields: {
      subject: "id",
      email: "primary.email",
      emailVerified: "primary.verified",
      name: "name",
      username: "login",
      picture: "avatar_url",
    },
  }),
  // https://discord.com/developers/docs/topics/oauth2 and …/resources/user
  discord: plain({
    issuer: "https://discord.com",
    scopes: ["identify", "email"],
    authorizationUrl: "https://discord.com/oauth2/authorize",
    tokenUrl: "https://discord.com/api/oauth2/token",
    userinfoUrl: "https://discord.com/api/users/@me",
    fields: { ...claimNames, subject: "id", emailVerified: "verified", name: "global_name" },
  }),
  // https://developers.facebook.com/docs/facebook-login/guides/advanced/manual-flow. It does not say
  // whether an address is verified.
  facebook: plain({
    issuer: "https://www.facebook.com",
    scopes: ["email", "public_profile"],
    authorizationUrl: "https://www.facebook.com/v24.0/dialog/oauth",
    tokenUrl: "https://graph.facebook.com/v24.0/oauth/access_token",
    userinfoUrl: "https://graph.facebook.com/v24.0/me?fields=id,name,email,picture",
    fields: { subject: "id", email: "email", name: "name", picture: "picture.data.url" },
  }),
  // https://learn.microsoft.com/en-us/linkedin/consumer/integrations/self-serve/sign-in-with-linkedin-v2.
  // Its id_tokens have no nonce, so the identity comes from its userinfo endpoint.
  linkedin: plain({
    issuer: "https://www.linkedin.com/oauth",
    scopes: ["openid", "profile", "email"],
    authorizationUrl: "https://www.linkedin.com/oauth/v2/authorization",
    tokenUrl: "https://www.linkedin.com/oauth/v2/accessToken",
    userinfoUrl: "https://api.linkedin.com/v2/userinfo",
    fields: claimNames,
  }),
  // https://docs.x.com/fundamentals/authentication/oauth-2-0/authorization-code and
  // https://docs.x.com/x-api/users/get-my-user: it names only confirmed addresses.
  x: plain({
    issuer: "https://x.com",
    scopes: ["users.read", "tweet.read", "users.email"],
    authorizationUrl: "https://x.com/i/oauth2/authorize",
    tokenUrl: "https://api.x.com/2/oauth2/token",
    tokenAuth: "client_secret_basic",
    userinfoUrl: "https://api.x.com/2/users/me?user.fields=confirmed_email,profile_image_url",
    fields: {
      subject: "data.id",
      email: "data.confirmed_email",
      emailVerified: true,
      name: "data.name",
      username: "data.username",
      picture: "data.profile_image_url",
    },
  }),
}

/** Preset of a provider that supports OAuth, but OpenID not at all or not well enough, with users of every domain. */
function plain({ scopes, ...keys }: Plain & { scopes: string[] }): Quirks {
  return { issuer: keys.issuer, scopes, plain: keys, authority: "none", emailDomains: ["*"] }
}

const guid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
const tenant = z.string().regex(guid, "must be the id of a tenant, a GUID in lower case")

const appleId = z.string().regex(/^[A-Z0-9]{10}$/, "must be the ten characters of Apple's id")

const domain = z
  .string()
  .overwrite(asciiDomain)
  .regex(/^(\*|[a-z0-9-]+(\.[a-z0-9-]+)+)$/, "must be a domain in lower case, or * for every one")

const emailDomains = z
  .array(domain)
  .min(1)
  .meta({ description: "Domains of the email addresses that the provider is trusted for" })

const microsoft = "https://login.microsoftonline.com"

/** Maps Microsoft's names for groups of tenants to the tenant in the issuer. Personal accounts are one tenant. */
const owners: Record<string, string> = {
  common: "{tenantid}",
  organizations: "{tenantid}",
  consumers: "9188040d-6c67-4c5b-b112-36a304b66dad",
}

/** Presets that take keys. Each returns the quirks that the provider documents. */
const keyedPresets = {
  openid: preset({ issuer: url }, ({ issuer }) => ({ issuer })),
  gitlab: preset({ url: url.optional() }, ({ url: host = "https://gitlab.com" }) => ({
    issuer: host.replace(/\/$/, ""),
  })),
  keycloak: preset({ url, realm: z.string().min(1) }, ({ url: host, realm }) => ({
    issuer: `${host.replace(/\/$/, "")}/realms/${encodeURIComponent(realm)}`,
  })),
  apple: preset({ teamId: appleId, keyId: appleId }, (apple) => ({
    issuer: "https://appleid.apple.com",
    scopes: ["openid", "email", "name"],
    emailDomains: ["*"],
    apple,
  })),
  microsoft: preset(
    {
      tenant: z.union([z.enum(["common", "organizations", "consumers"]), tenant]),
      /** Tenants whose users may sign in, for a tenant such as `common`; default: all. */
      tenants: z.array(tenant).min(1).optional(),
    },
    ({ tenant: name, tenants }) => ({
      issuer: `${microsoft}/${owners[name] ?? name}/v2.0`,
      metadata: `${microsoft}/${name}/v2.0`,
      emailDomains: ["*"],
      hasUnverifiedEmails: true,
      tenants,
    }),
  ),
  // https://learn.microsoft.com/en-us/entra/external-id/customers/concept-authentication-methods-customers:
  // the metadata at the domain's host names an issuer at the tenant's host.
  "entra-external": preset(
    { domain: z.string().regex(/^[a-z0-9-]+$/, "must be the name before .ciamlogin.com"), tenant },
    ({ domain: name, tenant: id }) => ({
      issuer: `https://${id}.ciamlogin.com/${id}/v2.0`,
      metadata: `https://${name}.ciamlogin.com/${id}/v2.0`,
      hasUnverifiedEmails: true,
    }),
  ),
  cognito: preset(
    {
      region: z.string().regex(/^[a-z]{2}(-[a-z]+)+-\d$/, "must be a region such as eu-central-1"),
      userPoolId: z.string().regex(/^[\w-]+_[A-Za-z0-9]+$/, "must be the id of a user pool"),
      // Anyone can host a pool at amazonaws.com, so the issuer's host proves no email domain.
      emailDomains,
    },
    ({ region, userPoolId }) => ({
      issuer: `https://cognito-idp.${region}.amazonaws.com/${userPoolId}`,
    }),
  ),
  oauth2: preset({ ...Plain.shape, emailDomains }, (keys) => ({
    issuer: keys.issuer,
    scopes: [],
    plain: keys,
  })),
}

function preset<Keys extends z.ZodRawShape>(
  keys: Keys,
  quirks: (declared: z.infer<z.ZodObject<Keys>>) => Quirks,
) {
  return { keys, quirks: z.object(keys).transform(quirks) }
}

function declarations<Client extends z.ZodRawShape>(client: Client) {
  const scope = z.string().regex(/^[\x20\x21\x23-\x5b\x5d-\x7e]+$/, "must be a scope")
  const common = {
    scopes: z.array(scope).optional(),
    emailDomains: emailDomains.optional(),
    trustUnverifiedEmails: z.literal(true).optional().meta({
      description:
        "Addresses of the listed domains count as verified without the provider's word: for a tenant whose administrators make the accounts",
    }),
    ...client,
  }
  const { openid, ...rest } = keyedPresets
  return z.discriminatedUnion("preset", [
    z.strictObject({ preset: z.literal("openid").optional(), ...common, ...openid.keys }),
    z.strictObject({ preset: z.enum(Object.keys(fixedPresets)), ...common }),
    ...Object.entries<{ keys: object }>(rest).map(([name, { keys }]) =>
      z.strictObject({ preset: z.literal(name), ...common, ...keys }),
    ),
  ])
}

/** A provider in the binding IDENTITY_PROVIDERS. */
const ProviderDeclaration = declarations({})

/** A provider in a stack file. Further rules of stack files report what else the Worker rejects. */
export const ConfiguredProvider = declarations({ clientId: z.string().min(1) })

/** Returns the behaviour of a declared provider. */
export function behaviourOf(declared: z.infer<typeof ProviderDeclaration>) {
  const { preset: name = "openid", scopes, emailDomains: domains } = declared
  const keyed = new Map(Object.entries(keyedPresets)).get(name) ?? keyedPresets.openid
  const quirks: Quirks = fixedPresets[name] ?? keyed.quirks.parse(declared)
  return {
    ...(quirks.issuer === google && ({ authority: "hosted" } as const)),
    ...quirks,
    /** `openid` for a provider that is declared by its issuer. */
    preset: name,
    scopes: scopes ?? quirks.scopes ?? ["openid", "email", "profile"],
    emailDomains: domains ?? quirks.emailDomains ?? ownDomains(quirks.issuer),
    /** Whether addresses of these domains count as verified without the provider's word. */
    trustUnverifiedEmails: declared.trustUnverifiedEmails === true,
  }
}

/** Returns the host of an issuer and its parent domains: id.example.com vouches for ada@example.com. */
function ownDomains(issuer: string) {
  if (isLoopback(issuer)) return ["*"]
  const labels = new URL(issuer).hostname.split(".")
  const parents = labels.map((_, index) => labels.slice(index).join("."))
  return parents.filter((name) => name.includes("."))
}

const id = z.string().regex(/^[a-z][a-z0-9-]*$/, "must be lower-case letters, digits and hyphens")

const Declared = z.record(id, ProviderDeclaration)

/** Names of the two bindings of an identity provider; those of `idp` are in the table, without which the module goes. */
export function identityProviderBindings(name: string) {
  const stem = name === "idp" ? "IDP" : `IDP_${name.toUpperCase().replaceAll("-", "_")}`
  return { clientId: `${stem}_CLIENT_ID`, clientSecret: `${stem}_CLIENT_SECRET` }
}

/** Ids that would mean a password, or whose `/sign-in/<id>` is another path. A test derives this list. */
const reservedIds = /^(?:credential|password|social|email|code|passkey|second-factor)$/

/** Reads IDENTITY_PROVIDERS and each provider's client id and secret. */
export function readProviders(env: Readonly<Record<string, unknown>>) {
  const permanent = env["ENVIRONMENT"] === "staging" || env["ENVIRONMENT"] === "production"
  const isSafe = (address: string) =>
    address.startsWith("https://") || (!permanent && isLoopback(address))
  const exception = permanent ? "" : ", or with http:// and an address of this machine"
  const parsed = Declared.safeParse(parseJson(env["IDENTITY_PROVIDERS"] ?? "{}"))
  const providers: IdentityProvider[] = []
  const problems = (parsed.error?.issues ?? []).map(
    ({ path: at, message }) => `${["IDENTITY_PROVIDERS", ...at].join(".")}: ${message}`,
  )
  for (const [name, declared] of Object.entries(parsed.data ?? {})) {
    const at = `IDENTITY_PROVIDERS.${name}`
    const names = identityProviderBindings(name)
    const { [names.clientId]: clientId, [names.clientSecret]: secret } = env
    const clientSecret = typeof secret === "string" ? conceal(secret) : undefined
    const behaviour = behaviourOf(declared)
    const { issuer, plain: keys, apple, scopes } = behaviour
    const urls = [issuer, ...(keys ? [keys.authorizationUrl, keys.tokenUrl, keys.userinfoUrl] : [])]
    const isKey = String(secret).startsWith("-----BEGIN PRIVATE KEY-----")
    const checks = {
      [`${at}: the name is reserved`]: !reservedIds.test(name),
      [`${at}: must begin with https://${exception}`]: urls.every(isSafe),
      [`${at}.scopes: must contain openid`]: keys !== undefined || scopes.includes("openid"),
      [`${names.clientSecret}: must be the private key of Apple's .p8 file`]: !apple || isKey,
      [`${names.clientId}: is missing for identity provider ${name}`]: clientId !== undefined,
    }
    const failed = Object.entries(checks).filter(([, isMet]) => !isMet)
    problems.push(...failed.map(([problem]) => problem))
    providers.push({ ...behaviour, id: name, clientId: String(clientId), clientSecret })
  }
  return { providers, problems }
}

/** Returns the text itself if it is not JSON. */
export function parseJson(text: unknown): unknown {
  try {
    return JSON.parse(String(text))
  } catch {
    return text
  }
}
