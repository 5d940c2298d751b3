import * as z from "zod"

import { isLoopback } from "../http/redirect.ts"
import { asciiDomain } from "./email-address.ts"

const secureUrl = z.url().refine((url) => url.startsWith("https://") || isLoopback(url), {
  error: "must begin with https://, or with http:// and an address of this machine",
})

const domain = z
  .string()
  .overwrite(asciiDomain)
  .regex(/^(\*|[a-z0-9-]+(\.[a-z0-9-]+)+)$/, "must be a domain in lower case, or * for every one")

const emailDomains = z
  .array(domain)
  .min(1)
  .meta({ description: "Domains of the e-mail addresses that the provider is believed about" })

const guid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

const tenant = z.string().regex(guid, "must be the id of a tenant, a GUID in lower case")

const scopes = z
  .array(z.string().regex(/^[\x21\x23-\x5b\x5d-\x7e]+$/, "must be a scope"))
  .refine((list) => list.includes("openid"), { error: "must contain openid" })

const trustsUnverified = z.literal(true).meta({
  description:
    "Addresses of the listed domains count as verified without the provider's word: for a tenant whose administrators make the accounts",
})

const common = {
  scopes: scopes.optional(),
  emailDomains: emailDomains.optional(),
  trustUnverifiedEmails: trustsUnverified.optional(),
}

/** Of providers without OpenID's scope. */
const plainCommon = { ...common, scopes: z.array(z.string().min(1)).optional() }

const path = z.string().regex(/^[\w-]+(\.[\w-]+)*$/, "must be a name, or names joined by dots")

/** What identity providers of each kind are configured with, besides their client id. */
const presets = {
  openid: z.strictObject({ preset: z.literal("openid").optional(), issuer: secureUrl, ...common }),
  google: z.strictObject({ preset: z.literal("google"), ...common }),
  apple: z.strictObject({
    preset: z.literal("apple"),
    teamId: z.string().regex(/^[A-Z0-9]{10}$/, "must be the ten characters of Apple's team id"),
    keyId: z.string().regex(/^[A-Z0-9]{10}$/, "must be the ten characters of Apple's key id"),
    ...common,
  }),
  microsoft: z.strictObject({
    preset: z.literal("microsoft"),
    tenant: z.union([z.enum(["common", "organizations", "consumers"]), tenant]),
    /** With a tenant such as common: those whose users may sign in; default: all. */
    tenants: z.array(tenant).min(1).optional(),
    ...common,
  }),
  gitlab: z.strictObject({ preset: z.literal("gitlab"), url: secureUrl.optional(), ...common }),
  slack: z.strictObject({ preset: z.literal("slack"), ...common }),
  entraExternal: z.strictObject({
    preset: z.literal("entra-external"),
    /** Of `<domain>.ciamlogin.com`. */
    domain: z.string().regex(/^[a-z0-9-]+$/, "must be the name before .ciamlogin.com"),
    tenant,
    ...common,
  }),
  github: z.strictObject({ preset: z.literal("github"), ...plainCommon }),
  discord: z.strictObject({ preset: z.literal("discord"), ...plainCommon }),
  facebook: z.strictObject({ preset: z.literal("facebook"), ...plainCommon }),
  linkedin: z.strictObject({ preset: z.literal("linkedin"), ...plainCommon }),
  x: z.strictObject({ preset: z.literal("x"), ...plainCommon }),
  oauth2: z.strictObject({
    preset: z.literal("oauth2"),
    /** What its subjects are unique in. */
    issuer: secureUrl,
    authorizationUrl: secureUrl,
    tokenUrl: secureUrl,
    userinfoUrl: secureUrl,
    fields: z.strictObject({
      subject: path,
      email: path,
      emailVerified: z.union([z.literal(true), path]).optional(),
      name: path.optional(),
      username: path.optional(),
      picture: path.optional(),
    }),
    ...plainCommon,
    emailDomains,
  }),
  cognito: z.strictObject({
    preset: z.literal("cognito"),
    region: z.string().regex(/^[a-z]{2}(-[a-z]+)+-\d$/, "must be a region such as eu-central-1"),
    userPoolId: z.string().regex(/^[\w-]+_[A-Za-z0-9]+$/, "must be the id of a user pool"),
    ...common,
    // It has no domain of its own: anybody's pool is at amazonaws.com.
    emailDomains,
  }),
  keycloak: z.strictObject({
    preset: z.literal("keycloak"),
    url: secureUrl,
    realm: z.string().min(1),
    ...common,
  }),
}

/** One provider as the binding IDENTITY_PROVIDERS has it. */
export const ProviderDeclaration = z.discriminatedUnion("preset", [
  presets.openid,
  presets.google,
  presets.apple,
  presets.microsoft,
  presets.cognito,
  presets.keycloak,
  presets.gitlab,
  presets.slack,
  presets.entraExternal,
  presets.github,
  presets.discord,
  presets.facebook,
  presets.linkedin,
  presets.x,
  presets.oauth2,
])

export type ProviderDeclaration = z.infer<typeof ProviderDeclaration>

const anyUrl = z.url({ protocol: /^https?$/ })

const withClient = {
  clientId: z.string().min(1),
  scopes: z.array(z.string().min(1)).optional(),
}

/** One provider as a stack file has it. What the Worker refuses besides, the rules of stack files name. */
export const ConfiguredProvider = z.discriminatedUnion("preset", [
  presets.openid.extend({ ...withClient, issuer: anyUrl }),
  presets.google.extend(withClient),
  presets.apple.extend(withClient),
  presets.microsoft.extend(withClient),
  presets.cognito.extend(withClient),
  presets.keycloak.extend({ ...withClient, url: anyUrl }),
  presets.gitlab.extend({ ...withClient, url: anyUrl.optional() }),
  presets.slack.extend(withClient),
  presets.entraExternal.extend(withClient),
  presets.github.extend(withClient),
  presets.discord.extend(withClient),
  presets.facebook.extend(withClient),
  presets.linkedin.extend(withClient),
  presets.x.extend(withClient),
  presets.oauth2.extend({ ...withClient, issuer: anyUrl }),
])

/** Names of the two bindings of an identity provider; those of `idp` are in the table, without which the module goes. */
export function identityProviderBindings(id: string) {
  const stem = id === "idp" ? "IDP" : `IDP_${id.toUpperCase().replaceAll("-", "_")}`
  return { clientId: `${stem}_CLIENT_ID`, clientSecret: `${stem}_CLIENT_SECRET` }
}
