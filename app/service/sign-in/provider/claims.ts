import * as z from "zod"

import { isSmokeAddress } from "../../guard/smoke.ts"
import type { Fields } from "../../platform/configuration/provider-declaration.ts"
import type { IdentityProvider } from "../../platform/configuration/provider.ts"
import { Email } from "../../platform/mail/email-address.ts"
import { Image, Name, unprintable } from "../../session/profile.ts"
import type { SignInError } from "./sign-in-error.ts"

/** Apple and Cognito's userinfo endpoint send the word, Microsoft may send the number. */
const Flag = z
  .unknown()
  .transform((value) => value === true || value === "true" || value === 1 || value === "1")

const Text = z.string().optional().catch(undefined)

/** Claims of a provider about a user. Only the subject is required: the rest is checked where it is used. */
export const Claims = z.object({
  /** At most as long as OpenID Connect Core, section 2, has it. */
  sub: z.string().min(1).max(255),
  email: Email.optional().catch(undefined),
  email_verified: Flag.optional(),
  /** Google's: the domain of the organization that manages the account. */
  hd: Text,
  /** Microsoft's: whether the owner of the address's domain has verified it. */
  xms_edov: Flag.optional(),
  name: Text,
  given_name: Text,
  family_name: Text,
  preferred_username: Text,
  picture: Text,
  /** Seconds: when the user signed in at the provider, which may be long before they came here. */
  auth_time: z.number().nonnegative().optional().catch(0),
})

export type Claims = z.infer<typeof Claims>

/** Adds what the userinfo endpoint says to the claims of the id_token, which come first. */
export function addUserinfo(claims: Claims, userinfo: Claims): Claims {
  const { email, email_verified: verified } = userinfo
  // Another address's verification says nothing about this one.
  const verification = claims.email === email ? verified : undefined
  return {
    ...claims,
    ...(claims.email === undefined
      ? { email, email_verified: verified, xms_edov: undefined }
      : { email_verified: claims.email_verified ?? verification }),
    name: claims.name ?? userinfo.name,
    given_name: claims.given_name ?? userinfo.given_name,
    family_name: claims.family_name ?? userinfo.family_name,
    preferred_username: claims.preferred_username ?? userinfo.preferred_username,
    picture: claims.picture ?? userinfo.picture,
  }
}

/**
 * Returns why the provider is not believed about the address, if it is not: a person who could make it name
 * any address could take over, or squat, another's account.
 */
export function doubtOf(provider: IdentityProvider, claims: Claims): SignInError | undefined {
  const { emailDomains, hasUnverifiedEmails, trustUnverifiedEmails, issuer } = provider
  const { email, email_verified: isVerified, xms_edov: isOfDomain } = claims
  if (email === undefined) return "email_not_found"
  if (isSmokeAddress(email)) return "email_not_verified"
  const isListed = emailDomains.includes(domainOf(email))
  const isBelieved = isListed || emailDomains.includes("*")
  // The administrators of a tenant of one's own are believed about the domains that are listed.
  const ownsDomain = isListed && !issuer.includes("{tenantid}")
  const isVouchedFor = hasUnverifiedEmails ? isOfDomain === true || ownsDomain : isVerified === true
  if (!isVouchedFor && !(trustUnverifiedEmails && isBelieved)) return "email_not_verified"
  return isBelieved ? undefined : "email_not_trusted"
}

/**
 * Whether the provider is the authority on the address, and so may open an account that exists. Google
 * has verified others once, and they may have changed hands.
 * https://developers.google.com/identity/gsi/web/guides/verify-google-id-token
 */
export function isAuthority({ authority }: IdentityProvider, email: string, { hd }: Claims) {
  const domain = domainOf(email)
  if (authority !== "hosted") return authority === "all"
  return domain === "gmail.com" || hd?.toLowerCase() === domain
}

function domainOf(email: string) {
  return email.slice(email.lastIndexOf("@") + 1)
}

/** @param formName the name that the provider's form had, where its token has none */
export function profileOf(claims: Claims, email: string, formName: string | undefined) {
  const parts = [claims.given_name, claims.family_name].filter((part) => part !== undefined)
  const local = email.replace(/@.*/, "")
  const names = [claims.name, parts.join(" "), formName, claims.preferred_username, local]
  const name = names
    .map((candidate) => Name.safeParse(printable(candidate ?? "")).data)
    .find((candidate) => candidate !== undefined)
  const image = Image.safeParse(claims.picture).data ?? null
  return { email, name: name ?? "user", image }
}

/** Removes the characters that `Name` refuses, instead of the name: a provider may send it only once. */
function printable(name: string) {
  const visible = name.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, " ").replaceAll(unprintable, "")
  return Array.from(visible.trim()).slice(0, 50).join("")
}

const Addresses = z.array(z.object({ email: z.string(), primary: Flag, verified: Flag }))

/**
 * Reads the claims from a provider's own fields.
 * @param emails GitHub's list of addresses, of which the primary one counts
 */
export function claimsOfFields(fields: Fields, profile: unknown, emails: unknown): Claims {
  const at = (path: string | true | undefined) =>
    path === true ? path : path?.split(".").reduce(member, profile)
  const subject = at(fields.subject)
  const primary = Addresses.safeParse(emails).data?.find((address) => address.primary)
  return Claims.parse({
    sub: typeof subject === "number" ? String(subject) : subject,
    email: primary?.email ?? at(fields.email),
    email_verified: primary?.verified ?? at(fields.emailVerified),
    name: at(fields.name),
    preferred_username: at(fields.username),
    picture: at(fields.picture),
  })
}

function member(value: unknown, key: string): unknown {
  return z.record(z.string(), z.unknown()).safeParse(value).data?.[key]
}
