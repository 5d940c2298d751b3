import * as z from "zod"

import { isLoopback } from "../http/redirect.ts"
import { asciiDomain } from "../mail/email-address.ts"

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

const trustUnverifiedEmails = z.literal(true).optional().meta({
  description:
    "Addresses of the listed domains count as verified without the provider's word: for a tenant whose administrators make the accounts",
})

const guid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
const tenant = z.string().regex(guid, "must be the id of a tenant, a GUID in lower case")

const path = z.string().regex(/^[\w-]+(\.[\w-]+)*$/, "must be a name, or names joined by dots")

/** Paths, such as `data.id`, of what a provider's answer says of a user. */
const Fields = z.strictObject({
  subject: path,
  email: path,
  /** `true`: the provider names none but verified addresses. */
  emailVerified: z.union([z.literal(true), path]).optional(),
  name: path.optional(),
  username: path.optional(),
  picture: path.optional(),
})

export type Fields = Partial<z.infer<typeof Fields>>

function appleId(name: string) {
  return z.string().regex(/^[A-Z0-9]{10}$/, `must be the ten characters of Apple's ${name} id`)
}

const anyScopes = z.array(z.string().min(1))

type Texts = { issuer: z.ZodType<string>; scopes: z.ZodType<string[]> }

/** Returns the schemas of each kind of identity provider. */
function declarations<Client extends z.ZodRawShape>({ issuer, scopes }: Texts, client: Client) {
  const emails = { emailDomains: emailDomains.optional(), trustUnverifiedEmails }
  const common = { scopes: scopes.optional(), ...emails, ...client }
  /** Of providers without OpenID's scope. */
  const plain = { ...common, scopes: anyScopes.optional() }
  return z.discriminatedUnion("preset", [
    z.strictObject({ preset: z.literal("openid").optional(), issuer, ...common }),
    z.strictObject({ preset: z.enum(["google", "slack"]), ...common }),
    z.strictObject({
      preset: z.enum(["github", "discord", "facebook", "linkedin", "x"]),
      ...plain,
    }),
    z.strictObject({ preset: z.literal("gitlab"), url: issuer.optional(), ...common }),
    z.strictObject({
      preset: z.literal("keycloak"),
      url: issuer,
      realm: z.string().min(1),
      ...common,
    }),
    z.strictObject({
      preset: z.literal("apple"),
      teamId: appleId("team"),
      keyId: appleId("key"),
      ...common,
    }),
    z.strictObject({
      preset: z.literal("microsoft"),
      tenant: z.union([z.enum(["common", "organizations", "consumers"]), tenant]),
      /** Tenants whose users may sign in, for a tenant such as `common`; default: all. */
      tenants: z.array(tenant).min(1).optional(),
      ...common,
    }),
    z.strictObject({
      preset: z.literal("entra-external"),
      /** Of `<domain>.ciamlogin.com`. */
      domain: z.string().regex(/^[a-z0-9-]+$/, "must be the name before .ciamlogin.com"),
      tenant,
      ...common,
    }),
    z.strictObject({
      preset: z.literal("cognito"),
      region: z.string().regex(/^[a-z]{2}(-[a-z]+)+-\d$/, "must be a region such as eu-central-1"),
      userPoolId: z.string().regex(/^[\w-]+_[A-Za-z0-9]+$/, "must be the id of a user pool"),
      ...common,
      // amazonaws.com hosts anyone's pool, so it has no domain of its own.
      emailDomains,
    }),
    z.strictObject({
      preset: z.literal("oauth2"),
      /** Scope in which its subjects are unique. */
      issuer,
      authorizationUrl: secureUrl,
      tokenUrl: secureUrl,
      userinfoUrl: secureUrl,
      fields: Fields,
      ...plain,
      emailDomains,
    }),
  ])
}

const openidScopes = z
  .array(z.string().regex(/^[\x21\x23-\x5b\x5d-\x7e]+$/, "must be a scope"))
  .refine((list) => list.includes("openid"), { error: "must contain openid" })

/** A provider in the binding IDENTITY_PROVIDERS. */
export const ProviderDeclaration = declarations({ issuer: secureUrl, scopes: openidScopes }, {})

export type ProviderDeclaration = z.infer<typeof ProviderDeclaration>

/** A provider in a stack file. The rules of stack files name what else the Worker rejects. */
export const ConfiguredProvider = declarations(
  { issuer: z.url({ protocol: /^https?$/ }), scopes: anyScopes },
  { clientId: z.string().min(1) },
)

/** Names of the two bindings of an identity provider; those of `idp` are in the table, without which the module goes. */
export function identityProviderBindings(id: string) {
  const stem = id === "idp" ? "IDP" : `IDP_${id.toUpperCase().replaceAll("-", "_")}`
  return { clientId: `${stem}_CLIENT_ID`, clientSecret: `${stem}_CLIENT_SECRET` }
}
